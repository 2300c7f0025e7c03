# shellcheck shell=bash
# Nodes that only pretend: one program plays all kubelets, by the stages in
# fake/. Expects what control-plane.sh does.

NODE_IP=127.0.0.1

fake_node_objects() {
  local i=0
  while [ $i -lt "$1" ]; do
    cat <<YAML
---
apiVersion: v1
kind: Node
metadata:
  name: node-$i
  labels:
    kubernetes.io/os: linux
    kubernetes.io/arch: amd64
    kubernetes.io/hostname: node-$i
    sim/rack: rack-$((i % 5))
YAML
    i=$((i + 1))
  done
}

fake_nodes_ready() {
  local ready
  ready=$(admin get nodes --output 'jsonpath={range .items[*]}{.spec.taints[*].key}{.status.conditions[?(@.type=="Ready")].status}{"\n"}{end}')
  [ "$(grep -c '^True$' <<<"$ready")" = "$1" ]
}

start_fake_cluster() {
  local nodes=$1
  # Pods carry no tokens here: nothing in them would use one.
  start_control_plane 192.0.2.1 --disable-admission-plugins ServiceAccount
  cat >"$DIR/components/kwok.yaml" <<YAML
apiVersion: config.kwok.x-k8s.io/v1alpha1
kind: KwokConfiguration
metadata: {name: kwok}
options:
  enableDebuggingHandlers: true
  podPlayStageParallelism: 16
  nodePlayStageParallelism: 4
  nodeLeaseParallelism: 4
  podsOnNodeSyncParallelism: 4
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: ClusterLogs
metadata: {name: every-pod}
spec:
  logs:
  - logsFile: $HERE/fake/pod.log
    previousLogsFile: $HERE/fake/pod.log
YAML
  launch kwok "$BIN/kwok" --config "$DIR/components/kwok.yaml" --config "$HERE/fake/node.yaml" --config "$HERE/fake/pods.yaml" \
    --kubeconfig "$DIR/components/node-keeper" --manage-all-nodes --node-lease-duration-seconds 40 \
    --node-ip "$NODE_IP" --node-port "$KWOK_PORT" --server-address "127.0.0.1:$KWOK_PORT" --cidr 10.244.0.0/16
  fake_node_objects "$nodes" | admin create --filename - >/dev/null
  grant_rights
  await_controllers
  patiently 60 "$nodes fake nodes ready" fake_nodes_ready "$nodes"
}
