# SPDX-License-Identifier: GPL-3.0-or-later
# Functions for test scripts that print TAP. A script sources this file, calls ok and is, and ends with done_testing.

tap_count=0
tap_failed=0

# make check sets the environment for MPI; a script that is started by hand sets it here.
. "$(dirname "${BASH_SOURCE[0]}")/../examples/mpi.sh"
[ -n "${MPGKIT_MPI-}" ] || mpi_set "${MPIRUN:-mpirun}" crowd

# Uses the interpreter that configure found, because "python3" in PATH may be a slow script that searches for one.
python3() {
    command "${PYTHON3:-python3}" "$@"
}
has_python() {
    command -v "${PYTHON3:-python3}" >/dev/null
}

# two_programs MPIRUN: succeeds if MPIRUN can start two programs in one launch. That of Open MPI 5.0.7 in Debian 13
# crashes.
two_programs() {
    # shellcheck disable=SC2086 # a launcher may have arguments
    timeout 60 $1 -np 1 true : -np 1 true >/dev/null 2>&1
}

# shares_memory MPICC MPIRUN: succeeds if MPI_COMM_TYPE_SHARED gives a communicator of all ranks. MPICH 5.0.2 in Debian
# regards each rank as a host of its own.
shares_memory() {
    printf '%s\n' '#include <mpi.h>' '#include <stdio.h>' 'int main(void) { int n; MPI_Comm c; MPI_Init(0, 0);' \
        'MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &c); MPI_Comm_size(c, &n);' \
        'printf("%d\n", n); return MPI_Finalize(); }' >shares.c
    # shellcheck disable=SC2086 # a wrapper and a launcher may have arguments
    ! $1 -o shares shares.c 2>/dev/null || [ "$(timeout 60 $2 -np 2 ./shares 2>/dev/null | sort -u)" = 2 ]
}

# ok NAME COMMAND...: a test point that passes if COMMAND succeeds.
ok() {
    local name=$1
    shift
    tap_count=$((tap_count + 1))
    if "$@"; then
        echo "ok $tap_count - $name"
    else
        tap_failed=$((tap_failed + 1))
        echo "not ok $tap_count - $name"
    fi
}

# is NAME GOT EXPECTED: a test point that passes if the two strings are equal.
is() {
    ok "$1" test "$2" = "$3"
    if [ "$2" != "$3" ]; then
        printf '# got:      %s\n# expected: %s\n' "$2" "$3"
    fi
}

# like NAME GOT PATTERN: a test point that passes if GOT matches the glob PATTERN.
like() {
    tap_count=$((tap_count + 1))
    # shellcheck disable=SC2254
    case $2 in
    $3)
        echo "ok $tap_count - $1" ;;
    *)
        tap_failed=$((tap_failed + 1))
        echo "not ok $tap_count - $1"
        printf '# got:     %s\n# pattern: %s\n' "$2" "$3" ;;
    esac
}

# skip NAME WHY: a test point that is skipped here.
skip() {
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1 # SKIP $2"
}

# skip_all WHY: ends the script, because its remaining test points cannot run here.
skip_all() {
    if [ "$tap_count" -eq 0 ]; then
        echo "1..0 # SKIP $1"
        exit 0
    fi
    skip "all further points" "$1"
    done_testing
    exit
}

done_testing() {
    echo "1..$tap_count"
    [ "$tap_failed" -eq 0 ]
}
