#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# launch.sh -n N COMMAND...: starts N ranks of COMMAND on the machine that VALIDATE_MACHINE
# names, as `mpgbench` wants its launcher (MPGKIT_MPIRUN); validate/machines.sh says how.
case ${1-} in
--version)
    # A command and its options.
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
exec $VALIDATE_MPIRUN -n "$ranks" "$(dirname "$0")/place.sh" "$@"
