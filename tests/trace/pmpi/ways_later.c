/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of MPI-4.0 for tests/trace/pmpi/ways.h, as far as the library has them: large counts, persistent
 * collectives (MPIX_ in Open MPI 4.1), partitioned communication. */
#include "tests/trace/pmpi/ways.h"

#include <stdio.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#if MPI_VERSION >= 4
#define PERSISTENT(name) MPI_##name##_init
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define PERSISTENT(name) MPIX_##name##_init
#endif

#define BOTH MPI_COMM_WORLD, MPI_INFO_NULL

static int in[16], out[16];

/* --- persistent collectives --- */

#ifdef PERSISTENT
static void start(MPI_Request *r, int number)
{
    MPI_Start(r);
    say("Start persistent=%d requests=%d", number, ++last_request);
    MPI_Wait(r, MPI_STATUS_IGNORE);
    say("Wait requests=%d", last_request);
    CHECK(*r != MPI_REQUEST_NULL);
}

static void do_rooted(void)
{
    static const int counts[] = {1, 0, 2, 3}, places[] = {0, 1, 1, 3};
    MPI_Request r[3];
    int first = last_persistent + 1;
    PERSISTENT(Bcast)(in, 3, MPI_INT, 2, BOTH, &r[0]);
    say("Bcast_init " WORLD " root=2 bytes=12 persistent=%d", ++last_persistent);
    PERSISTENT(Scatterv)(in, counts, places, MPI_INT, out, counts[rank], MPI_INT, 1, BOTH, &r[1]);
    if (rank == 1)
        say("Scatterv_init " WORLD " root=1 bytes=4,0,8,12 persistent=%d", ++last_persistent);
    else
        say("Scatterv_init " WORLD " root=1 bytes=%d persistent=%d", 4 * counts[rank],
            ++last_persistent);
    PERSISTENT(Reduce)(in, out, 2, MPI_INT, MPI_SUM, 0, BOTH, &r[2]);
    say("Reduce_init " WORLD " root=0 bytes=8 persistent=%d", ++last_persistent);
    for (int i = 0; i < 3; i++)
        start(&r[i], first + i);
    MPI_Startall(3, r);
    say("Startall persistent=%d,%d,%d requests=%d,%d,%d", first, first + 1, first + 2,
        last_request + 1, last_request + 2, last_request + 3);
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    say("Waitall requests=%d,%d,%d", last_request + 1, last_request + 2, last_request + 3);
    last_request += 3;
    for (int i = 0; i < 3; i++) {
        MPI_Request_free(&r[i]);
        say("Request_free persistent=%d", first + i);
    }
}

/* Persistent collectives created in one order, and started and completed in another, twice at once. */
static void do_all(void)
{
    MPI_Request r[2];
    int data[2] = {rank + 1, 0}, first = last_persistent + 1;
    PERSISTENT(Allreduce)(&data[0], &data[1], 1, MPI_INT, MPI_SUM, BOTH, &r[0]);
    say("Allreduce_init " WORLD " bytes=4 persistent=%d", ++last_persistent);
    PERSISTENT(Barrier)(BOTH, &r[1]);
    say("Barrier_init " WORLD " persistent=%d", ++last_persistent);
    for (int i = 0; i < 5; i++) {
        data[0] = rank + i;
        start(&r[1], first + 1);
        start(&r[0], first);
        CHECK(data[1] == 6 + 4 * i);
    }
    for (int i = 0; i < 2; i++) {
        MPI_Request_free(&r[i]);
        say("Request_free persistent=%d", first + i);
    }
}

static void do_ring(void)
{
    MPI_Comm ring;
    MPI_Request r;
    int size = 4, periodic = 1, data[2] = {0};
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    say("Cart_create " WORLD " newcomm=0,1,2,3#18");
    PERSISTENT(Neighbor_allgather)(&rank, 1, MPI_INT, data, 1, MPI_INT, ring, MPI_INFO_NULL, &r);
    say("Neighbor_allgather_init comm=0,1,2,3#18 bytes=4 persistent=%d", ++last_persistent);
    for (int i = 0; i < 2; i++)
        start(&r, last_persistent);
    CHECK(data[0] == (rank + 3) % 4 && data[1] == (rank + 1) % 4);
    MPI_Request_free(&r);
    say("Request_free persistent=%d", last_persistent);
    MPI_Comm_free(&ring);
    say("Comm_free comm=0,1,2,3#18");
}
#endif

#if MPI_VERSION >= 4
/* --- large counts --- */

static void do_large(void)
{
    const MPI_Count counts[] = {1, 0, 2, 3}, huge = (MPI_Count)5 << 32;
    const MPI_Aint places[] = {0, 1, 1, 3};
    MPI_Datatype nothing;
    MPI_Request r;
    MPI_Status status;
    MPI_Count got = 0;
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&nothing);
    if (rank % 2 == 0) {
        MPI_Send_c(in, 2, MPI_INT, peer, 50, MPI_COMM_WORLD);
        say("Send_c " WORLD " to=%d tag=50 bytes=8", peer);
        MPI_Send_c(in, huge, nothing, peer, 51, MPI_COMM_WORLD);
        say("Send_c " WORLD " to=%d tag=51 bytes=0", peer);
    } else {
        MPI_Recv_c(out, 16, MPI_INT, MPI_ANY_SOURCE, 50, MPI_COMM_WORLD, &status);
        say("Recv_c " WORLD " from=%d tag=50 bytes=8 any=source", peer);
        MPI_Get_count_c(&status, MPI_INT, &got);
        CHECK(got == 2);
        MPI_Irecv_c(out, huge, nothing, peer, 51, MPI_COMM_WORLD, &r);
        say("Irecv_c " WORLD " from=%d tag=51 bytes=0 request=%d", peer, ++last_request);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        say("Wait requests=%d", last_request);
    }
    MPI_Type_free(&nothing);
    /* Counts beyond the range of int, sent to MPI_PROC_NULL. */
    MPI_Send_c(in, huge, MPI_INT, MPI_PROC_NULL, 52, MPI_COMM_WORLD);
    say("Send_c " WORLD " to=null tag=52 bytes=85899345920");
    MPI_Allgatherv_c(in, counts[rank], MPI_INT, out, counts, places, MPI_INT, MPI_COMM_WORLD);
    say("Allgatherv_c " WORLD " bytes=%d", 4 * (int)counts[rank]);
    MPI_Scatterv_c(in, counts, places, MPI_INT, out, counts[rank], MPI_INT, 3, MPI_COMM_WORLD);
    if (rank == 3)
        say("Scatterv_c " WORLD " root=3 bytes=4,0,8,12");
    else
        say("Scatterv_c " WORLD " root=3 bytes=%d", 4 * (int)counts[rank]);
    MPI_Iallreduce_c(in, out, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
    say("Iallreduce_c " WORLD " bytes=12 request=%d", ++last_request);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    say("Wait requests=%d", last_request);
    /* Odd ranks call the function with large counts, even ranks the one without. */
    if (rank % 2) {
        MPI_Bcast_c(in, 2, MPI_INT, 0, MPI_COMM_WORLD);
        say("Bcast_c " WORLD " root=0 bytes=8");
    } else {
        MPI_Bcast(in, 2, MPI_INT, 0, MPI_COMM_WORLD);
        say("Bcast " WORLD " root=0 bytes=8");
    }
    MPI_Isendrecv(in, 1, MPI_INT, peer, 53, out, 4, MPI_INT, peer, 53, MPI_COMM_WORLD, &r);
    say("Isendrecv " WORLD " to=%d tag=53 bytes=4 from=%d recvtag=53 recvbytes=16 request=%d", peer,
        peer, ++last_request);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    say("Wait requests=%d", last_request);
}

/* --- partitions --- */

static void ready(MPI_Request r, int id, int round)
{
    const int list[] = {5, 0, 4};
    MPI_Pready_range(1, 3, r);
    say("Pready_range request=%d ready=1,3", id);
    if (round) {
        MPI_Pready_list(3, list, r);
        say("Pready_list request=%d ready=5,0,4", id);
        return;
    }
    for (int i = 0; i < 3; i++) {
        MPI_Pready(list[i], r);
        say("Pready request=%d ready=%d", id, list[i]);
    }
}

/* Polls until the partition has arrived; the test ignores unsuccessful polls in the trace. */
static void ask(MPI_Request r, int id)
{
    int arrived = 0;
    while (!arrived)
        MPI_Parrived(r, 1, &arrived);
    say("Parrived request=%d partition=1", id);
}

static void do_partitions(void)
{
    int data[6] = {0};
    MPI_Request r;
    if (rank % 2 == 0) {
        MPI_Psend_init(data, 6, 1, MPI_INT, peer, 60, BOTH, &r);
        say("Psend_init " WORLD " to=%d tag=60 bytes=24 partitions=6 persistent=%d", peer,
            ++last_persistent);
    } else {
        MPI_Precv_init(data, 2, 3, MPI_INT, peer, 60, BOTH, &r);
        say("Precv_init " WORLD " from=%d tag=60 bytes=24 partitions=2 persistent=%d", peer,
            ++last_persistent);
    }
    for (int round = 0; round < 3; round++) {
        MPI_Start(&r);
        say("Start persistent=%d requests=%d", last_persistent, ++last_request);
        for (int i = 0; i < 6 && rank % 2 == 0; i++)
            data[i] = 10 * round + i;
        if (rank % 2 == 0)
            ready(r, last_request, round % 2);
        else
            ask(r, last_request);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        say("Wait requests=%d", last_request);
        CHECK(data[5] == 10 * round + 5);
    }
    MPI_Request_free(&r);
    say("Request_free persistent=%d", last_persistent);
}
#endif

void do_later(void)
{
#ifdef PERSISTENT
    do_rooted();
    do_all();
    do_ring();
#endif
#if MPI_VERSION >= 4
    do_large();
    do_partitions();
#endif
}
