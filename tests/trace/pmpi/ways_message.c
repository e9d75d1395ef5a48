/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Probes, matched or not, and generalized requests for tests/trace/pmpi/ways.h (MPI-3.1, 3.8, 12.2). */
#include "tests/trace/pmpi/ways.h"

#include <string.h>

static int data[16];

/* Three messages to the even ranks, which receive the last one first. */
static void do_matched(void)
{
    MPI_Message first, last, none;
    MPI_Request request;
    MPI_Status status;
    int flag = 0, got[4];
    if (rank % 2) {
        for (int i = 0; i < 3; i++) {
            data[0] = 60 + i;
            MPI_Send(data, i + 1, MPI_INT, peer, 60 + i, MPI_COMM_WORLD);
            say("Send " WORLD " to=%d tag=%d bytes=%d", peer, 60 + i, 4 * (i + 1));
        }
        return;
    }
    MPI_Mprobe(peer, 62, MPI_COMM_WORLD, &last, &status);
    say("Mprobe " WORLD " from=%d tag=62 bytes=12 message=%d", peer, ++last_message);
    while (!flag)
        MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &first, MPI_STATUS_IGNORE);
    say("Improbe " WORLD " from=%d tag=60 bytes=4 any=source,tag message=%d", peer, ++last_message);
    MPI_Mrecv(got, 4, MPI_INT, &last, &status);
    CHECK(got[0] == 62 && last == MPI_MESSAGE_NULL);
    say("Mrecv " WORLD " from=%d tag=62 bytes=12 message=%d", peer, last_message - 1);
    MPI_Imrecv(got, 4, MPI_INT, &first, &request);
    say("Imrecv " WORLD " from=%d tag=60 bytes=16 message=%d request=%d", peer, last_message,
        ++last_request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    say("Wait requests=%d", last_request);
    CHECK(got[0] == 60);
    MPI_Probe(MPI_ANY_SOURCE, 61, MPI_COMM_WORLD, &status);
    say("Probe " WORLD " from=%d tag=61 bytes=8 any=source", peer);
    MPI_Iprobe(peer, 61, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    CHECK(flag);
    say("Iprobe " WORLD " from=%d tag=61 bytes=8", peer);
    MPI_Recv(got, 4, MPI_INT, peer, 61, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    say("Recv " WORLD " from=%d tag=61 bytes=8", peer);
    MPI_Iprobe(peer, 61, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    CHECK(!flag);
    say("Iprobe " WORLD " from=%d tag=61 bytes=0 found=0", peer);
    MPI_Mprobe(MPI_PROC_NULL, 7, MPI_COMM_WORLD, &none, &status);
    CHECK(none == MPI_MESSAGE_NO_PROC);
    say("Mprobe " WORLD " from=null tag=7 bytes=0");
    MPI_Mrecv(got, 4, MPI_INT, &none, &status);
    say("Mrecv " WORLD " from=null tag=0 bytes=0");
}

/* Callbacks of a generalized request call MPI; these calls are not the program's. */
static int query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, MPI_INT, 3);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int freed(void *state)
{
    int r;
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    *(int *)state += r == rank;
    return MPI_SUCCESS;
}

static int cancelled(void *state, int complete)
{
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

static void do_generalized(void)
{
    MPI_Request request, copy;
    MPI_Status status;
    int times = 0, flag, count;
    MPI_Grequest_start(query, freed, cancelled, &times, &request);
    say("Grequest_start request=%d", ++last_request);
    copy = request;
    MPI_Test(&request, &flag, &status);
    CHECK(!flag);
    MPI_Grequest_complete(copy);
    MPI_Wait(&request, &status);
    say("Wait requests=%d", last_request);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(times == 1 && count == 3 && request == MPI_REQUEST_NULL);
}

void do_messages(void)
{
    do_matched();
    do_generalized();
}
