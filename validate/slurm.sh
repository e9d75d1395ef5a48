#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs Slurm on this machine for as long as one command runs: munged, slurmctld and one slurmd for each node, with a
# key, a configuration and logs in a temporary folder. Needs Slurm's programs (Debian: slurm-wlm munge), but no systemd, no
# cgroups and nothing in /etc. Any user may start it; jobs run as that user. Several may run at a time.
#
# Usage: validate/slurm.sh [--nodes N] [--cpus N] [--keep FOLDER] COMMAND [ARGUMENT]...
#   --nodes N      the number of nodes (default: 1); from 2 on, each has a host name of its own: node1, node2, ... (root only)
#   --cpus N       CPUs that each node offers (default: those that this process may use)
#   --keep FOLDER  the temporary folder, which must not exist; it is kept
# COMMAND finds srun, sbatch, squeue and scancel set up (SLURM_CONF). Its jobs are cancelled when it ends.
# Exit status: the command's; 77 where Slurm cannot run here (standard error says why); 2: usage.
set -u
PATH=$PATH:/usr/sbin:/sbin

complain() {
    echo "slurm.sh: $*" >&2
}
cannot() {
    complain "no Slurm here: $*"
    exit 77
}
usage() {
    complain "$*"
    sed -n 's/^# //; /^Usage:/,/^Exit/p' "$0" >&2
    exit 2
}

nodes=1 cpus=$(nproc) folder=
while [ $# -gt 0 ]; do
    case $1 in
    --nodes | --cpus)
        [[ ${2-} =~ ^[1-9][0-9]{0,2}$ ]] || usage "$1 wants a number from 1 to 999"
        printf -v "${1#--}" %s "$2"
        shift 2 ;;
    --keep)
        [ -n "${2-}" ] || usage "--keep wants a folder"
        folder=$2
        shift 2 ;;
    --) shift; break ;;
    -*) usage "unknown option '$1'" ;;
    *) break ;;
    esac
done
[ $# -gt 0 ] || usage "which command?"

user=$(id -un 2>/dev/null) || cannot "this user has no name"
for program in munged munge slurmctld slurmd srun sbatch scancel squeue sinfo; do
    command -v "$program" >/dev/null || cannot "there is no $program (Debian: apt-get install slurm-wlm munge)"
done

if [ -n "$folder" ]; then
    mkdir "$folder" || exit 2
    folder=$(cd "$folder" && pwd) || exit 2
    keep=yes
else
    # A short name, because the paths of sockets are limited to about 100 characters.
    folder=$(mktemp -d /tmp/slurm.XXXXXX) || exit 2
    keep=
fi
export SLURM_CONF=$folder/slurm.conf
daemons=()
# With setpriv, the kernel ends the daemons when this script is killed.
mortal=()
setpriv --pdeathsig TERM true 2>/dev/null && mortal=(setpriv --pdeathsig TERM)

# Prints the other processes with this Slurm configuration in their environment: slurmd's daemons for job steps outlive
# slurmd.
others() {
    local file pid
    for file in /proc/[0-9]*/environ; do
        pid=${file#/proc/}
        pid=${pid%/environ}
        [ "$pid" != $$ ] && [ "$pid" != "$BASHPID" ] &&
            grep -qzxF "SLURM_CONF=$SLURM_CONF" "$file" 2>/dev/null && echo "$pid"
    done
}

# wait_for SECONDS COMMAND...: repeats COMMAND until it succeeds, for at most SECONDS.
wait_for() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.1
    done
}

no_jobs() {
    local left
    left=$(timeout 5 squeue --noheader 2>/dev/null) && [ -z "$left" ]
}
gone() {
    ! kill -0 "$1" 2>/dev/null
}

# Ends jobs before daemons, because slurmd does not end its jobs.
stop() {
    local i left
    trap '' HUP INT TERM
    trap - EXIT
    if [ -n "$up" ]; then
        timeout 10 scancel --quiet --user="$user" 2>/dev/null
        wait_for 10 no_jobs || { timeout 10 scancel --quiet --signal=KILL --full --user="$user" 2>/dev/null; wait_for 5 no_jobs; }
    fi
    for ((i = ${#daemons[@]} - 1; i >= 0; i--)); do
        kill "${daemons[i]}" 2>/dev/null
        wait_for 10 gone "${daemons[i]}" || kill -KILL "${daemons[i]}" 2>/dev/null
    done
    left=$(others)
    # shellcheck disable=SC2086 # a list
    [ -z "$left" ] || kill -KILL $left 2>/dev/null
    [ -n "$keep" ] || rm -rf "$folder"
}
up=
trap stop EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# start NAME COMMAND...: starts COMMAND, a daemon that stays in the foreground, in a session of its own, so that Ctrl-C reaches
# only the command of this script; its output goes to NAME.out.
start() {
    local name=$1
    shift
    setsid "${mortal[@]}" "$@" >"$folder/$name.out" 2>&1 </dev/null &
    daemons+=($!)
}
# no_more NAME: the daemon NAME did not start: prints the errors in its output, and exits.
no_more() {
    grep -ihE 'error|fatal' "$folder/$1.out" | grep -v 'state file\|state save' | tail -n 5 | sed "s/^/slurm.sh: $1: /" >&2
    cannot "$1 did not start"
}

# Prints the first of successive free ports, one for each daemon of Slurm. The search begins at a port that depends on
# this process, so that two instances rarely meet.
free_ports() {
    local port i try
    for try in 0 1 2 3 4 5 6 7 8 9; do
        port=$((20000 + ($$ * 7 + try * 911) % 10000))
        for ((i = 0; i <= nodes; i++)); do
            (: <>"/dev/tcp/127.0.0.1/$((port + i))") 2>/dev/null && continue 2
        done
        echo $port
        return
    done
    return 1
}
port=$(free_ports) || cannot "no free ports"

umask 022
mkdir -p "$folder/state" && chmod 755 "$folder" || exit 2
dd if=/dev/urandom of="$folder/munge.key" bs=128 count=1 status=none || exit 2
chmod 400 "$folder/munge.key"
socket=$folder/munge.socket

host=$(hostname)
names=("$host")
if [ "$nodes" -gt 1 ]; then
    names=()
    for ((i = 1; i <= nodes; i++)); do names+=("node$i"); done
    unshare --uts true 2>/dev/null || cannot "only root gives nodes host names of their own"
fi

# A configuration that needs no control groups: processes are found by their parents, cores are bound by
# sched_setaffinity.
cat >"$folder/slurm.conf" <<END
ClusterName=mpgkit
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$socket
CredType=cred/munge
SlurmctldPort=$port
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool.%n
TmpFS=$folder/tmp.%n
SlurmdLogFile=$folder/slurmd.%n.log
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_min_interval=1000
MailProg=/bin/true
ReturnToService=2
SwitchType=switch/none
MpiDefault=none
KillWait=5
SlurmctldDebug=info
SlurmdDebug=info
END
i=0
for name in "${names[@]}"; do
    i=$((i + 1))
    mkdir -p "$folder/spool.$name" "$folder/tmp.$name" # srun --mpi=pmix stores files in tmp.NAME
    echo "NodeName=$name NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + i)) CPUs=$cpus State=UNKNOWN"
done >>"$folder/slurm.conf"
IFS=,
echo "PartitionName=all Nodes=${names[*]} Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO" >>"$folder/slurm.conf"
unset IFS
# slurmd always loads a plugin for control groups. Old versions have no "disabled"; their cgroup/v1 does nothing unless
# it is used, even on machines without cgroups v1.
case $(slurmd -V) in
"slurm-wlm "2[012].*) echo "CgroupPlugin=cgroup/v1" ;;
*) echo "CgroupPlugin=disabled" ;;
esac >"$folder/cgroup.conf"

start munged munged --foreground --force --key-file="$folder/munge.key" --socket="$socket" --num-threads=2 \
    --pid-file="$folder/munged.pid" --log-file="$folder/munge.log" --seed-file="$folder/munge.seed"
authenticates() {
    timeout 5 munge --socket="$socket" --no-input >/dev/null 2>&1
}
wait_for 10 authenticates || no_more munged

start slurmctld slurmctld -D -i -f "$SLURM_CONF"
for name in "${names[@]}"; do
    if [ "$nodes" -gt 1 ]; then
        # shellcheck disable=SC2016 # for the other shell
        start "slurmd.$name" unshare --uts sh -c 'hostname "$1" && exec slurmd -D -N "$1" -f "$2"' sh "$name" "$SLURM_CONF"
    else
        start "slurmd.$name" slurmd -D -N "$name" -f "$SLURM_CONF"
    fi
done
idle() {
    gone "${daemons[1]}" && no_more slurmctld
    [ "$(timeout 5 sinfo --noheader --Node --format=%T 2>/dev/null | grep -cx idle)" = "$nodes" ]
}
if ! wait_for 30 idle; then
    no_more "slurmd.${names[0]}"
fi
up=yes
"$@"
