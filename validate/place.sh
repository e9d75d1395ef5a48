#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# place.sh COMMAND...: executes COMMAND as one rank of a machine: on this rank's core of VALIDATE_CORES, in the control group
# VALIDATE_GROUP-CORE (VALIDATE_GROUP empty: none), with the library VALIDATE_PRELOAD preloaded (empty: none).
rank=${OMPI_COMM_WORLD_LOCAL_RANK:-${MPI_LOCALRANKID:-${PMI_RANK:-0}}}
# shellcheck disable=SC2086 # a list
core=$(set -- $VALIDATE_CORES && shift $((rank % $#)) && echo "$1") || exit 1
if [ -n "$VALIDATE_GROUP" ]; then
    echo $$ >"$VALIDATE_GROUP-$core/cgroup.procs" || exit 1
fi
if [ -n "$VALIDATE_PRELOAD" ]; then
    exec taskset -c "$core" env LD_PRELOAD="$VALIDATE_PRELOAD" "$@"
fi
exec taskset -c "$core" "$@"
