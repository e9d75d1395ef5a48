#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Long lists of requests (TAP): what looking through them takes the tracer is an event before and behind the call, and not in it.
# shellcheck disable=SC2086,SC2154
. "$(dirname "$0")/traced.sh"
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "a sanitized tracer cannot be preloaded"
needs "$mpicc"
cat >lists.c <<'END'
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    const int n = atoi(argv[1]);
    int *data = calloc(2 * n, sizeof *data), flag;
    MPI_Request *requests = malloc(2 * n * sizeof *requests);
    MPI_Init(&argc, &argv);
    for (int persistent = 0; persistent < 2; persistent++) {
        for (int i = 0; i < n; i++)
            if (persistent) {
                MPI_Recv_init(&data[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[i]);
                MPI_Send_init(&data[n + i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[n + i]);
            } else {
                MPI_Irecv(&data[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[i]);
                MPI_Isend(&data[n + i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[n + i]);
            }
        if (persistent)
            MPI_Startall(2 * n, requests);
        for (int i = 0, which; i < 3; i++)
            MPI_Waitany(2 * n, requests, &which, MPI_STATUS_IGNORE);
        MPI_Testall(2 * n, requests, &flag, MPI_STATUSES_IGNORE);
        MPI_Waitall(2 * n, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; persistent && i < 2 * n; i++)
            MPI_Request_free(&requests[i]);
    }
    return MPI_Finalize();
}
END
ok "compiles" $mpicc -O1 -o lists lists.c

ok "64 requests" traced 1 short.trace --callsites=0 ./lists 32
ok "... leave no such event" test "$("$MPGTRACE" print short.trace | grep -c ' Flush')" = 0
ok "4000 requests" traced 1 long.trace --callsites=0 --buffer=64MiB ./lists 2000
ok "... leave some" test "$("$MPGTRACE" print long.trace | grep -c ' Flush')" -ge 12
"$MPGTRACE" print long.trace | awk '
    /^#/ { next }
    { is_list = $4 ~ /^(Waitany|Testall|Startall)$/ }
    is_list { lists++; before += last == "Flush" }
    last_was_list && $4 == "Flush" { behind++ }
    { last = $4; last_was_list = is_list }
    END { print lists, before, behind }' >around
is "... before and behind each call that is given all" "$(cat around)" "9 9 9"
ok "... they are read" eval '"$MPGTRACE" stat long.trace >stat && grep -q "^overhead .* writing [1-9]" stat'
ok "... and taken out" eval '"$MPGSIM" long.trace >answer'
ok "a profile has them" traced 1 profile.trace --profile ./lists 2000
ok "... without events" eval '"$MPGTRACE" stat profile.trace | grep -q Waitany'
ok "with CPU time" traced 1 cpu.trace --cpu-time ./lists 300
ok "... with values" eval '"$MPGTRACE" print cpu.trace | grep -q "Waitany.* values="'
done_testing
