# shellcheck shell=bash
# One real node. The whole cluster, and the command under test with it, lives
# in network, mount and process namespaces of its own: no packet can leave, no
# mount stays behind, and the end of one process ends everything. This file is
# the outside: can it run here, what does it need, and cleaning up what
# namespaces do not hold. real/inside is the rest.

skip() { say "no real node here: $*"; exit 77; }

NAMESPACE_FLAGS='--net --mount --propagation private --pid --fork --kill-child --mount-proc'

# control_group DIR: the cluster's own folder in each cgroup hierarchy, so that
# two kubelets on one machine do not take each other's pods for strays.
control_group() { echo "kubectl-jobset-$(cksum <<<"$1" | cut -d ' ' -f 1)"; }

control_group_roots() {
  if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
    echo /sys/fs/cgroup
  else
    local root
    for root in /sys/fs/cgroup/*/; do [ ! -e "$root/cgroup.procs" ] || echo "${root%/}"; done
  fi
}

plugin_folder() {
  local folder
  for folder in /usr/lib/cni /opt/cni/bin; do
    if [ -x "$folder/bridge" ] && [ -x "$folder/host-local" ]; then echo "$folder" && return; fi
  done
  return 1
}

static_busybox() { command -v busybox >/dev/null && ! ldd "$(command -v busybox)" >/dev/null 2>&1; }

missing_packages() {
  command -v containerd >/dev/null && command -v ctr >/dev/null || echo containerd
  command -v runc >/dev/null || echo runc
  command -v ip >/dev/null || echo iproute2
  plugin_folder >/dev/null || echo containernetworking-plugins
  static_busybox || echo busybox-static
}

real_node_possible() {
  local missing
  [ "$(uname -s)" = Linux ] || skip 'it needs Linux'
  [ "$(id -u)" = 0 ] || skip 'it needs root'
  command -v unshare >/dev/null || skip 'there is no unshare'
  missing=$(missing_packages | tr '\n' ' ')
  if [ -n "$missing" ]; then
    command -v apt-get >/dev/null || skip "please install $missing"
    say "installing $missing"
    # shellcheck disable=SC2086
    {
      apt-get install -y --no-install-recommends $missing ||
        { apt-get update && apt-get install -y --no-install-recommends $missing; }
    } >/dev/null 2>&1 || skip "cannot install $missing"
  fi
  # shellcheck disable=SC2086
  unshare $NAMESPACE_FLAGS sh -ec '
    mount -t tmpfs probe /mnt
    mkdir /mnt/up /mnt/work
    mount -t overlay probe -o lowerdir=/var/lib,upperdir=/mnt/up,workdir=/mnt/work /var/lib
    ip link add probe type bridge' 2>/dev/null || skip 'namespaces, mounts or bridges are not allowed'
  mkdir "$(control_group_roots | head -n 1)/kubectl-jobset-probe" 2>/dev/null || skip 'control groups are not writable'
  rmdir "$(control_group_roots | head -n 1)/kubectl-jobset-probe"
}

# test.local/busybox:1 and test.local/pause:1, so that no registry is needed.
# The domain matters: a short name would be taken for one of a public registry.
make_images() {
  local root=$DIR/image/root name
  mkdir -p "$root"/{bin,etc,tmp,root,proc,sys,dev}
  chmod 1777 "$root/tmp"
  cp "$(command -v busybox)" "$root/bin/busybox"
  for name in $("$root/bin/busybox" --list); do
    [ "$name" = busybox ] || ln -s busybox "$root/bin/$name"
  done
  printf '%s\n' 'root:x:0:0:root:/root:/bin/sh' 'nobody:x:65534:65534:nobody:/:/bin/false' >"$root/etc/passwd"
  printf '%s\n' 'root:x:0:' 'nogroup:x:65534:' >"$root/etc/group"
  "$BIN/kit" image "$DIR/image/busybox.tar" test.local/busybox:1 "$root"
  # Under the name that the examples use, so that they run as they are.
  "$BIN/kit" image "$DIR/image/examples.tar" docker.io/library/busybox:1.37 "$root"

  mkdir "$DIR/image/pause"
  cp "$BIN/pause" "$DIR/image/pause/pause"
  "$BIN/kit" image "$DIR/image/pause.tar" test.local/pause:1 "$DIR/image/pause" /pause
  rm -rf "$root" "$DIR/image/pause"
}

# become_inside [COMMAND...]: this process turns into the one that holds the
# namespaces. It signs the book first: the number stays the same.
become_inside() {
  record namespace "$BASHPID"
  # shellcheck disable=SC2086
  exec unshare $NAMESPACE_FLAGS "$HERE/real/inside" "$DIR" "$BIN" "$@"
}

run_real_cluster() {
  local name root
  case $DIR/ in /run/* | /var/lib/* | /var/log/*) die "the node has a $DIR of its own: choose another --dir" ;; esac
  name=$(control_group "$DIR")
  for root in $(control_group_roots); do mkdir -p "$root/$name"; done
  make_images
  if [ $# -gt 0 ]; then
    run_command become_inside "$@"
    exit
  fi
  launch namespace become_inside
  patiently 120 'real node ready' test -e "$DIR/ready"
  cat >"$DIR/enter" <<SH
#!/bin/sh
# Runs a command inside the cluster's namespaces, with its environment.
read -r pid _ <'$DIR/pid/namespace'
read -r init _ <"/proc/\$pid/task/\$pid/children"
exec nsenter --target "\$init" --net --mount --pid --wd="\$PWD" \\
  sh -c '. "$DIR/env"; exec "\$@"' sh "\$@"
SH
  chmod +x "$DIR/enter"
}

# restore_machine DIR: take away what a node leaves outside its namespaces.
restore_machine() {
  local name root tries=0 left=1
  [ -d /sys/fs/cgroup ] || return 0
  name=$(control_group "$1")
  while [ -n "$left" ]; do
    left=
    for root in $(control_group_roots); do
      [ -d "$root/$name" ] || continue
      find "$root/$name" -depth -type d -exec rmdir {} + 2>/dev/null || true
      [ ! -d "$root/$name" ] || left="$root/$name"
    done
    tries=$((tries + 1))
    [ -z "$left" ] || [ $tries -lt 100 ] || die "cannot remove $left"
    [ -z "$left" ] || sleep 0.1
  done
}
