#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs whose locale has a decimal comma (TAP): numbers in traces have points all the same, and options that the tracer reads, too;
# what older tracers wrote with commas is read.
set -u
. "$(dirname "$0")/traced.sh"
. "$here/../../traces.sh"
local=$build/tests/trace/pmpi/local
[ -x "$local" ] || skip_all "no tests/trace/pmpi/local"
mkdir locales
localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8 2>/dev/null && localedef -i tr_TR -f UTF-8 locales/tr_TR.UTF-8 2>/dev/null ||
    skip_all "localedef makes no locales"
export LOCPATH=$PWD/locales
is "the locale has a comma" "$(LC_ALL=de_DE.UTF-8 printf '%.1f' "1,5")" 1,5
for locale in de_DE.UTF-8 tr_TR.UTF-8; do
    rm -rf t.trace
    LC_ALL=$locale traced 1 t.trace --buffer=0.25MiB "$local" rounds
    "$MPGTRACE" print t.trace >printed
    is "$locale: what recording costs" "$(sed -n 's/^#fact 0 \(overhead_[a-z_]*\) [0-9][0-9]*\.[0-9]$/\1/p' printed | paste -sd' ' -)" \
        "$(sed -n 's/^#fact 0 \(overhead_[a-z_]*\) .*/\1/p' printed | paste -sd' ' -)"
    ok "$locale: ... is said" grep -q '^#fact 0 overhead_sum_ns ' printed
    is "$locale: no number has a comma" "$(grep '^#fact' printed | grep -cE ' [0-9]+,[0-9]$')" 0
    is "$locale: options are read" "$(grep mpgtrace err)" ""
done

# ---- numbers in traces ----
#
# said VALUE: prints what stat and mpgsim print for a trace whose overhead of a call is VALUE.
said() {
    ring 2 40 8 | sed "s/^#clocks shared/&\\n#fact 0 overhead_call_ns $1\\n#fact 1 overhead_call_ns $1/" >said.txt
    "$MPGTRACE" stat said.txt | grep '^overhead'
    "$MPGSIM" --cache=fresh --predict --latency=const:1us --json said.txt | sed 's/said.txt//' | grep -v '"trace"'
}
is "a comma is a point" "$(said 6,5)" "$(said 6.5)"
ok "... which matters" test "$(said 6.5)" != "$(said 6)"
without=$(ring 2 40 8 >said.txt; "$MPGSIM" --cache=fresh --predict --latency=const:1us --json said.txt | grep '"median"')
for value in nan inf -nan 1e300 -3 6.5x "" x 0x1p3000; do
    is "'$value' is no number" "$(said "$value" | grep -E '^overhead|"median"')" "$without"
done
# Limits on the number of cores: two ranks on half a core compete.
for limit in 0.50 0,50; do
    ring 2 4 8 | sed "s/^#clocks shared/&\\n#host 0 a\\n#host 1 a\\n#fact 0 cores 0-3\\n#fact 1 cores 0-3\\n#fact 0 core_limit $limit/" >limit.txt
    like "a limit of $limit cores" "$("$MPGTRACE" stat limit.txt)" "*cores*2 ranks*"
    "$MPGTRACE" stat limit.txt | grep '^cores' >"limit-$limit"
done
is "... is the same" "$(cat limit-0,50)" "$(cat limit-0.50)"
done_testing
