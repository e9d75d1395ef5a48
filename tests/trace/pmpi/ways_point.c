/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Point-to-point calls and requests for tests/trace/pmpi/ways.h (MPI-3.1, chapter 3). */
#include "tests/trace/pmpi/ways.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int data_in[16], data_out[16];

/* --- helpers --- */

static void send(int tag, int count)
{
    data_out[0] = tag;
    MPI_Send(data_out, count, MPI_INT, peer, tag, MPI_COMM_WORLD);
    say("Send " WORLD " to=%d tag=%d bytes=%d", peer, tag, 4 * count);
}

static void receive(int tag, int count)
{
    int data[16] = {0};
    MPI_Recv(data, 16, MPI_INT, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(count == 0 || data[0] == tag);
    say("Recv " WORLD " from=%d tag=%d bytes=%d", peer, tag, 4 * count);
}

static int isend(int tag, MPI_Request *request)
{
    data_out[0] = tag;
    MPI_Isend(data_out, 1, MPI_INT, peer, tag, MPI_COMM_WORLD, request);
    say("Isend " WORLD " to=%d tag=%d bytes=4 request=%d", peer, tag, ++last_request);
    return last_request;
}

static int irecv(int tag, int *data, MPI_Request *request)
{
    MPI_Irecv(data, 1, MPI_INT, peer, tag, MPI_COMM_WORLD, request);
    say("Irecv " WORLD " from=%d tag=%d bytes=4 request=%d", peer, tag, ++last_request);
    return last_request;
}

static void wait_for(MPI_Request *request, int id)
{
    MPI_Wait(request, MPI_STATUS_IGNORE);
    CHECK(*request == MPI_REQUEST_NULL);
    say("Wait requests=%d", id);
}

/* --- the parts --- */

static void do_nobody(void)
{
    MPI_Request r[2];
    MPI_Sendrecv(data_out, 1, MPI_INT, MPI_PROC_NULL, 8, data_in, 2, MPI_INT, MPI_PROC_NULL,
                 MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    say("Sendrecv " WORLD " to=null tag=8 bytes=4 from=null recvtag=0 recvbytes=0");
    MPI_Sendrecv(data_out, 0, MPI_INT, peer, 8, data_in, 0, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    say("Sendrecv " WORLD " to=%d tag=8 bytes=0 from=%d recvtag=8 recvbytes=0 any=source,tag",
        peer, peer);
    MPI_Isend(data_out, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &r[0]);
    say("Isend " WORLD " to=null tag=1 bytes=4 request=%d", ++last_request);
    MPI_Irecv(data_in, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &r[1]);
    say("Irecv " WORLD " from=null tag=0 bytes=4 request=%d", ++last_request);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    say("Waitall requests=%d,%d", last_request - 1, last_request);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    say("Waitall requests=");
}

/* Many small sends are complete at once, and may share one handle. */
static void do_shared_handles(void)
{
    enum { N = 8 };
    MPI_Request r[N], copy[N];
    int id[N], index;
    if (rank % 2) {
        for (int i = 0; i < N; i++)
            receive(17, 1);
        return;
    }
    for (int i = 0; i < N; i++)
        id[i] = isend(17, &r[i]);
    for (int i = 6; i > 4; i--) {
        MPI_Waitany(1, &r[i], &index, MPI_STATUS_IGNORE);
        CHECK(index == 0 && r[i] == MPI_REQUEST_NULL);
        say("Waitany requests=%d", id[i]);
    }
    wait_for(&r[2], id[2]);
    /* completes the remaining requests through copied variables, the oldest first */
    copy[0] = r[0];
    wait_for(&copy[0], id[0]);
    memcpy(copy, r, sizeof copy);
    copy[0] = MPI_REQUEST_NULL;
    MPI_Waitall(N, copy, MPI_STATUSES_IGNORE);
    say("Waitall requests=%d,%d,%d,%d", id[1], id[3], id[4], id[7]);
}

/* More requests than a short list holds, in another order, through copied variables. */
static void do_many(void)
{
    enum { N = 100 };
    MPI_Request r[N], copy[N];
    int in[N], id[N], tag = 80;
    char list[8 * N] = "";
    if (rank % 2 == 0) {
        receive(79, 0);
        for (int i = 0; i < N; i++)
            send(tag + i, 1);
        return;
    }
    for (int i = 0; i < N; i++)
        id[i] = irecv(tag + i, &in[i], &r[i]);
    send(79, 0);
    for (int i = 0; i < N; i++) {
        copy[i] = r[i * 7 % N];
        sprintf(list + strlen(list), "%s%d", i ? "," : "", id[i * 7 % N]);
    }
    MPI_Waitall(N, copy, MPI_STATUSES_IGNORE);
    say("Waitall requests=%s", list);
    CHECK(in[99] == tag + 99);
}

enum how { WAITANY, WAITSOME, TESTANY, TESTSOME, TEST, TESTALL };

/* Two receives: the first one cannot be complete yet, the second one is from MPI_ANY_SOURCE. */
static void do_completion(enum how how, const char *name)
{
    MPI_Request r[2];
    MPI_Status statuses[2];
    int index = -1, count = 0, flag = 0, indices[2];
    if (rank % 2 == 0) {
        receive(19, 0);
        send(21, 1);
        receive(19, 0);
        send(20, 1);
        return;
    }
    int first = irecv(20, &data_in[0], &r[0]), second = ++last_request;
    MPI_Irecv(&data_in[1], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &r[1]);
    say("Irecv " WORLD " from=%d tag=21 bytes=4 any=source,tag request=%d", peer, second);
    MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE);
    CHECK(!flag);
    send(19, 0);
    if (how == WAITANY)
        MPI_Waitany(2, r, &index, MPI_STATUS_IGNORE);
    else if (how == WAITSOME) {
        MPI_Waitsome(2, r, &count, indices, statuses);
        CHECK(count == 1 && statuses[0].MPI_TAG == 21);
        index = indices[0];
    }
    while (how == TESTANY && !flag)
        MPI_Testany(2, r, &index, &flag, &statuses[0]);
    while (how == TESTSOME && count == 0)
        MPI_Testsome(2, r, &count, indices, MPI_STATUSES_IGNORE);
    if (how == TESTSOME)
        index = indices[0];
    while (how == TEST && !flag)
        MPI_Test(&r[1], &flag, MPI_STATUS_IGNORE);
    while (how == TESTALL && !flag)
        MPI_Testall(1, &r[1], &flag, MPI_STATUSES_IGNORE);
    if (how == TEST || how == TESTALL)
        say("%s requests=%d", name, second);
    else {
        CHECK(index == 1);
        say("%s requests=%d,%d done=%d", name, first, second, second);
    }
    CHECK(data_in[1] == 21);
    send(19, 0);
    wait_for(&r[0], first);
}

static void do_cancel(void)
{
    MPI_Request r[2];
    int id = irecv(30, data_in, &r[0]);
    MPI_Cancel(&r[0]);
    say("Cancel request=%d", id);
    MPI_Irecv(data_in, 1, MPI_INT, MPI_ANY_SOURCE, 31, MPI_COMM_WORLD, &r[1]);
    say("Irecv " WORLD " tag=31 bytes=4 any=source request=%d", ++last_request);
    MPI_Cancel(&r[1]);
    say("Cancel request=%d", last_request);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    say("Waitall requests=%d,%d cancelled=%d,%d", id, id + 1, id, id + 1);
    if (rank % 2)
        receive(32, 1);
    else {
        id = isend(32, &r[0]);
        MPI_Request_free(&r[0]);
        say("Request_free request=%d", id);
    }
    /* freed while active, so the trace has no completion */
    if (rank % 2) {
        MPI_Irecv(data_in, 1, MPI_INT, 0, 33, MPI_COMM_SELF, &r[0]);
        say("Irecv comm=%d from=0 tag=33 bytes=4 request=%d", rank, ++last_request);
        MPI_Request_free(&r[0]);
        say("Request_free request=%d", last_request);
        MPI_Send(data_out, 1, MPI_INT, 0, 33, MPI_COMM_SELF);
        say("Send comm=%d to=0 tag=33 bytes=4", rank);
    }
}

/* Asks for the status of R[0], or of all three, before a call completes them. */
static void ask(MPI_Request r[3], bool all)
{
    int flag = 0;
    while (!flag) {
#if MPI_VERSION * 10 + MPI_SUBVERSION >= 41
        if (all) {
            MPI_Request_get_status_all(3, r, &flag, MPI_STATUSES_IGNORE);
            continue;
        }
#endif
        MPI_Request_get_status(r[0], &flag, MPI_STATUS_IGNORE);
    }
    (void)all;
}

static void do_persistent(void)
{
    MPI_Request r[3];
    int p = last_persistent;
    for (int i = 0; i < 3; i++, last_persistent++)
        if (rank % 2 == 0) {
            MPI_Send_init(data_out, 1, MPI_INT, peer, 40 + i, MPI_COMM_WORLD, &r[i]);
            say("Send_init " WORLD " to=%d tag=%d bytes=4 persistent=%d", peer, 40 + i, p + i + 1);
        } else if (i == 0) {
            MPI_Recv_init(data_in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &r[0]);
            say("Recv_init " WORLD " bytes=4 any=source,tag persistent=%d", p + 1);
        } else {
            MPI_Recv_init(&data_in[i], 1, MPI_INT, peer, 40 + i, MPI_COMM_WORLD, &r[i]);
            say("Recv_init " WORLD " from=%d tag=%d bytes=4 persistent=%d", peer, 40 + i,
                p + i + 1);
        }
    for (int round = 0; round < 4; round++) {
        if (rank % 2 == 0)
            receive(44, 0);
        MPI_Start(&r[0]);
        int id = ++last_request;
        if (rank % 2)
            say("Start persistent=%d requests=%d matched=%d:%d:40", p + 1, id, id, peer);
        else
            say("Start persistent=%d requests=%d", p + 1, id);
        MPI_Startall(2, r + 1);
        last_request += 2;
        say("Startall persistent=%d,%d requests=%d,%d", p + 2, p + 3, id + 1, id + 2);
        if (rank % 2)
            send(44, 0);
        if (round > 1)
            ask(r, round > 2);
        MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
        say("Waitall requests=%d,%d,%d", id, id + 1, id + 2);
        MPI_Waitall(3, r, MPI_STATUSES_IGNORE); /* all requests are inactive now */
        say("Waitall requests=");
    }
    if (rank % 2) {
        MPI_Start(&r[0]);
        say("Start persistent=%d requests=%d", p + 1, ++last_request);
        MPI_Cancel(&r[0]);
        say("Cancel request=%d", last_request);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        say("Wait requests=%d cancelled=%d", last_request, last_request);
    }
    for (int i = 0; i < 3; i++) {
        MPI_Request_free(&r[i]);
        say("Request_free persistent=%d", p + 1 + i);
    }
}

void do_point_to_point(void)
{
    do_nobody();
    do_shared_handles();
    do_many();
    do_completion(WAITANY, "Waitany");
    do_completion(WAITSOME, "Waitsome");
    do_completion(TESTANY, "Testany");
    do_completion(TESTSOME, "Testsome");
    do_completion(TEST, "Test");
    do_completion(TESTALL, "Testall");
    do_cancel();
    do_persistent();
}
