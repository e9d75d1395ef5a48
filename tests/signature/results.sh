# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Made-up results for the tests of sigmake: source it; it leaves the script in an
# empty folder of its own. Programs from $SIGMAKE and $SIGSHOW.
sigmake=${SIGMAKE:-sigmake}
sigshow=${SIGSHOW:-sigshow}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
for program in "$sigmake" "$sigshow"; do
    command -v "$program" >/dev/null || { echo "Bail out! no $program"; exit 1; }
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# header BENCHMARK COLUMNS [LINE...]: prints the header of a results file.
header() {
    echo "#mpgresults 2"
    echo "# benchmark: $1"
    printf '# %s\n' "host: ${host-vm}" "cpu: ${cpu-A CPU: fast}" "kernel: ${kernel-6.1}" \
        "clock: tsc" "date: ${date-2026-11-20T10:00:00Z}" "mpgkit: 0.1.0"
    columns=$2
    shift 2
    printf '# %s\n' "$@" "columns: $columns"
}

# body: prints the sample lines on standard input, and the end line with their number.
body() {
    awk '{print} END {print "# end " NR}'
}

# packed SIGNATURE: prints the packed detours of its first core.
packed() {
    sed -n 's/^ *"packed": "\([^"]*\)".*/\1/p' "$1" | head -n 1
}

# unpack: decodes the packed numbers on standard input, one a line: Base64, zstd, and seven bits in each byte, the
# lowest first (mpgsig(5)).
unpack() {
    base64 -d | zstd -dcq | od -An -v -tu1 -w1 | awk '
        BEGIN {place = 1}
        {number += $1 % 128 * place; place *= 128}
        $1 < 128 {printf "%.0f\n", number; number = 0; place = 1}'
}

# others: prints the messages in "err" that are not about the quality of the measurement.
others() {
    grep -v 'sigmake: .* checks failed: ' err
}

quietly() {
    "$@" >quiet 2>&1
}

ftq() { # CORE
    header ftq "start_ns work_units lost_ns" "core: $1" "quantum_ns: 1000" "unit_ns: 10"
    printf '%s\n' "0 100 0" "1000 98 20" "2000 99 10.5" "3000 100 0" | body
}

detour() { # CORE
    header detour "start_ns duration_ns" "core: $1" "threshold_ns: 100" "span_ns: 10000"
    printf '%s\n' "500 150.5" "2000 400" "7000.5 250" | body
}

pingpong() { # LAUNCH EAGER
    header pingpong "size_bytes rtt_ns" "launch: $1" "ranks: 2" "path: ${path-node}" \
        ${2:+"eager_limit_bytes: $2"}
    printf '%s\n' "64 1400" "8 1210.5" "64 1300" "8 1000" | body
}

bandwidth() { # LAUNCH
    header bandwidth "size_bytes time_ns ack_ns" "launch: $1" "ranks: 2" "path: ${path-node}"
    printf '%s\n' "65536 9000.5 1000" "65536 8000 1001" "8 300 1000" | body
}

overhead() { # LAUNCH
    header overhead "pair size_bytes send_ns receive_ns wait_ns" "launch: $1" "ranks: 2" \
        "path: ${path-node}" "pair 0: ranks 0 and 1; hosts vm and vm; cores 0 and 1"
    printf '%s\n' "0 64 31.5 210 205" "0 8 30 200.5 195" "0 64 32.5 230 221" | body
}

# fresh: makes "r", a folder of valid results.
fresh() {
    rm -rf r
    mkdir r
    ftq 0 >r/ftq-core0.samples
    detour 0 >r/detour-core0.samples
    detour 10 >r/detour-core10.samples
    detour 2 >r/detour-core2.samples
    pingpong 0 4096 >r/pingpong-launch0.samples
    pingpong 1 8192 >r/pingpong-launch1.samples
    pingpong 2 4096 >r/pingpong-launch2.samples
    bandwidth 0 >r/bandwidth-launch0.samples
    overhead 0 >r/overhead-launch0.samples
}

# fails NAME PATTERN: checks that sigmake refuses r with one line that matches PATTERN, and writes no signature.
fails() {
    rm -f never.sig
    "$sigmake" r >out 2>err
    is "$1: exit status" $? 1
    is "$1: nothing on standard output" "$(wc -c <out)" 0
    is "$1: one line" "$(wc -l <err)" 1
    like "$1: says why" "$(cat err)" "sigmake: $2"
    "$sigmake" -o never.sig r 2>/dev/null
    ok "$1: no file" test -z "$(ls | grep never)"
}
# edits NAME FILE SED PATTERN: the same for a fresh folder with FILE edited by the script SED.
edits() {
    fresh
    sed -i "$3" "r/$2"
    fails "$1" "r/$2: $4"
}
