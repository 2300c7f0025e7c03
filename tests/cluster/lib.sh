# shellcheck shell=bash
# What `up` and `down` share: messages, the cluster's folder, and a book of
# the processes that belong to it. Plain enough for bash 3.2.

say() { printf 'cluster: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# Where a cluster lives when nobody says otherwise.
default_dir() { printf '%s/kubectl-jobset-cluster-%s\n' "${TMPDIR:-/tmp}" "$(id -u)"; }

# A folder with this file in it is ours to clean.
MARK=.test-cluster

# Everything that a start makes, apart from log/ and audit.log: those outlive
# the cluster, so that a failure can still be read.
MADE='pki pid etcd etc env enter image node ready tokens.csv components
      admin.kubeconfig user.kubeconfig other.kubeconfig'

# claim_dir DIR: make DIR ours, or refuse when somebody else's files are there.
claim_dir() {
  mkdir -p "$1"
  if [ ! -e "$1/$MARK" ] && [ -n "$(ls -A "$1")" ]; then
    die "$1 is not empty and no cluster of ours: choose another --dir"
  fi
  : >"$1/$MARK"
  chmod 700 "$1"
}

clear_dir() {
  local name
  for name in $MADE; do rm -rf --one-file-system "${1:?}/$name" 2>/dev/null || rm -rf "${1:?}/$name"; done
}

# birth PID: a text that no later process with the same number has. Empty when
# there is no such process, or only its unreaped remains.
birth() {
  local stat
  if [ -r /proc/self/stat ]; then
    stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
    # The name in parentheses may hold spaces. After it: state is word 1,
    # start time word 20.
    # shellcheck disable=SC2086
    set -- ${stat##*) }
    case $1 in Z | X) ;; *) echo "${20}" ;; esac
  else
    ps -o lstart= -p "$1" 2>/dev/null || true
  fi
}

# launch NAME COMMAND...: start it in a process group of its own (Ctrl-C is for
# us to handle), deaf to a closing terminal, and write it into the book.
launch() {
  local name=$1 pid
  shift
  set -m
  (
    trap '' HUP
    case $(type -t "$1") in function) "$@" ;; *) exec "$@" ;; esac
  ) </dev/null >"$DIR/log/$name.log" 2>&1 &
  pid=$!
  set +m
  disown "$pid"
  record "$name" "$pid"
}

record() { printf '%s %s\n' "$2" "$(birth "$2")" >"$DIR/pid/$1"; }

# running DIR NAME: prints the process id when NAME still runs.
running() {
  local pid born
  read -r pid born 2>/dev/null <"$1/pid/$2" || return 1
  [ -n "$born" ] && [ "$(birth "$pid")" = "$born" ] && echo "$pid"
}

# stop DIR NAME: ask, wait up to 5 s, then force.
stop() {
  local pid tries=0
  pid=$(running "$1" "$2") || return 0
  # Its group, as what holds the namespaces leaves it to its child to listen.
  kill -TERM -- "-$pid" 2>/dev/null || kill -TERM "$pid" 2>/dev/null || true
  while running "$1" "$2" >/dev/null; do
    tries=$((tries + 1))
    if [ $tries = 100 ]; then kill -KILL "$pid" 2>/dev/null || true; fi
    [ $tries -lt 200 ] || die "process $pid ($2) does not end"
    sleep 0.05
  done
}

# Clients before servers. The API server goes without ceremony: asked nicely it
# waits for its watchers, and nobody needs what it would still write.
stop_everything() {
  local name pid
  for name in command namespace logs kwok scheduler controller-manager; do stop "$1" "$name"; done
  if pid=$(running "$1" apiserver); then kill -KILL "$pid" 2>/dev/null || true; fi
  stop "$1" apiserver
  stop "$1" etcd
}

# patiently SECONDS WHAT COMMAND...: repeat COMMAND until it succeeds; give up
# early when a process of the cluster has ended.
patiently() {
  local limit=$(($(date +%s) + $1)) what=$2 name
  shift 2
  until "$@" >/dev/null 2>"$DIR/log/wait.log"; do
    for name in "$DIR"/pid/*; do
      name=${name##*/}
      running "$DIR" "$name" >/dev/null && continue
      tail -n 5 "$DIR/log/$name.log" >&2 || true
      die "$name has ended, see $DIR/log/$name.log"
    done
    if [ "$(date +%s)" -ge "$limit" ]; then
      tail -n 3 "$DIR/log/wait.log" >&2
      die "gave up waiting for $what, see $DIR/log"
    fi
    sleep 0.05
  done
  say "$what"
}

# run_command COMMAND...: run it and return its exit code. At a terminal it
# stays in front (it may want to read). Otherwise it gets a process group, so
# that a signal to us can be passed on to all of it; see end_command.
COMMAND_PID=
run_command() {
  local code=0
  if [ -t 0 ]; then
    ("$@") || code=$?
    return $code
  fi
  set -m
  "$@" <&0 &
  COMMAND_PID=$!
  set +m
  [ -e "$DIR/pid/namespace" ] || record command "$COMMAND_PID"
  wait "$COMMAND_PID" || code=$?
  COMMAND_PID=
  rm -f "$DIR/pid/command"
  return $code
}

end_command() {
  [ -n "$COMMAND_PID" ] || return 0
  kill -TERM -- "-$COMMAND_PID" 2>/dev/null || return 0
  local tries=0
  while kill -0 -- "-$COMMAND_PID" 2>/dev/null && [ $tries -lt 100 ]; do
    tries=$((tries + 1))
    sleep 0.05
  done
  kill -KILL -- "-$COMMAND_PID" 2>/dev/null || true
}
