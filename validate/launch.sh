#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# launch.sh -n N COMMAND...: starts N ranks of COMMAND on the current machine of validate/machines.sh, which sets
# VALIDATE_MPIRUN and the variables of place.sh. VALIDATE_PREFIX: a command before it. A launcher for mpgbench (MPGKIT_MPIRUN).
case ${1-} in
--version)
    # VALIDATE_MPIRUN is a command with options.
    # shellcheck disable=SC2086
    exec $VALIDATE_MPIRUN --version
    ;;
-n) ranks=$2 ;;
*)
    echo "launch.sh: -n N COMMAND..." >&2
    exit 2
    ;;
esac
shift 2
# shellcheck disable=SC2086
exec ${VALIDATE_PREFIX-} $VALIDATE_MPIRUN -n "$ranks" "$(dirname "$0")/place.sh" "$@"
