# shellcheck shell=bash
# The control plane: credentials, etcd, API server, controllers, scheduler,
# and the two namespaces with their ordinary user. Expects HERE, DIR, BIN, NODE.

NAMESPACES='jobset-e2e parity'

# program NAME: from KUBEBUILDER_ASSETS when it is there, else our own build.
program() {
  if [ -x "${KUBEBUILDER_ASSETS:-/nonexistent}/$1" ]; then
    echo "$KUBEBUILDER_ASSETS/$1"
  else
    echo "$BIN/$1"
  fi
}

admin() { "$(program kubectl)" --kubeconfig "$DIR/admin.kubeconfig" "$@"; }

# kubeconfig FILE USER TOKEN [NAMESPACE]: complete in itself, no other file needed.
kubeconfig() {
  cat >"$1" <<YAML
apiVersion: v1
kind: Config
current-context: test-cluster
clusters:
- name: test-cluster
  cluster:
    server: https://127.0.0.1:$API_PORT
    certificate-authority-data: $(base64 <"$DIR/pki/ca.crt" | tr -d '\n')
contexts:
- name: test-cluster
  context: {cluster: test-cluster, user: $2, namespace: ${4:-default}}
users:
- name: $2
  user: {token: $3}
YAML
  chmod 600 "$1"
}

# user NAME GROUP FILE [NAMESPACE]: a token, and a kubeconfig that uses it.
user() {
  local token
  token=$("$BIN/kit" token)
  printf '%s,%s,%s,"%s"\n' "$token" "$1" "$1" "$2" >>"$DIR/tokens.csv"
  kubeconfig "$DIR/$3" "$1" "$token" "${4-}"
}

# make_credentials NODE-ADDRESS
make_credentials() {
  # 10.0.0.1 is what pods would call the API server.
  "$BIN/kit" pki "$DIR/pki" 127.0.0.1 localhost "$1" 10.0.0.1 kubernetes.default.svc
  mkdir -p "$DIR/components"
  : >"$DIR/tokens.csv"
  chmod 600 "$DIR/tokens.csv"
  user admin system:masters admin.kubeconfig jobset-e2e
  user jobset-user testers user.kubeconfig jobset-e2e
  user jobset-other testers other.kubeconfig jobset-e2e
  # Each component under a name of its own, so that the audit policy can leave
  # them out.
  user controller-manager system:masters components/controller-manager
  user scheduler system:masters components/scheduler
  user node-keeper system:masters components/node-keeper
  user system:node:node1 system:nodes components/node1
}

# start_control_plane ADVERTISED-ADDRESS [API server flags]
start_control_plane() {
  local advertised=$1 etcd peer
  shift
  # shellcheck disable=SC2046
  set -- "$advertised" $("$BIN/kit" ports 6) "$@"
  etcd=http://127.0.0.1:$2 peer=http://127.0.0.1:$3
  API_PORT=$4 MANAGER_PORT=$5 SCHEDULER_PORT=$6 LOG_PORT=$7
  shift 7
  make_credentials "$advertised"

  launch etcd "$(program etcd)" --name test --data-dir "$DIR/etcd" --unsafe-no-fsync --log-level warn \
    --listen-client-urls "$etcd" --advertise-client-urls "$etcd" \
    --listen-peer-urls "$peer" --initial-advertise-peer-urls "$peer" --initial-cluster "test=$peer"

  # OwnerReferencesPermissionEnforcement is off by default but on in some
  # clusters: with it, rights that suffice here suffice there.
  launch apiserver "$(program kube-apiserver)" --etcd-servers "$etcd" \
    --bind-address 127.0.0.1 --secure-port "$API_PORT" --advertise-address "$advertised" \
    --tls-cert-file "$DIR/pki/server.crt" --tls-private-key-file "$DIR/pki/server.key" --cert-dir "$DIR/pki/made" \
    --service-cluster-ip-range 10.0.0.0/16 --service-account-issuer https://kubernetes.default.svc \
    --service-account-key-file "$DIR/pki/accounts.pub" --service-account-signing-key-file "$DIR/pki/accounts.key" \
    --token-auth-file "$DIR/tokens.csv" --authorization-mode Node,RBAC \
    --enable-admission-plugins OwnerReferencesPermissionEnforcement \
    --audit-policy-file "$HERE/audit-policy.yaml" --audit-log-path "$DIR/audit.log" \
    --kubelet-client-certificate "$DIR/pki/kubelet-client.crt" --kubelet-client-key "$DIR/pki/kubelet-client.key" \
    --kubelet-preferred-address-types InternalIP --profiling=false "$@"
  patiently 60 'API server ready' "$BIN/kit" await 1 "https://127.0.0.1:$API_PORT/readyz"

  # The default limits of 20 requests a second would make the controllers the
  # slowest part of every test.
  launch controller-manager "$BIN/kube-controller-manager" --kubeconfig "$DIR/components/controller-manager" \
    --bind-address 127.0.0.1 --secure-port "$MANAGER_PORT" --cert-dir "$DIR/pki/made" --leader-elect=false \
    --root-ca-file "$DIR/pki/ca.crt" --service-account-private-key-file "$DIR/pki/accounts.key" \
    --kube-api-qps 1000 --kube-api-burst 2000 --concurrent-job-syncs 20 --profiling=false
  launch scheduler "$BIN/kube-scheduler" --kubeconfig "$DIR/components/scheduler" \
    --bind-address 127.0.0.1 --secure-port "$SCHEDULER_PORT" --cert-dir "$DIR/pki/made" --leader-elect=false \
    --kube-api-qps 1000 --kube-api-burst 2000 --profiling=false
}

# Namespaces, and in each the Role that the project asks its users to have.
grant_rights() {
  local namespace
  for namespace in $NAMESPACES; do
    admin create namespace "$namespace" >/dev/null
    admin apply --namespace "$namespace" --filename "$HERE/../../examples/role.yaml" --filename "$HERE/role.yaml" >/dev/null
  done
  say "namespaces $NAMESPACES: jobset-user may do what examples/role.yaml says"
}

accounts_exist() {
  local namespace
  for namespace in $NAMESPACES; do admin get serviceaccount default --namespace "$namespace" || return 1; done
}

await_controllers() {
  patiently 60 'controllers and scheduler ready' \
    "$BIN/kit" await 1 "https://127.0.0.1:$MANAGER_PORT/healthz" "https://127.0.0.1:$SCHEDULER_PORT/readyz"
  patiently 60 'service accounts exist' accounts_exist
}

# The files by which people and tests reach the cluster.
write_access() {
  cat >"$DIR/env" <<SH
export KUBECONFIG='$DIR/user.kubeconfig'
export KUBECTL_JOBSET_E2E_ADMIN='$DIR/admin.kubeconfig'
export KUBECTL_JOBSET_E2E_OTHER='$DIR/other.kubeconfig'
export KUBECTL_JOBSET_E2E_DIR='$DIR'
export KUBECTL_JOBSET_E2E_NODE='$NODE'
export KUBECTL_JOBSET_E2E_KUBECTL='$(program kubectl)'
# Last on PATH: a kubectl of your own goes first.
case ":\$PATH:" in *':$BIN:'*) ;; *) export PATH="\$PATH:$BIN" ;; esac
SH
}
