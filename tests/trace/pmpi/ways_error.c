/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Failing calls and calls made inside MPI, for tests/trace/pmpi/ways.h. */
#include "tests/trace/pmpi/ways.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

static int data[16];
static jmp_buf out_of_mpi;

static void do_failed(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(MPI_Send(data, 1, MPI_INT, 99, 0, MPI_COMM_WORLD) != MPI_SUCCESS);
    say("Send failed=1");
    CHECK(MPI_Bcast(data, -1, MPI_INT, 0, MPI_COMM_WORLD) != MPI_SUCCESS);
    say("Bcast failed=1");
    MPI_Request request;
    CHECK(MPI_Irecv(data, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD, &request) != MPI_SUCCESS);
    say("Irecv failed=1");
}

static bool is_cut(int rc)
{
    int class = MPI_SUCCESS;
    MPI_Error_class(rc, &class);
    return class == MPI_ERR_TRUNCATE;
}

/* Like do_truncated() with blocking receives, whose records have the received size. */
static void do_cut(void)
{
    MPI_Message message;
    MPI_Status status;
    if (rank % 2) {
        for (int i = 0; i < 5; i++) {
            MPI_Send(data, 9, MPI_INT, peer, 72 + i, MPI_COMM_WORLD);
            say("Send " WORLD " to=%d tag=%d bytes=36", peer, 72 + i);
        }
        return;
    }
    MPI_Recv(data, 16, MPI_INT, peer, 72, MPI_COMM_WORLD, &status); /* its received size remains in the request that the library
                                                                       reuses */
    say("Recv " WORLD " from=%d tag=72 bytes=36", peer);
    CHECK(is_cut(MPI_Recv(data, 1, MPI_INT, peer, 73, MPI_COMM_WORLD, MPI_STATUS_IGNORE)));
    say("Recv " WORLD " from=%d tag=73 bytes=4", peer);
    CHECK(is_cut(MPI_Recv(data, 2, MPI_INT, MPI_ANY_SOURCE, 74, MPI_COMM_WORLD, &status)));
    say("Recv " WORLD " from=%d tag=74 bytes=8 any=source", peer);
    CHECK(is_cut(MPI_Sendrecv(data, 1, MPI_INT, MPI_PROC_NULL, 75, data + 8, 3, MPI_INT, peer, 75, MPI_COMM_WORLD, &status)));
    say("Sendrecv " WORLD " to=null tag=75 bytes=4 from=%d recvtag=75 recvbytes=12", peer);
    MPI_Mprobe(peer, 76, MPI_COMM_WORLD, &message, &status);
    say("Mprobe " WORLD " from=%d tag=76 bytes=36 message=%d", peer, ++last_message);
    CHECK(is_cut(MPI_Mrecv(data, 2, MPI_INT, &message, &status)));
    say("Mrecv " WORLD " from=%d tag=76 bytes=8 message=%d", peer, last_message);
}

/* A message longer than the receive buffer: the receive takes the message and returns an error. */
void do_truncated(void)
{
    MPI_Request r[2];
    MPI_Status statuses[2];
    int rc;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    do_cut();
    if (rank % 2) {
        MPI_Recv(data, 0, MPI_INT, peer, 69, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        say("Recv " WORLD " from=%d tag=69 bytes=0", peer);
        MPI_Send(data, 3, MPI_INT, peer, 70, MPI_COMM_WORLD);
        say("Send " WORLD " to=%d tag=70 bytes=12", peer);
        MPI_Send(data, 1, MPI_INT, peer, 71, MPI_COMM_WORLD);
        say("Send " WORLD " to=%d tag=71 bytes=4", peer);
        return;
    }
    MPI_Irecv(data, 1, MPI_INT, peer, 70, MPI_COMM_WORLD, &r[0]);
    say("Irecv " WORLD " from=%d tag=70 bytes=4 request=%d", peer, ++last_request);
    MPI_Irecv(data, 1, MPI_INT, peer, 71, MPI_COMM_WORLD, &r[1]);
    say("Irecv " WORLD " from=%d tag=71 bytes=4 request=%d", peer, ++last_request);
    MPI_Send(data, 0, MPI_INT, peer, 69, MPI_COMM_WORLD);
    say("Send " WORLD " to=%d tag=69 bytes=0", peer);
    rc = MPI_Waitall(2, r, statuses);
    CHECK(rc == MPI_ERR_IN_STATUS);
    /* depends on whether the library noticed the end of the other request */
    bool pending = statuses[1].MPI_ERROR == MPI_ERR_PENDING;
    if (!pending)
        say("Waitall requests=%d,%d", last_request - 1, last_request);
    else {
        say("Waitall requests=%d,%d done=%d", last_request - 1, last_request, last_request - 1);
        MPI_Wait(&r[1], MPI_STATUS_IGNORE);
        say("Wait requests=%d", last_request);
    }
}

static void left(MPI_Comm *comm, int *code, ...)
{
    int size;
    (void)comm, (void)code;
    MPI_Comm_size(MPI_COMM_WORLD, &size); /* called by MPI, not by the program */
    longjmp(out_of_mpi, 1);
}

/* Makes calls deeper in the stack than the call that was abandoned. */
__attribute__((noinline)) static int barriers(volatile int depth)
{
    volatile char room[512] = {0};
    if (depth > 0)
        return barriers(depth - 1) + room[0];
    MPI_Barrier(MPI_COMM_WORLD);
    say("Barrier " WORLD);
    return 0;
}

/* An error handler that never returns: later calls must count as the program's again. */
static void do_left(void)
{
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(left, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    if (setjmp(out_of_mpi) == 0) {
        MPI_Send(data, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
        CHECK(0);
    }
    barriers(4);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler);
    MPI_Barrier(MPI_COMM_WORLD);
    say("Barrier " WORLD);
}

/* Reduction operators and attribute copy functions that call MPI. */
static void add(void *a, void *b, int *n, MPI_Datatype *type)
{
    int size;
    MPI_Type_size(*type, &size);
    for (int i = 0; i < *n; i++)
        ((int *)b)[i] += size == sizeof(int) ? ((int *)a)[i] : 0;
}

static int copy(MPI_Comm comm, int key, void *state, void *in, void *out, int *flag)
{
    int all = 0;
    (void)key, (void)state;
    MPI_Allreduce(&rank, &all, 1, MPI_INT, MPI_SUM, comm);
    *(int *)in += all;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static void do_callbacks(void)
{
    MPI_Op op;
    MPI_Comm dup;
    int key, sum = 0, attribute = 0;
    MPI_Op_create(add, 1, &op);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    CHECK(sum == 6);
    say("Allreduce " WORLD " bytes=4");
    MPI_Op_free(&op);
    MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &attribute);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    CHECK(attribute == 6);
    say("Comm_dup " WORLD " newcomm=0,1,2,3#17");
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_free(&dup);
    say("Comm_free comm=0,1,2,3#17");
    MPI_Comm_free_keyval(&key);
}

void do_failures(void)
{
    do_failed();
    do_left();
    do_callbacks();
}
