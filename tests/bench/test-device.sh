#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# --memory=device of pingpong and bandwidth (TAP), without a GPU: refusals in one line, and measurements with a stand-in for CUDA's
# runtime library (device.c); sigmake keeps them apart from the host's.

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
build=$(cd "${top_builddir:-.}" && pwd)
PINGPONG=${PINGPONG:-$build/bench/pingpong/pingpong}
BANDWIDTH=${BANDWIDTH:-$build/bench/bandwidth/bandwidth}
SIGMAKE=${SIGMAKE:-$build/signature/sigmake}
SIGSHOW=${SIGSHOW:-$build/signature/sigshow}
SIGDIFF=${SIGDIFF:-$build/signature/sigdiff}
mpirun=${MPIRUN:-mpirun}
[ "${MPGKIT_MPI:-yes}" = yes ] || skip_all "built without MPI"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
stand_in=$build/tests/bench/.libs/libcudart.so

# measure VARIABLE=VALUE... -- PROGRAM OPTION...
measure() {
    local variables=()
    while [ "$1" != -- ]; do
        variables+=("$1")
        shift
    done
    shift
    # shellcheck disable=SC2086 # mpirun may have arguments
    $mpirun -np 2 env "${variables[@]}" "$@" >out 2>err
}
# refused NAME WORDS VARIABLE=VALUE...: no results, and one line with WORDS
refused() {
    local name=$1 words=$2
    shift 2
    ! measure "$@" -- "$PINGPONG" --memory=device -s 8 -i 20 -o none
    grep '^mpgbench pingpong: ' err | grep -v ': warning: ' >said
    is "$name: one line" "$(wc -l <said)" 1
    like "... that says so" "$(cat said)" "mpgbench pingpong: --memory=device: $words"
    ok "... and no results" test ! -e "$(ls none/*.samples 2>/dev/null)"
}
mkdir empty
# A library of that name that is none: whatever this machine has is not found.
echo none >empty/libcudart.so
for name in libcudart.so.13 libcudart.so.12 libcudart.so.11.0 libamdhip64.so libamdhip64.so.7 libamdhip64.so.6 libamdhip64.so.5; do
    cp empty/libcudart.so "empty/$name"
done
refused "no runtime library" "neither libcudart.so (CUDA) nor libamdhip64.so (HIP) can be loaded*" LD_LIBRARY_PATH="$work/empty"
with=(LD_PRELOAD="$stand_in" LD_LIBRARY_PATH="$build/tests/bench/.libs")
# A system may have HIP's library, too, of which the line then says as much.
refused "no device" "no device of CUDA: the library finds none*" "${with[@]}" MPGKIT_DEVICES=0 MPGKIT_AWARE=1
refused "no driver" "no device of CUDA: CUDA driver version is insufficient*" "${with[@]}" MPGKIT_DEVICES=-1 MPGKIT_AWARE=1
refused "an MPI library that takes no device memory" "this MPI library takes no memory of CUDA (MPIX_Query_cuda_support returns 0)*" \
    "${with[@]}" MPGKIT_DEVICES=1 MPGKIT_AWARE=0

with+=(MPGKIT_DEVICES=2 MPGKIT_AWARE=1 MPGKIT_LOG="$work/log")
ok "pingpong measures" measure "${with[@]}" -- "$PINGPONG" --memory=device -s 8,4KiB -i 40 -w 5 --no-eager -o r
is "all messages of both ranks are the device's, and the buffers are freed" "$(sort -u log)" "device 0 0"
is "the table says so" "$(grep -c '^pingpong, device memory: launch 0' out)" 1
rm log
ok "bandwidth measures" measure "${with[@]}" -- "$BANDWIDTH" --memory=device -s 4KiB -i 40 -w 5 --window=1 --no-eager -o r
is "its messages are the device's" "$(sort -u log)" "device 0 0"
is "the files are named apart" "$(cd r && echo *-launch0-*.samples | sed 's/-launch0-[a-z-]*//g')" "bandwidth-device.samples pingpong-device.samples"
is "and say so" "$(grep -h '^# memory: ' r/*.samples | sort -u)" "# memory: device (CUDA)"
rm log
ok "the host's memory" measure "${with[@]}" -- "$PINGPONG" --memory=host -s 8,4KiB -i 40 -w 5 --no-eager -o r
like "... is the host's" "$(sort -u log)" "none [1-9]* 0*"

ok "sigmake reads both" "$SIGMAKE" -o r.sig r
is "the signature keeps them apart" "$(python3 -c '
import json
s = json.load(open("r.sig"))
for key in ("network", "device"):
    print(key, *("%s %d" % (what, len(path.get(what, []))) for path in s[key] for what in ("round_trip", "bandwidth")))')" \
    "network round_trip 2 bandwidth 0
device round_trip 2 bandwidth 2"
is "sigshow shows both" "$("$SIGSHOW" r.sig | grep -c '^Path: .*, between the memories of GPUs$') $("$SIGSHOW" r.sig | grep -c '^Path: ')" "1 2"
is "... as JSON" "$("$SIGSHOW" --json r.sig | python3 -c 'import json, sys; s = json.load(sys.stdin); print(len(s["paths"]), len(s["device_paths"]))')" "1 1"
"$SIGDIFF" --all --spread 0 r.sig r.sig >out
ok "sigdiff compares both" grep -q ', memories of GPUs: ' out
sed 's/"device": \[/"device": [{"path": "moon"},/' r.sig >b.sig
"$SIGSHOW" b.sig >out 2>err
like "a class that is none" "$(cat err)" "sigshow: b.sig: device\[0\]: path is 'moon', not a path class"
done_testing
