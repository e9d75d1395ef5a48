# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Two hosts on one machine, for MPI over TCP: network namespaces with a name and a
# clock each ("far" is a thousand seconds ahead), joined by a pair of virtual devices.
# Source it after tap.sh with $mpirun set; needs root, and Open MPI or MPICH.

# open_hosts: makes two virtual hosts, near and far, and a temporary folder $tmp, which becomes the current one. Skips
# the whole test if this is not permitted. The hosts end with the script.
open_hosts() {
    [ "$(id -u)" = 0 ] || skip_all "only root makes network namespaces"
    command -v ip >/dev/null || skip_all "no ip (iproute2)"
    [ "$(mpi_launcher "$mpirun")" != other ] || skip_all "the launcher is neither Open MPI's nor MPICH's"
    unshare --uts --time --monotonic 1 true 2>/dev/null ||
        skip_all "no namespaces for host name and time"
    a=mpgkit-$$-a b=mpgkit-$$-b
    tmp=$(mktemp -d)
    trap 'ip netns del "$a"; ip netns del "$b"; rm -rf "$tmp"' EXIT 2>/dev/null
    trap 'exit 1' HUP INT TERM
    { ip netns add "$a" && ip netns add "$b" &&
        ip link add veth0 netns "$a" type veth peer name veth0 netns "$b" &&
        ip -n "$a" addr add 192.0.2.1/24 dev veth0 && ip -n "$b" addr add 192.0.2.2/24 dev veth0 &&
        ip -n "$a" link set lo up && ip -n "$b" link set lo up &&
        ip -n "$a" link set veth0 up && ip -n "$b" link set veth0 up; } 2>/dev/null ||
        skip_all "no network namespaces here"
    cd "$tmp" || exit 1
    # UCX ignores devices that are not running yet.
    for _ in $(seq 100); do
        [ "$(cat <(ip -n "$a" link show veth0) <(ip -n "$b" link show veth0) | grep -c LOWER_UP)" = 2 ] &&
            break
        sleep 0.1
    done

    # agent [-x] HOST COMMAND...: stands in for ssh: runs COMMAND on the other host.
    cat >agent <<AGENT
#!/bin/sh
[ "\$1" != -x ] || shift
shift
exec taskset -c "\$FAR_CORES" ip netns exec $b unshare --uts --time --monotonic 1000 --fork \\
    sh -c 'hostname \${FAR:-far} && eval "\$1"' sh "\$*"
AGENT
    chmod +x agent
    use_launcher
}

# use_launcher: lets $mpirun start processes on both hosts.
use_launcher() {
    launcher=$(mpi_launcher "$mpirun")
    # shellcheck disable=SC2046 # words
    export $(mpi_between_hosts "$mpirun" "$tmp/agent" 192.0.2.0/24)
}

# on_hosts SECONDS RANKS_A_HOST COMMAND...: runs COMMAND on both hosts for at most SECONDS (MPICH: 60, and up to twice
# more if it hangs). The output goes to out and err, and is shown after errors. With one rank a host, each gets its own
# core, because both hosts believe that they have all cores.
on_hosts() {
    local seconds=$1 ranks=$2 last=$(($(nproc --all) - 1))
    shift 2
    [ "$launcher" != hydra ] || [ "$seconds" -lt 60 ] || seconds=60
    export FAR_CORES=0-$last
    [ "$ranks" -gt 1 ] || FAR_CORES=$last
    set -- -np $((2 * ranks)) "$@"
    case $launcher in
    openmpi*) set -- --bind-to none --host "near:$ranks,192.0.2.2:$ranks" "$@" ;;
    hydra) set -- -launcher ssh -launcher-exec "$tmp/agent" -iface veth0 \
        -hosts "192.0.2.1:$ranks,192.0.2.2:$ranks" "$@" ;;
    esac
    for _ in 1 2 3; do
        # shellcheck disable=SC2086 # mpirun may have arguments
        timeout "$seconds" ip netns exec "$a" unshare --uts sh -c 'hostname near; exec "$@"' sh \
            $mpirun "$@" >out 2>err && return
        # MPICH 4.0.2 (UCX 1.13) over TCP sometimes hangs in MPI_Finalize, also untraced (2 of 501 runs of ring on a
        # busy machine): a rank waits for its launcher, and the other rank for the end of its connection.
        [ "$?-$launcher" = 124-hydra ] || break
        find . -name '.mpgtrace-*' -prune -exec rm -r {} + # the killed ranks leave it behind
    done
    sed 's/^/# /' err
    return 1
}
