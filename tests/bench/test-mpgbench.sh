#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgbench (TAP): what it starts, in which order and with which options, with
# stand-ins for the benchmarks; then the real ones, with tiny durations.

build=${top_builddir:-.}
. "$(dirname "$0")/../tap.sh"
MPGBENCH=${MPGBENCH:-$build/bench/mpgbench}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
. "$(dirname "$0")/measured.sh"
mkdir "$tmp/bin" "$tmp/with" "$tmp/without"
built=$MPGBENCH
# Makes mpgbench as of a build with MPI, and as of one without.
for kind in with without; do
    sed -e "s/with_mpi='[a-z]*'/with_mpi='$([ $kind = with ] && echo yes || echo no)'/" \
        -e "s/^default_mpi=.*/default_mpi=openmpi other_mpi=''/" "$built" >"$tmp/$kind/mpgbench"
    chmod +x "$tmp/$kind/mpgbench"
done
MPGBENCH=$tmp/with/mpgbench

# A stand-in for each benchmark: logs its command line, creates a file, and fails or waits on request.
cat >"$tmp/stand-in" <<'EOS'
#!/bin/sh
name=${0##*/}
echo "$name $*" >>"$LOG"
echo "$MPGKIT_MACHINE_BEFORE" >"$LOG.before"
echo "$0" >"$LOG.path"
echo $$ >"$LOG.pid"
case "$name $*" in *"$STOP"*) [ -z "$STOP" ] || exit 3 ;; esac
case "$name $*" in *"$HANG"*) [ -z "$HANG" ] || { echo hanging >>"$LOG"; exec /bin/sleep 100; } ;; esac
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
for name in ftq compute pingpong bandwidth overhead overlap onesided collective sharing; do
    cp "$tmp/stand-in" "$tmp/bin/$name"
    chmod +x "$tmp/bin/$name"
done
cat >"$tmp/bin/start" <<'EOS'
#!/bin/sh
# A stand-in for a launcher: start -n N PROGRAM...
[ "$1" != --version ] || { echo "$LAUNCHER"; exit; }
echo "start $1 $2" >>"$LOG"
shift 2
exec "$@"
EOS
chmod +x "$tmp/bin/start"
export LOG=$tmp/log STOP='' HANG='' LAUNCHER=''

# A stand-in for sleep that returns at once: the stand-ins measure nothing, so mpgbench need not watch the machine for a
# second first.
mkdir "$tmp/hurry"
printf '#!/bin/sh\n' >"$tmp/hurry/sleep"
chmod +x "$tmp/hurry/sleep"
PATH=$tmp/hurry:$PATH

# bench OPTION...: runs mpgbench with the stand-ins; its output goes to $tmp/out and $tmp/err.
bench() {
    : >"$LOG"
    MPGKIT_BENCHDIR=$tmp/bin MPGKIT_MPIRUN=$tmp/bin/start sh "$MPGBENCH" "$@" >"$tmp/out" \
        2>"$tmp/err"
}

# fails STATUS WORDS COMMAND...: succeeds if COMMAND exits with STATUS and prints one line with WORDS.
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

cores=$(nproc)
# expected LAUNCHES RANKS DIR CORES [OPTION]: prints the log of a complete run. $noise, $rates and $messages: further
# options of these benchmarks.
expected() {
    local launch name
    echo "ftq --output $3 --max-cores $4${5:+ $5}${noise:+ $noise}"
    [ "$cores" -eq 1 ] || echo "ftq --together --mode detour --output $3 --max-cores $4${5:+ $5}${noise:+ $noise}"
    local rate=0
    compute $rate "${@:3}"
    for name in pingpong bandwidth overhead overlap onesided collective sharing; do
        [ $name != sharing ] || [ "$2" -ge 4 ] || continue
        for ((launch = 0; launch < $1; launch++)); do
            echo "start -n $2"
            echo "$name --output $3 --launch $launch${5:+ $5}${messages:+ $messages}"
        done
        case $name in
        overhead | overlap) ;;
        collective) [ "$2" -ge 4 ] || compute $((++rate)) "${@:3}" ;;
        *) compute $((++rate)) "${@:3}" ;;
        esac
    done
}
# compute LAUNCH DIR CORES [OPTION]: prints the log of a launch of the benchmark compute.
compute() {
    echo "compute --output $2 --launch $1 --max-cores $3${4:+ $4} $rates"
}
noise='' rates=--duration=120ms messages=''

ok "a quick run" bench --quick -o "$tmp/quick"
is "it runs all, in this order" "$(cat "$LOG")" "$(expected 3 2 "$tmp/quick" 2 --quick)"
is "it says how long it will take, and no more before the end" "$(sed 's/[0-9][0-9]* s/N s/' "$tmp/err")" \
    "mpgbench: measuring for about N s"
like "how long it took, what is more precise, and where the samples are" "$(head -n 1 "$tmp/out")" \
    "Measured      in * s; mpgbench takes [0-9]* min and is more precise; samples and all tables (tables.txt) are in $tmp/quick"
name=$(uname -n)
signature=${name%%.*}.sig
# next PREFIX: prints the expected last line of a run into folder quick, with PREFIX before the programs' names.
next() {
    echo "Next          $1sigmake $tmp/quick > $signature; $tmp/bin/start -n 2 $1mpgtrace record -o app.trace ./app;" \
        "$1mpgsim --signature $signature app.trace"
}
is "its last line says what comes next" "$(tail -n 1 "$tmp/out")" "$(next "")"
is "what the benchmarks print is in a file, after their commands" \
    "$(grep -c "^results of" "$tmp/quick/tables.txt") $(grep -c -- "--output $tmp/quick" "$tmp/quick/tables.txt")" \
    "$((cores == 1 ? 24 : 25)) $((cores == 1 ? 24 : 25))"
ok "--verbose" bench --verbose --quick --replace -o "$tmp/quick"
is "it names each step before and after" "$(grep -c ' of 2[45]: ' "$tmp/err")" $((cores == 1 ? 48 : 50))
is "... and prints what the benchmarks print" "$(grep -c "^results of" "$tmp/out")" $((cores == 1 ? 24 : 25))

ok "a run of some minutes" bench -o "$tmp/default"
is "it is the default" "$(cat "$LOG")" "$(noise=--duration=15s rates=--duration=500ms messages=--max-time=12s expected 5 2 "$tmp/default" 8)"
like "... and names both others" "$(cat "$tmp/out")" "*; --full takes up to * min, --quick one;*"
ok "a full run" bench --full -o "$tmp/full"
is "measures with all precision" "$(cat "$LOG")" "$(rates=--duration=1s expected 5 2 "$tmp/full" 8)"
is "and names no other" "$(grep -c -- --quick "$tmp/out")" 0
ok "options of its own" bench --full -o"$tmp/own folder" -l 2 -n4 --max-cores=0
is "reach the benchmarks" "$(cat "$LOG")" "$(rates=--duration=1s expected 2 4 "$tmp/own folder" 0)"
is "with four ranks nothing is missing" "$(grep -c '^Missing' "$tmp/out")" 0
ok "with three ranks" bench --quick -l 1 -n 3 -o "$tmp/three"
is "there are no two pairs, and the last lines say so" "$(grep -c '^sharing' "$LOG") $(grep '^Missing' "$tmp/out")" \
    "0 Missing       sharing: two pairs of ranks need --ranks=4 or more"
cat >"$tmp/bin/alone" <<'EOS'
#!/bin/sh
echo "mpgbench sharing: nothing is shared by 4 ranks: two pairs need two ranks on each of two nodes" >&2
exit 1
EOS
chmod +x "$tmp/bin/alone"
mv "$tmp/bin/sharing" "$tmp/bin/shares" && cp "$tmp/bin/alone" "$tmp/bin/sharing"
ok "ranks that share nothing are no failure" bench --quick -l 2 -n 4 -o "$tmp/alone"
is "the last lines say so" "$(grep '^Missing' "$tmp/out")" \
    "Missing       sharing: nothing is shared by 4 ranks: two pairs need two ranks on each of two nodes"
sed -i 's/nothing is shared/out of memory/' "$tmp/bin/sharing"
ok "another failure is one" fails 1 "sharing, launch 0 failed (exit 1)" bench --quick -l 2 -n 4 -o "$tmp/fails"
mv "$tmp/bin/shares" "$tmp/bin/sharing"
cat >"$tmp/bin/windowless" <<'EOS'
#!/bin/sh
echo "mpgbench onesided: no one-sided communication between these ranks: MPI_Win_allocate: MPI_ERR_WIN: invalid window" >&2
exit 1
EOS
chmod +x "$tmp/bin/windowless"
mv "$tmp/bin/onesided" "$tmp/bin/windows" && cp "$tmp/bin/windowless" "$tmp/bin/onesided"
ok "an MPI library without windows is no failure" bench --quick -l 2 -n 4 -o "$tmp/windowless"
is "the last lines say so" "$(grep '^Missing' "$tmp/out")" \
    "Missing       onesided: no one-sided communication between these ranks: MPI_Win_allocate: MPI_ERR_WIN: invalid window"
mv "$tmp/bin/windows" "$tmp/bin/onesided"

touch "$tmp/quick/mine.samples" "$tmp/quick/notes"
ok "a folder with results" fails 1 "has results already (24 files" bench --quick -o "$tmp/quick"
is "nothing ran" "$(cat "$LOG")" ""
ok "--replace" bench --quick --replace -l 1 -o "$tmp/quick"
is "leaves the new results only, and what is not its own" "$(ls "$tmp/quick" | tr '\n' ' ')" \
    "bandwidth-0.samples collective-0.samples compute-0.samples compute-1.samples compute-2.samples compute-3.samples compute-4.samples ftq-core0.samples \
mine.samples notes onesided-0.samples overhead-0.samples overlap-0.samples pingpong-0.samples tables.txt "

# ---- a machine in use ----

# busy OPTION...: runs mpgbench with the stand-ins, on a core that a busy process called "spinner" shares.
busy() {
    taskset -c "$core" "$tmp/spinner" -c 'while :; do :; done' &
    local pid=$! status
    PATH=${PATH#"$tmp/hurry:"} MPGKIT_BENCHDIR=$tmp/bin MPGKIT_MPIRUN=$tmp/bin/start taskset -c "$core" \
        sh "$MPGBENCH" "$@" >"$tmp/out" 2>"$tmp/err"
    status=$?
    kill $pid
    wait $pid 2>/dev/null
    return $status
}
core=$(taskset -cp $$ 2>/dev/null | sed 's/.*: *\([0-9]*\).*/\1/')
if [ -z "$core" ] || ! [ -r /proc/stat ]; then
    skip "a machine in use" "no taskset or no /proc"
else
    ln -s "$(command -v bash)" "$tmp/spinner"
    : >"$LOG"
    ok "a machine in use" fails 1 "this machine is in use: others use [0-9.]* of 1 core (.*spinner [0-9]* % of one" \
        busy --quick -n 2 -o "$tmp/busy"
    is "nothing runs, and it is one line" "$(cat "$LOG") $(wc -l <"$tmp/err")" " 1"
    ok "--force" busy --quick --force -n 2 -o "$tmp/busy"
    like "warns" "$(cat "$tmp/err")" "*mpgbench: warning: measuring with --force although others use *spinner*"
    like "and the benchmarks are told" "$(cat "$LOG.before")" "busy: others use *spinner *"
fi
bench --quick -l 1 -o "$tmp/told"
is "of a machine that was not looked at they are told that" "$(cat "$LOG.before")" "unknown: /proc/stat hardly counted"

STOP="--launch 1"
ok "a launch that fails" fails 1 "pingpong, launch 1 failed (exit 3); 3 files were complete before" \
    bench -o "$tmp/failed"
like "it says how to see it again" "$(cat "$tmp/err")" \
    "*mpgbench: to repeat the failing step: $tmp/bin/start -n 2 $tmp/bin/pingpong --output $tmp/failed --launch 1 --max-time=12s"
is "it ends there" "$(tail -n 1 "$LOG")" "pingpong --output $tmp/failed --launch 1 --max-time=12s"
is "and keeps what was complete" "$(ls "$tmp/failed" | tr '\n' ' ')" \
    "compute-0.samples ftq-core0.samples pingpong-0.samples tables.txt "
STOP=''

HANG=compute
: >"$LOG"
MPGKIT_BENCHDIR=$tmp/bin MPGKIT_MPIRUN=$tmp/bin/start "$MPGBENCH" -o "$tmp/interrupted" \
    >"$tmp/out" 2>"$tmp/err" &
until grep -q hanging "$LOG"; do /bin/sleep 0.1; done
ok "interrupted" kill -TERM $!
wait $!
is "it fails" $? 1
like "it says what is left" "$(tail -n 1 "$tmp/err")" "mpgbench: interrupted; 1 file was complete before*"
is "which is there" "$(ls "$tmp/interrupted" | tr '\n' ' ')" "ftq-core0.samples tables.txt "
HANG=''

one_core() {
    : >"$LOG"
    env -u MPGKIT_MPIRUN PATH="$tmp/bin:$PATH" MPGKIT_BENCHDIR="$tmp/bin" taskset -c "$core" \
        sh "$MPGBENCH" "$@" >"$tmp/out" 2>"$tmp/err"
}
if [ -z "$core" ]; then
    skip "one core" "no taskset"
else
    cp "$tmp/bin/start" "$tmp/bin/mpirun"
    ok "one core" one_core --quick -o "$tmp/one"
    is "no pairs" "$(grep -v '^start' "$LOG" | cut -d' ' -f1 | tr '\n' ' ')" "ftq compute compute compute compute compute "
    like "it says so" "$(cat "$tmp/err")" "*warning: two ranks would share the only core*are skipped*"
    like "and again at the end" "$(cat "$tmp/out")" "*Missing       the network: two ranks would have shared one core*"
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

# ---- single benchmarks ----

ok "the name of a benchmark first" bench pingpong --sizes "8,64 KiB" --output "$tmp/one by itself"
is "is that benchmark, with its options" "$(cat "$LOG")" \
    "pingpong --sizes 8,64 KiB --output $tmp/one by itself"
# shellcheck disable=SC2016 # for the inner shell
pid=$(MPGKIT_BENCHDIR=$tmp/bin sh -c 'echo $$; exec "$@" >/dev/null' sh "$MPGBENCH" ftq --output "$tmp/pid")
is "as the same process" "$pid" "$(cat "$LOG.pid")"
ok "later it is an error" fails 2 "'ftq' must come first: mpgbench ftq" bench --quick ftq
ok "so is one that there is not" fails 2 "unexpected argument 'frq': not a benchmark (ftq compute" bench frq
ok "help for one" bench help collective
is "is its --help" "$(cat "$LOG")" "collective --help"
ok "help" bench help
is "is its own" "$(head -n 1 "$tmp/out")" "Usage: mpgbench [OPTION]..."
ok "help for none" fails 2 "unknown benchmark 'frq'" bench help frq

# ---- the MPI for which the signature is ----

LAUNCHER="HYDRA build"
ok "the launcher of an MPI that it was not built for" fails 1 \
    "^mpgbench: $tmp/bin/start starts programs of MPICH, and this mpgkit was built for Open MPI: " \
    bench -o "$tmp/mpich"
sed -i "s/^default_mpi=.*/default_mpi=openmpi other_mpi=mpich/" "$MPGBENCH"
for program in pingpong bandwidth overhead overlap onesided collective sharing; do
    cp "$tmp/bin/$program" "$tmp/bin/$program-other"
done
noise="ftq ftq "
[ "$cores" -gt 1 ] || noise="ftq "
ok "of one that it was built for, too" bench -l 1 -o "$tmp/mpich"
is "it starts those of that MPI" "$(grep -v '^start' "$LOG" | cut -d' ' -f1 | tr '\n' ' ')" \
    "${noise}compute pingpong-other compute bandwidth-other compute overhead-other overlap-other onesided-other compute collective-other compute "
LAUNCHER="mpirun (Open MPI) 4.1.4"
ok "Open MPI's launcher" bench -l 1 -o "$tmp/openmpi"
is "starts the others" "$(grep -v '^start' "$LOG" | cut -d' ' -f1 | tr '\n' ' ')" \
    "${noise}compute pingpong compute bandwidth compute overhead overlap onesided compute collective compute "
LAUNCHER=''
PMI_SIZE=2 MPI_LOCALNRANKS=2 bench pingpong --output "$tmp/by mpich"
is "a rank of MPICH's launcher is MPICH's" "$(cat "$LOG")" "pingpong-other --output $tmp/by mpich"
PMI_PORT=host:1 MPI_LOCALNRANKS=2 bench pingpong --output "$tmp/by mpich"
is "... also with mpirun -pmi-port" "$(cat "$LOG")" "pingpong-other --output $tmp/by mpich"
PMI_SIZE=2 MPI_LOCALNRANKS=2 OMPI_COMM_WORLD_SIZE=2 bench pingpong --output "$tmp/by mpich"
is "... unless Open MPI's says otherwise" "$(cat "$LOG")" "pingpong --output $tmp/by mpich"
SLURM_STEP_NUM_TASKS=2 PMI_SIZE=2 bench pingpong --output "$tmp/by srun"
is "a task of srun --mpi=pmi2 is MPICH's" "$(cat "$LOG")" "pingpong-other --output $tmp/by srun"
SLURM_STEP_NUM_TASKS=2 PMIX_RANK=0 bench pingpong --output "$tmp/by srun"
is "a task of srun --mpi=pmix is Open MPI's" "$(cat "$LOG")" "pingpong --output $tmp/by srun"
printf '#!/bin/sh\nshift 3\nexec "$@"\n' >"$tmp/bin/srun" # srun --mpi=TYPE -n N PROGRAM...
chmod +x "$tmp/bin/srun"
for protocol in pmi2:pingpong-other pmix:pingpong pmix_v4:pingpong none:pingpong; do
    : >"$LOG"
    MPGKIT_BENCHDIR=$tmp/bin MPGKIT_MPIRUN="$tmp/bin/srun --mpi=${protocol%:*}" sh "$MPGBENCH" -q -l 1 -o "$tmp/srun" --replace \
        >"$tmp/out" 2>"$tmp/err"
    is "MPGKIT_MPIRUN='srun --mpi=${protocol%:*}'" "$? $(grep -oE '^pingpong[a-z-]*' "$LOG")" "0 ${protocol#*:}"
done

# ---- folders with the benchmarks ----

# installed PREFIX: installs stand-ins like make install.
installed() {
    mkdir -p "$1/bin" "$1/libexec/mpgkit"
    cp "$tmp"/bin/[bcfops]* "$1/libexec/mpgkit/"
    sed -e "s|^prefix=.*|prefix='$1' bindir='$1/bin' programs='$1/libexec/mpgkit'|" \
        "$tmp/with/mpgbench" >"$1/bin/mpgbench"
    chmod +x "$1/bin/mpgbench"
}
# finds DESCRIPTION MPGBENCH FOLDER: succeeds if MPGBENCH starts the ftq in FOLDER.
finds() {
    "$2" ftq --output "$tmp/found" >"$tmp/out" 2>"$tmp/err"
    is "$1" "$(cat "$LOG.path")" "$3/ftq"
    rm -f "$LOG.path"
}
installed "$tmp/a prefix"
finds "installed, it finds them" "$tmp/a prefix/bin/mpgbench" "$tmp/a prefix/libexec/mpgkit"
mv "$tmp/a prefix" "$tmp/moved"
moved=$tmp/moved/libexec/mpgkit
finds "... moved as a whole" "$tmp/moved/bin/mpgbench" "$moved"
ln -s "$tmp/moved/bin/mpgbench" "$tmp/link"
finds "... called by a link" "$tmp/link" "$moved"
path=$PATH
PATH=$tmp/moved/bin:$path
finds "... on PATH" mpgbench "$moved"
PATH=$path
for program in sigmake sigshow mpgtrace mpgsim; do
    printf '#!/bin/sh\necho "%s $*"\n' $program >"$tmp/moved/bin/$program"
    chmod +x "$tmp/moved/bin/$program"
done
export MPGKIT_MPIRUN=$tmp/bin/start
"$tmp/moved/bin/mpgbench" -q -o "$tmp/quick" --replace >"$tmp/out" 2>"$tmp/err"
is "the summary is of the signature that the results make" "$(sed -n 2p "$tmp/out" | cut -d' ' -f1,2)" "sigshow --summary"
is "what comes next is called by its path" "$(tail -n 1 "$tmp/out")" "$(next "$tmp/moved/bin/")"
PATH=$tmp/moved/bin:$path
mpgbench -q -o "$tmp/quick" --replace >"$tmp/out" 2>"$tmp/err"
is "... on PATH by its name" "$(tail -n 1 "$tmp/out")" "$(next "")"
PATH=$path
unset MPGKIT_MPIRUN
rm "$moved/ftq"
lost() {
    PATH=$tmp/bin:$PATH "$tmp/moved/bin/mpgbench" ftq 2>"$tmp/err"
}
ok "another ftq on PATH is not ours" fails 1 "cannot find ftq" lost

# ---- without MPI ----

MPGBENCH=$tmp/without/mpgbench
ok "without MPI" bench -q -o "$tmp/without/results"
is "it runs what needs none" "$(cut -d' ' -f1 "$LOG" | tr '\n' ' ')" "${noise}compute compute compute compute compute "
like "... and says so" "$(cat "$tmp/err")" \
    "mpgbench: this mpgkit was built without MPI: pingpong, bandwidth, overhead, overlap, onesided, collective and sharing are skipped*"
like "... to the end" "$(tail -n 2 "$tmp/out" | head -n 1)" "Missing       the network: this mpgkit was built without MPI"
ok "each by itself, too" bench ftq --output "$tmp/without/ftq"
MPGBENCH=$built
if [ "${MPGKIT_MPI:-yes}" = no ]; then
    none() { "$built" pingpong 2>"$tmp/err"; }
    ok "one that is not there" fails 1 "pingpong needs MPI" none
    done_testing
    exit
fi

# ---- the real benchmarks, made short by options ----
cat >"$tmp/short" <<'EOS'
#!/bin/sh
case ${0##*/} in
ftq) set -- "$@" --duration 120ms ;;
compute)
    for option; do
        shift
        [ "$option" = --duration=120ms ] || set -- "$@" "$option"
    done
    set -- "$@" --duration 8ms --working-set 64KiB
    ;;
pingpong) set -- "$@" --sizes 8,64KiB --iterations 300 ;;
bandwidth) set -- "$@" --sizes 1KiB,1MiB --iterations 100 ;;
overhead) set -- "$@" --sizes 8,64KiB --iterations 100 ;;
overlap) set -- "$@" --sizes 8KiB --iterations 40 ;;
onesided) set -- "$@" --sizes 8 --iterations 100 ;;
collective) set -- "$@" --sizes 8 --iterations 20 --max-time 60s ;;
sharing) set -- "$@" --sizes 8 --iterations 4 ;;
esac
exec 2>>"$SAID" # a launcher that ends may lose the message
exec "$BUILD/bench/${0##*/}/${0##*/}" "$@"
EOS
mkdir "$tmp/real"
for name in ftq compute pingpong bandwidth overhead overlap onesided collective sharing; do
    cp "$tmp/short" "$tmp/real/$name"
    chmod +x "$tmp/real/$name"
done
BUILD=$(cd "$build" && pwd)
export BUILD
export SAID=$tmp/said
real() {
    local status
    rm -f "$SAID"
    MPGKIT_BENCHDIR=$tmp/real MPGKIT_MPIRUN=${MPIRUN:-mpirun} sh "$MPGBENCH" "$@" >"$tmp/out" \
        2>"$tmp/err"
    status=$?
    [ ! -e "$SAID" ] || cat "$SAID" >>"$tmp/err"
    return "$status"
}
ok "the real benchmarks" unless_late real --quick --force --replace --launches 2 -o "$tmp/results"
is "every benchmark left results" \
    "$(cd "$tmp/results" && ls | sed 's/-.*//' | grep -v sharing | sort -u | tr '\n' ' ')" \
    "bandwidth collective compute detour ftq onesided overhead overlap pingpong tables.txt "
is "which say what was seen before" "$(grep -lE '^# load_before: (idle|busy|unknown): ' "$tmp"/results/* | wc -l)" \
    "$(find "$tmp/results" -name '*.samples' | wc -l)"
SIGMAKE=${SIGMAKE:-$build/signature/sigmake}
if [ -x "$SIGMAKE" ]; then
    ok "they make a signature" "$SIGMAKE" -o "$tmp/machine.sig" "$tmp/results"
    is "a summary of at most 13 lines, with what came before it and what is missing" "$(($(grep -c '^mpgbench: ' "$tmp/err") + $(wc -l <"$tmp/out") <= 13))" 1
    is "with each of its lines" "$(grep -oE '^[A-Z][a-z]+ ' "$tmp/out" | tr -d '\n')" \
        "Measured Machine Noise Computation Messages Overheads Collectives Checks Missing Next "
fi
touch "$tmp/file"
ok "a folder that is a file" fails 1 "$tmp/file" real -o "$tmp/file" --quick --force
is "its version is ftq's" "$("$MPGBENCH" --version)" "$("$MPGBENCH" ftq --version | sed 's/ ftq//')"
launched() {
    # shellcheck disable=SC2086 # mpirun may have arguments
    ${MPIRUN:-mpirun} -np 2 "$MPGBENCH" pingpong -s 8 -i 20 -o "$tmp/launched" >"$tmp/out"
}
ok "under a launcher" launched
if [ -n "${OTHER_MPIRUN-}" ]; then
    mkdir "$tmp/other"
    MPIRUN=$OTHER_MPIRUN tmp=$tmp/other launched
    is "under the other MPI's" "$? $(find "$tmp/other/launched" -name 'pingpong-launch0-*' | wc -l)" "0 1"
else
    skip "under the other MPI's" "there is none"
fi
is "they are ranks of one program" "$(find "$tmp/launched" -name 'pingpong-launch0-*' | wc -l)" 1
done_testing
