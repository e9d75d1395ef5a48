#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgscale run on programs whose truth is known (TAP): examples/scale/abc.c, of whose three receives A grows, and
# wrapper.c, whose one send grows from one place and shrinks from another. On a machine with other work times are
# what they must be only where these programs may come before it; else only what rows there are is looked at.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. "${top_srcdir:?}/tests/tap.sh"
[ "$MPGKIT_MPI" != no ] || skip_all "built without MPI"
programs=$PWD/examples/scale
sources=$(cd "$top_srcdir" && pwd)/examples/scale
[ -x "$programs/abc" ] || skip_all "no examples/scale/abc"
# Waiting processes of Open MPI yield the core. Those of other MPIs do not, and therefore get no real-time priority.
mpi_set "$MPIRUN" yield
cd "$work" || exit 1
read -r -a mpirun <<<"$MPIRUN"
first=()
if [ "${MPI_LIBRARY:-}" = openmpi ] && chrt -r 1 true 2>/dev/null; then first=(chrt -r 1); fi

# does COUNTS FOLDER PROGRAM ARGUMENT...: runs PROGRAM once with each number of ranks in COUNTS, results in FOLDER.
does() {
    local counts=$1 folder=$2
    shift 2
    timeout 200 "${first[@]}" "$MPGSCALE" run --counts="$counts" --repetitions=1 --no-analysis -o "$folder" -- \
        "${mpirun[@]}" -np '{ranks}' "$@" 2>err && return
    sed 's/^/# /' err
    return 1
}

# line FILE TEXT: prints the number of the line with /* TEXT */.
line() {
    awk -v text="/* $2 */" 'index($0, text) { print NR }' "$sources/$1"
}

# column ROW NAME: prints column NAME in the row ROW of table.csv.
column() {
    awk -F, -v row="$1" -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i }
        $1 == row { print $c }' table.csv
}

names() { cut -d, -f1 table.csv | grep "^$1" | sort | tr '\n' ' '; }

a=Recv:abc.c:$(line abc.c A) b=Recv:abc.c:$(line abc.c B) c=Recv:abc.c:$(line abc.c C)
ok "abc: four runs" does 2,4,8,16 abc "$programs/abc" 10
"$MPGSCALE" --threshold=0 --csv abc >table.csv
is "its receives are rows, by line" "$(names Recv)" "$(printf '%s\n' "$a" "$b" "$c" | sort | tr '\n' ' ')"
if [ ${#first[@]} -gt 0 ]; then
    # A hypervisor can take the cores even from processes with real-time priority. If the run times are disturbed, the
    # runs are repeated.
    for _ in 1 2; do
        "$MPGSCALE" --csv abc >table.csv
        [ "$(column "$a" grows),$(column "$a" r_s)" = yes,1 ] && break
        sed 's/^/# disturbed: /' table.csv
        rm -rf abc && does 2,4,8,16 abc "$programs/abc" 10
    done
    "$MPGSCALE" --csv abc >table.csv
    is "A grows" "$(column "$a" grows),$(column "$a" r_s)" "yes,1"
    is "B does not, nor C" "$(column "$b" grows),$(column "$c" grows)" "no,no"
    like "B's part falls" "$(column "$b" r_s)" "-*"
else
    skip "A alone grows" "not allowed to come before other work"
fi

send=Ssend:wrapper.c:$(grep -n 'MPI_Ssend(' "$sources/wrapper.c" | cut -d: -f1)
grows="$send < wrapper.c:$(line wrapper.c grows)" shrinks="$send < wrapper.c:$(line wrapper.c shrinks)"
ok "wrapper: three runs" does 2,4,8 wrapper "$programs/wrapper"
"$MPGSCALE" --threshold=0 --csv wrapper >table.csv
is "--frames=1: its send is one row" "$(names Ssend)" "$send "
"$MPGSCALE" --threshold=0 --frames=2 --csv wrapper >table.csv
is "--frames=2: two, by their callers' lines" "$(names Ssend)" "$grows $shrinks "
if [ ${#first[@]} -gt 0 ]; then
    "$MPGSCALE" --frames=auto --csv wrapper >table.csv
    is "--frames=auto: two" "$(names Ssend)" "$grows $shrinks "
    is "... of opposite signs" "$(column "$grows" r_s),$(column "$shrinks" r_s)" "1,-1"
    is "... one of which grows, as far as three runs can tell" "$(column "$grows" grows),$(column "$shrinks" grows)" "perhaps,no"
else
    skip "--frames=auto tells them apart" "not allowed to come before other work"
fi
done_testing
