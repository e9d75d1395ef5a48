#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Tracing on two hosts (TAP): two network namespaces with a name and a clock each,
# joined by a pair of virtual devices. Needs root and Open MPI.

here=$(cd "$(dirname "$0")" && pwd)
. "$here/tap.sh"
build=$(cd "${top_builddir:-.}" && pwd)
MPGTRACE=${MPGTRACE:-$build/trace/mpgtrace}
MPGSIM=${MPGSIM:-$build/simulate/mpgsim}
mpirun=${MPIRUN:-mpirun}
[ "${MPGKIT_MPI:-yes}" = yes ] || skip_all "built without MPI"
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "a sanitized tracer cannot be preloaded"
[ "$(id -u)" = 0 ] || skip_all "only root makes network namespaces"
command -v ip >/dev/null || skip_all "no ip (iproute2)"
case $("${mpirun%% *}" --version 2>/dev/null) in
*"Open MPI"*) ;;
*) skip_all "the launcher is not Open MPI's" ;;
esac
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

# In place of ssh: "agent HOST COMMAND..." runs it on the other host, whose clock
# is a thousand seconds ahead.
cat >agent <<AGENT
#!/bin/sh
shift
exec ip netns exec $b unshare --uts --time --monotonic 1000 --fork \\
    sh -c 'hostname \${FAR:-far} && eval "\$1"' sh "\$*"
AGENT
chmod +x agent
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_plm_rsh_agent=$tmp/agent
export OMPI_MCA_btl=tcp,self OMPI_MCA_pml=ob1
export OMPI_MCA_btl_tcp_if_include=192.0.2.0/24 OMPI_MCA_oob_tcp_if_include=192.0.2.0/24

# traced RANKS_A_HOST TRACE COMMAND...: runs it on both hosts.
traced() {
    local ranks=$1 trace=$2
    shift 2
    timeout 20 ip netns exec "$a" unshare --uts sh -c 'hostname near; exec "$@"' sh \
        $mpirun -np $((2 * ranks)) --host "near:$ranks,192.0.2.2:$ranks" \
        "$MPGTRACE" record -o "$trace" "$@" >out 2>err && return
    sed 's/^/# /' err
    return 1
}

# identity ABSORB TRACE: no rank changes when nothing is perturbed.
identity() {
    "$MPGSIM" --absorb="$1" --per-rank "$2" >ranks &&
        awk 'NR > 1 && $3 != 0 { bad = 1 } END { exit bad || NR < 3 }' ranks
}

# wrong_offsets TRACE NEAR: clock lines over 10 ms off; ranks from NEAR on are 1000 s ahead.
wrong_offsets() {
    "$MPGTRACE" print "$1" | awk '$1 == "#clock" { d = $4 + ($2 >= near ? 1e12 : 0)
        if (d > 1e7 || d < -1e7) print }' near="$2"
}

# check NAME RANKS_A_HOST TRACE
check() {
    local n=$2 t=$3
    "$MPGTRACE" print "$t" >text
    is "$1: each rank names its host" \
        "$(awk '$1 == "#host" { printf "%s ", $3 }' text)" \
        "$(for h in near far; do for _ in $(seq "$n"); do printf '%s ' $h; done; done)"
    is "$1: all but rank 0 measure their clock twice" "$(grep -c '^#clock ' text)" \
        $((2 * (2 * n - 1)))
    is "$1: the offsets are those of the hosts" "$(wrong_offsets "$t" "$n")" ""
    like "$1: stat says that offsets were measured" "$("$MPGTRACE" stat "$t")" \
        "*clocks *offsets measured*"
    like "$1: mpgsim absorbs by the measured clocks" "$("$MPGSIM" "$t")" \
        "*clock*measured offsets*"
    for absorb in none wait clock; do
        ok "$1: nothing changes by itself, --absorb=$absorb" identity $absorb "$t"
    done
}

if ! traced 1 ring.trace "$build/examples/ring/ring" 3; then
    skip_all "no MPI program runs across the namespaces"
fi
check "ring, a rank a host" 1 ring.trace
ok "halo is traced on two ranks a host" traced 2 halo.trace "$build/examples/halo/halo" 20
check "halo" 2 halo.trace
FAR=near traced 1 same.trace "$build/examples/ring/ring" 3
like "two hosts of one name are not taken for one clock" "$("$MPGTRACE" stat same.trace)" \
    "*clocks *offsets measured*"
done_testing
