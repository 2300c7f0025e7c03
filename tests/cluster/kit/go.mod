// Small chores, so that the scripts need no openssl, curl or python.
// The standard library is enough for all of them.
module kubectl-jobset.test/cluster/kit

go 1.26.0
