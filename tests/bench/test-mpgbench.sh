#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgbench (TAP): what it starts, in which order and with which options, with
# stand-ins for the benchmarks; then the real ones, with tiny durations.

build=${top_builddir:-.}
. "$(dirname "$0")/../tap.sh"
MPGBENCH=${MPGBENCH:-$(dirname "$0")/../../bench/mpgbench}
[ "${MPGKIT_MPI:-yes}" = yes ] || skip_all "built without MPI"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/bin"

# A stand-in notes its command line, leaves a file, and fails or waits when told to.
cat >"$tmp/stand-in" <<'EOS'
#!/bin/sh
name=${0##*/}
echo "$name $*" >>"$LOG"
case "$name $*" in *"$STOP"*) [ -z "$STOP" ] || exit 3 ;; esac
case "$name $*" in *"$HANG"*) [ -z "$HANG" ] || { echo hanging >>"$LOG"; exec sleep 100; } ;; esac
while [ $# -gt 0 ]; do
    case $1 in
    --output) mkdir -p "$2"; dir=$2 ;;
    --launch) launch=$2 ;;
    esac
    shift
done
echo "results of $name"
echo x >"$dir/$name-${launch:-core0}.samples"
EOS
for name in ftq compute pingpong bandwidth collective; do
    cp "$tmp/stand-in" "$tmp/bin/$name"
    chmod +x "$tmp/bin/$name"
done
cat >"$tmp/bin/start" <<'EOS'
#!/bin/sh
# A launcher: start -n N PROGRAM...
echo "start $1 $2" >>"$LOG"
shift 2
exec "$@"
EOS
chmod +x "$tmp/bin/start"
export LOG=$tmp/log STOP='' HANG=''

# bench OPTION...: mpgbench with the stand-ins; its words are kept
bench() {
    : >"$LOG"
    MPGKIT_BENCHDIR=$tmp/bin MPGKIT_MPIRUN=$tmp/bin/start sh "$MPGBENCH" "$@" >"$tmp/out" \
        2>"$tmp/err"
}

# fails STATUS WORDS COMMAND...: it exits so, and says so in one line of its own.
fails() {
    local status=$1 words=$2 got
    shift 2
    "$@"
    got=$?
    [ "$got" -eq "$status" ] && [ "$(grep -c -- "$words" "$tmp/err")" -eq 1 ] && return
    echo "# exit $got, expected $status and '$words':"
    sed 's/^/# /' "$tmp/err"
    return 1
}

# expected LAUNCHES RANKS DIR [OPTION]: the log of a run that is complete
expected() {
    local launch name
    echo "ftq --output $3 --max-cores $4${5:+ $5}"
    echo "compute --output $3 --max-cores $4${5:+ $5}"
    for name in pingpong bandwidth collective; do
        for ((launch = 0; launch < $1; launch++)); do
            echo "start -n $2"
            echo "$name --output $3 --launch $launch${5:+ $5}"
        done
    done
}

ok "a quick run" bench --quick -o "$tmp/quick"
is "it runs all, in this order" "$(cat "$LOG")" "$(expected 3 2 "$tmp/quick" 2 --quick)"
like "it says how long it will take" "$(head -n 1 "$tmp/err")" "mpgbench: measuring for about *"
is "it names each step before and after" "$(grep -c ' of 11: ' "$tmp/err")" 22
like "and where the samples are" "$(cat "$tmp/out")" "*all samples are in $tmp/quick, after * s*"
like "its last lines say what more there is" "$(tail -n 12 "$tmp/out")" \
    "*--full would take*ftq: 60 s instead of 4 s*5 launches instead of 3*--ranks*"
like "what the benchmarks print comes through" "$(cat "$tmp/out")" "results of ftq*"

ok "a full run" bench -o "$tmp/full"
is "it is the default" "$(cat "$LOG")" "$(expected 5 2 "$tmp/full" 8)"
is "and says nothing of what more there is" "$(grep -c -- --full "$tmp/out")" 0
ok "--full means it" bench --full -o "$tmp/full2"
is "as the default does" "$(cat "$LOG")" "$(expected 5 2 "$tmp/full2" 8)"
ok "options of its own" bench -o"$tmp/own folder" -l 2 -n4 --max-cores=0
is "reach the benchmarks" "$(cat "$LOG")" "$(expected 2 4 "$tmp/own folder" 0)"

touch "$tmp/quick/mine.samples" "$tmp/quick/notes"
ok "a folder with results" fails 1 "has results already (11 files" bench --quick -o "$tmp/quick"
is "nothing ran" "$(cat "$LOG")" ""
ok "--force" bench --quick --force -l 1 -o "$tmp/quick"
is "leaves the new results only, and what is not its own" "$(ls "$tmp/quick" | tr '\n' ' ')" \
    "bandwidth-0.samples collective-0.samples compute-core0.samples ftq-core0.samples \
mine.samples notes pingpong-0.samples "

STOP="--launch 1"
ok "a launch that fails" fails 1 "pingpong, launch 1 failed (exit 3); 3 files were complete before" \
    bench -o "$tmp/failed"
is "it ends there" "$(tail -n 1 "$LOG")" "pingpong --output $tmp/failed --launch 1"
is "and keeps what was complete" "$(ls "$tmp/failed" | tr '\n' ' ')" \
    "compute-core0.samples ftq-core0.samples pingpong-0.samples "
STOP=''

HANG=compute
bench -o "$tmp/interrupted" &
while ! grep -q hanging "$LOG"; do sleep 0.1; done
ok "interrupted" pkill -TERM -P $! -f mpgbench
wait $!
is "it fails" $? 1
like "it says what is left" "$(tail -n 1 "$tmp/err")" "mpgbench: interrupted; 1 file was complete before*"
is "which is there" "$(ls "$tmp/interrupted")" "ftq-core0.samples"
HANG=''

one_core() {
    : >"$LOG"
    env -u MPGKIT_MPIRUN PATH="$tmp/bin:$PATH" MPGKIT_BENCHDIR="$tmp/bin" taskset -c "$core" \
        sh "$MPGBENCH" "$@" >"$tmp/out" 2>"$tmp/err"
}
core=$(taskset -cp $$ 2>/dev/null | sed 's/.*: *\([0-9]*\).*/\1/')
if [ -z "$core" ]; then
    skip "one core" "no taskset"
else
    cp "$tmp/bin/start" "$tmp/bin/mpirun"
    ok "one core" one_core --quick -o "$tmp/one"
    is "no pairs" "$(grep -v '^start' "$LOG" | cut -d' ' -f1 | tr '\n' ' ')" "ftq compute "
    like "it says so" "$(cat "$tmp/err")" "*warning: one core only*are left out*"
    is "and promises none" "$(grep -c pingpong: "$tmp/out")" 0
fi

ok "a wrong option" fails 2 "wrong option '--loud'" bench --loud
ok "an argument" fails 2 "unexpected argument" bench results
ok "no launches" fails 2 "--launches: '0' is not" bench --launches 0
ok "one rank" fails 2 "--ranks: '1' is not" bench -n 1
ok "a number that looks octal" fails 2 "--launches: '08' is not" bench --launches 08
ok "a flag with an argument" fails 2 "'--quick' takes no argument" bench --quick=5
ok "no number" fails 2 "--max-cores: 'x' is not" bench --max-cores x
ok "no folder" fails 2 "empty" bench --output=
ok "an option twice" fails 2 "--launches is given twice" bench -l 2 --launches=3
ok "quick and full" fails 2 "exclude each other" bench --quick --full
ok "an option without its argument" fails 2 "needs an argument" bench -o
no_launcher() {
    MPGKIT_MPIRUN=no-such-mpirun MPGKIT_BENCHDIR=$tmp/bin sh "$MPGBENCH" -o "$tmp/n" 2>"$tmp/err"
}
ok "no launcher" fails 1 "MPGKIT_MPIRUN: no program" no_launcher
if [ -w /dev/full ]; then
    full() {
        MPGKIT_BENCHDIR=$tmp/bin MPGKIT_MPIRUN=$tmp/bin/start sh "$MPGBENCH" -q -l 1 \
            -o "$tmp/stdout" >/dev/full 2>"$tmp/err"
    }
    full
    is "standard output full" $? 1
fi

# The real ones, made short by further options.
cat >"$tmp/short" <<'EOS'
#!/bin/sh
case ${0##*/} in
ftq) set -- "$@" --duration 200ms ;;
compute) set -- "$@" --duration 8ms --working-set 64KiB ;;
pingpong) set -- "$@" --sizes 8,64KiB --iterations 300 ;;
bandwidth) set -- "$@" --sizes 1KiB,1MiB --iterations 100 ;;
collective) set -- "$@" --sizes 8 --iterations 20 ;;
esac
exec "$BUILD/bench/${0##*/}/${0##*/}" "$@"
EOS
mkdir "$tmp/real"
for name in ftq compute pingpong bandwidth collective; do
    cp "$tmp/short" "$tmp/real/$name"
    chmod +x "$tmp/real/$name"
done
BUILD=$(cd "$build" && pwd)
export BUILD
real() {
    MPGKIT_BENCHDIR=$tmp/real MPGKIT_MPIRUN=${MPIRUN:-mpirun} sh "$MPGBENCH" "$@" >"$tmp/out" \
        2>"$tmp/err"
}
ok "the real benchmarks" real --quick --launches 2 -o "$tmp/results"
is "every benchmark left results" \
    "$(cd "$tmp/results" && ls | sed 's/-.*//' | sort -u | tr '\n' ' ')" \
    "bandwidth collective compute detour ftq pingpong "
SIGMAKE=${SIGMAKE:-$build/signature/sigmake}
if [ -x "$SIGMAKE" ]; then
    ok "they make a signature" "$SIGMAKE" -o "$tmp/machine.sig" "$tmp/results"
fi
touch "$tmp/file"
ok "a folder that is a file" fails 1 "ftq failed (exit 1); nothing was complete" real -o "$tmp/file" --quick
like "its version is ftq's" "$(MPGKIT_BENCHDIR=$build sh "$MPGBENCH" --version)" \
    "mpgbench (mpgkit) *"
done_testing
