# shellcheck shell=bash disable=SC2015,SC2034,SC2153,SC2154 # its variables are validate.sh's
# SPDX-License-Identifier: GPL-3.0-or-later
# The machines that this host can stand for; validate.sh sources this file. A machine is a way to start ranks, and what else
# runs on their cores. All machines use the same two cores.

# Each line: the name of a machine and its description.
machines='shm          Open MPI over shared memory
again        the same machine, measured once more
tcp          Open MPI over TCP on the loopback device
mpich        MPICH over shared memory
noise2-one   as shm; 200 us in every 10 ms stolen from the first core
noise2-all   as shm; 200 us in every 10 ms stolen from both cores
noise6-one   as shm; 600 us in every 10 ms stolen from the first core
noise6-all   as shm; 600 us in every 10 ms stolen from both cores
slowsend     as shm; every send begins 2 us later
onecore      as shm; both ranks on the first core
duty         as shm; each core for half of the time only (a control group)'

# Pairs of machines to predict: "from:to", or "from:to:ratio", which leaves out the target's noise and uses the ratio of
# the machines' compute rates instead.
all_pairs='shm:again shm:tcp tcp:shm shm:mpich mpich:shm shm:noise2-one shm:noise2-all
shm:noise6-one shm:noise6-all noise2-one:shm noise2-all:shm noise6-one:shm noise6-all:shm
shm:slowsend slowsend:shm onecore:shm shm:duty shm:duty:ratio'

PERIOD_NS=10000000

machine_words() {
    printf '%s\n' "$machines" | awk -v name="$1" \
        '$1 == name { sub(/^[^ ]+ +/, ""); print; found = 1 } END { exit !found }'
}

# use_family FAMILY: sets compiler and launcher of the MPI library FAMILY; fails if configure found none.
use_family() {
    family=$1
    case $family in
    "$MPI_LIBRARY") mpicc=$MPICC VALIDATE_MPIRUN=$MPIRUN ;;
    *) mpicc=${OTHER_MPICC-} VALIDATE_MPIRUN=${OTHER_MPIRUN-} ;;
    esac
    [ -n "$mpicc" ] && [ -n "$VALIDATE_MPIRUN" ] && command -v "${mpicc%% *}" >/dev/null || {
        why="no $family here"
        return 1
    }
    # taskset binds the ranks, not the launcher, because a launcher can regard two hardware threads as one core.
    mpi_set "$VALIDATE_MPIRUN" root
    VALIDATE_MPIRUN="$VALIDATE_MPIRUN $(mpi_options "$VALIDATE_MPIRUN" crowd unbound)"
    export VALIDATE_MPIRUN
}

# Makes control groups for the machine "duty", one for each of $cores. Their period of 8 ms is longer than the kernel's
# tick and shorter than a program's run.
make_groups() {
    local core root group
    for root in /sys/fs/cgroup /sys/fs/cgroup/cpu; do
        VALIDATE_GROUP=$root/mpgkit-validate-$$
        for core in $cores; do
            group=$VALIDATE_GROUP-$core
            # Where control groups are not mounted, mkdir can make a plain folder, which has no cgroup.procs.
            mkdir "$group" 2>/dev/null && [ -e "$group/cgroup.procs" ] && halve "$group" || {
                remove_groups
                continue 2
            }
        done
        return
    done
    VALIDATE_GROUP=
    return 1
}

# halve GROUP: lets GROUP run for 4 ms in every 8 ms.
halve() {
    if [ -e "$1/cpu.max" ]; then
        echo "4000 8000" >"$1/cpu.max"
    else
        echo 8000 >"$1/cpu.cfs_period_us" && echo 4000 >"$1/cpu.cfs_quota_us"
    fi
} 2>/dev/null

remove_groups() {
    local core
    [ -n "${VALIDATE_GROUP-}" ] || return 0
    for core in $cores; do
        rmdir "$VALIDATE_GROUP-$core" 2>/dev/null
    done
    VALIDATE_GROUP=
}

# Takes each of $noise_cores away from its rank for $noise_ns in every period of PERIOD_NS, until stop_noise.
makers=()
start_noise() {
    local core file
    makers=()
    for core in $noise_cores; do
        file=$out/log/noise-$core
        : >"$file"
        # Fixed offsets on a grid of absolute times, so that the phases of the cores' noise are the same in all
        # measurements.
        "$NOISEMAKER" --core "$core" --steal "${noise_ns}ns" --period "${PERIOD_NS}ns" \
            --offset "$((core % 2 * 3700000))ns" --duration 1000s >"$file" 2>&1 &
        makers+=($!)
        until grep -q stealing "$file"; do
            kill -0 "$!" 2>/dev/null || return 1
            sleep 0.01
        done
    done
}

stop_noise() {
    local pid
    for pid in "${makers[@]}"; do
        kill "$pid" 2>/dev/null
        wait "$pid" 2>/dev/null
    done
    makers=()
}

# machine NAME: makes this host stand for machine NAME until machine_end: exports the variables of launch.sh and
# place.sh, and sets $family, $noise_ns, $noise_cores, $record (options of mpgtrace record) and $part_of_core (1 if the
# machine gives a rank less than a whole core). Fails, with the reason in $why, if this host cannot stand for NAME.
machine() {
    local first=${cores%% *}
    VALIDATE_CORES=$cores VALIDATE_PRELOAD='' VALIDATE_GROUP='' noise_ns=0 noise_cores='' why=''
    record=() part_of_core=0
    VALIDATE_PREFIX=''
    [ "$priority" -eq 0 ] || VALIDATE_PREFIX="chrt -r $priority"
    export VALIDATE_CORES VALIDATE_PRELOAD VALIDATE_GROUP VALIDATE_PREFIX
    unset MPGKIT_DELAY_NS
    mpi_forget yield shm tcp
    case $1 in
    mpich) use_family mpich || return 1 ;;
    *) use_family openmpi || return 1 ;;
    esac
    [ "$1" = tcp ] || mpi_set "$VALIDATE_MPIRUN" shm
    case $1 in
    shm | again | mpich) ;;
    tcp) mpi_set "$VALIDATE_MPIRUN" tcp ;;
    noise[26]-one) noise_cores=$first ;;
    noise[26]-all) noise_cores=$cores ;;
    slowsend)
        VALIDATE_PRELOAD=$out/programs/$family/slowsend.so
        export MPGKIT_DELAY_NS=2000
        ;;
    onecore)
        VALIDATE_CORES=$first part_of_core=1
        mpi_set "$VALIDATE_MPIRUN" yield # otherwise a message waits until the other rank's time slice ends
        record=(--cpu-time)                   # distinguishes a rank's work from the time in which the other rank has the core
        ;;
    duty)
        part_of_core=1
        make_groups || {
            why='no control group with a share of the processor can be made here'
            return 1
        }
        ;;
    *)
        why="no machine '$1'"
        return 1
        ;;
    esac
    case $1 in
    noise2-*) noise_ns=$((PERIOD_NS / 50)) ;;
    noise6-*) noise_ns=$((PERIOD_NS * 6 / 100)) ;;
    esac
    [ "$noise_ns" -eq 0 ] || start_noise || {
        stop_noise
        why='the real-time class, which known noise needs, is not permitted here'
        return 1
    }
}

machine_end() {
    stop_noise
    remove_groups
}
