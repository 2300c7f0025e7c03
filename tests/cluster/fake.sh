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
  annotations:
    kubectl-jobset.test/kubelet-port: "$LOG_PORT"
YAML
    i=$((i + 1))
  done
}

fake_nodes_ready() {
  local ready
  ready=$(admin get nodes --output 'jsonpath={range .items[*]}{.spec.taints[*].key}{.status.conditions[?(@.type=="Ready")].status}{"\n"}{end}')
  [ "$(grep -c '^True$' <<<"$ready")" = "$1" ]
}

# The stages of pods; with RUN_FOR that time stands where a pod has no annotation.
fake_pods() {
  if [ -z "$RUN_FOR" ]; then
    cat "$HERE/fake/pods.yaml"
  else
    sed -e '/select(/!s|\(\["kubectl-jobset.test/run-for"\]\) // "0"|\1 // "'"$RUN_FOR"'"|' \
      -e 's|// \.\["kubectl-jobset.test/exit-code"\]|// "'"$RUN_FOR"'"|' \
      -e 's|{{ with get $notes (printf "kubectl-jobset.test/%s" $name) }}|{{ with (get $notes (printf "kubectl-jobset.test/%s" $name) \| default (ternary "'"$RUN_FOR"'" "" (eq $name "run-for"))) }}|' \
      "$HERE/fake/pods.yaml"
  fi
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
  podPlayStageParallelism: 16
  nodePlayStageParallelism: 4
  nodeLeaseParallelism: 4
  podsOnNodeSyncParallelism: 4
YAML
  fake_pods >"$DIR/components/pods.yaml"
  launch kwok "$BIN/kwok" --config "$DIR/components/kwok.yaml" --config "$HERE/fake/node.yaml" --config "$DIR/components/pods.yaml" \
    --kubeconfig "$DIR/components/node-keeper" --manage-all-nodes --node-lease-duration-seconds 40 \
    --node-ip "$NODE_IP" --cidr 10.244.0.0/16
  # kwok could serve logs, but never ends the stream of a follower.
  KIT_TOKEN=$(sed -n 's/,node-keeper,.*//p' "$DIR/tokens.csv") launch logs "$BIN/kit" logs "127.0.0.1:$LOG_PORT" \
    "https://127.0.0.1:$API_PORT" "$DIR/pki/server.crt" "$DIR/pki/server.key"
  fake_node_objects "$nodes" | admin create --filename - >/dev/null
  grant_rights
  await_controllers
  patiently 60 'log server ready' "$BIN/kit" await 1 "https://127.0.0.1:$LOG_PORT/healthz"
  patiently 60 "$nodes fake nodes ready" fake_nodes_ready "$nodes"
}
