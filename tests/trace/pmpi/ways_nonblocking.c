/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nonblocking collectives and MPI_Comm_idup for tests/trace/pmpi/ways.h (MPI-3.1, 5.12, 6.4.2). */
#include "tests/trace/pmpi/ways.h"

#include <stddef.h>
#include <stdio.h>

enum { P = 4 };

static const int counts[P] = {1, 0, 2, 3}, places[P] = {0, 1, 1, 3};
static const int each[P] = {2, 1, 1, 2}, apart[P] = {0, 8, 16, 24};

static int in[8 * P], out[8 * P];

/* the request of the last operation */
static MPI_Request request;

static void finish(void)
{
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(request == MPI_REQUEST_NULL);
    say("Wait requests=%d", last_request);
}

static void fill(void)
{
    for (int i = 0; i < 8 * P; i++) {
        in[i] = rank + 1;
        out[i] = -1;
    }
}

static void do_rooted(MPI_Comm c)
{
    MPI_Ibarrier(c, &request);
    say("Ibarrier " WORLD " request=%d", ++last_request);
    finish();
    fill();
    MPI_Ibcast(in, 3, MPI_INT, 2, c, &request);
    say("Ibcast " WORLD " root=2 bytes=12 request=%d", ++last_request);
    finish();
    CHECK(in[2] == 3);
    fill();
    MPI_Ireduce(in, out, 2, MPI_INT, MPI_SUM, 1, c, &request);
    say("Ireduce " WORLD " root=1 bytes=8 request=%d", ++last_request);
    finish();
    CHECK(rank != 1 || out[1] == 10);
    MPI_Igather(in, 2, MPI_INT, out, 2, rank == 3 ? MPI_INT : MPI_DATATYPE_NULL, 3, c, &request);
    say("Igather " WORLD " root=3 bytes=8 request=%d", ++last_request);
    finish();
    CHECK(rank != 3 || out[4] == 3);
    MPI_Igatherv(rank == 2 ? MPI_IN_PLACE : in, counts[rank], MPI_INT, out, counts, places, MPI_INT,
                 2, c, &request);
    say("Igatherv " WORLD " root=2 bytes=%d request=%d", 4 * counts[rank], ++last_request);
    finish();
    CHECK(rank != 2 || out[3] == 4);
    MPI_Iscatter(in, 2, rank == 2 ? MPI_INT : MPI_DATATYPE_NULL, out, 4, MPI_SHORT, 2, c, &request);
    say("Iscatter " WORLD " root=2 bytes=8 request=%d", ++last_request);
    finish();
    CHECK(out[0] == 3);
    MPI_Iscatterv(in, counts, places, MPI_INT, out, counts[rank], MPI_INT, 1, c, &request);
    if (rank == 1)
        say("Iscatterv " WORLD " root=1 bytes=4,0,8,12 request=%d", ++last_request);
    else
        say("Iscatterv " WORLD " root=1 bytes=%d request=%d", 4 * counts[rank], ++last_request);
    finish();
    CHECK(rank == 1 || out[0] == 2);
}

static void do_all(MPI_Comm c)
{
    fill();
    MPI_Iallreduce(MPI_IN_PLACE, in, 2, MPI_INT, MPI_MAX, c, &request);
    say("Iallreduce " WORLD " bytes=8 request=%d", ++last_request);
    finish();
    CHECK(in[1] == 4);
    fill();
    MPI_Iallgather(in, 1, MPI_INT, out, 1, MPI_INT, c, &request);
    say("Iallgather " WORLD " bytes=4 request=%d", ++last_request);
    finish();
    CHECK(out[3] == 4);
    MPI_Iallgatherv(in, counts[rank], MPI_INT, out, counts, places, MPI_INT, c, &request);
    say("Iallgatherv " WORLD " bytes=%d request=%d", 4 * counts[rank], ++last_request);
    finish();
    CHECK(out[3] == 4 && out[1] == 3);
    MPI_Ialltoall(in, 1, MPI_INT, out, 1, MPI_INT, c, &request);
    say("Ialltoall " WORLD " bytes=4 request=%d", ++last_request);
    finish();
    CHECK(out[2] == 3);
    const int received[P] = {counts[rank], counts[rank], counts[rank], counts[rank]};
    const int at[P] = {0, 3, 6, 9};
    MPI_Ialltoallv(in, counts, places, MPI_INT, out, received, at, MPI_INT, c, &request);
    say("Ialltoallv " WORLD " bytes=4,0,8,12 request=%d", ++last_request);
    finish();
    CHECK(counts[rank] == 0 || out[6] == 3);
    MPI_Ireduce_scatter(in, out, counts, MPI_INT, MPI_SUM, c, &request);
    say("Ireduce_scatter " WORLD " bytes=24 request=%d", ++last_request);
    finish();
    CHECK(counts[rank] == 0 || out[0] == 10);
    MPI_Ireduce_scatter_block(in, out, 2, MPI_INT, MPI_SUM, c, &request);
    say("Ireduce_scatter_block " WORLD " bytes=32 request=%d", ++last_request);
    finish();
    CHECK(out[1] == 10);
    MPI_Iscan(in, out, 1, MPI_INT, MPI_SUM, c, &request);
    say("Iscan " WORLD " bytes=4 request=%d", ++last_request);
    finish();
    CHECK(out[0] == (rank + 1) * (rank + 2) / 2);
    MPI_Iexscan(in, out, 3, MPI_INT, MPI_SUM, c, &request);
    say("Iexscan " WORLD " bytes=12 request=%d", ++last_request);
    finish();
    CHECK(rank == 0 || out[2] == rank * (rank + 1) / 2);
}

/* An MPI_Ialltoallw with a datatype for each destination; one derived type has a gap. */
static void do_types(MPI_Comm c)
{
    MPI_Datatype pair;
    MPI_Type_vector(2, 1, 2, MPI_SHORT, &pair);
    MPI_Type_commit(&pair);
    const MPI_Datatype types[P] = {MPI_INT, MPI_SHORT, pair, MPI_CHAR};
    const MPI_Datatype mine[P] = {types[rank], types[rank], types[rank], types[rank]};
    const int received[P] = {each[rank], each[rank], each[rank], each[rank]};
    fill();
    MPI_Alltoallw(in, each, apart, types, out, received, apart, mine, c);
    say("Alltoallw " WORLD " bytes=8,2,4,2");
    CHECK(rank > 1 || (short)out[4] == 3);
    MPI_Ialltoallw(in, each, apart, types, out, received, apart, mine, c, &request);
    say("Ialltoallw " WORLD " bytes=8,2,4,2 request=%d", ++last_request);
    finish();
    const MPI_Datatype bytes[P] = {MPI_CHAR, MPI_CHAR, MPI_CHAR, MPI_CHAR};
    const int same[P] = {3, 3, 3, 3};
    MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, out, same, apart, bytes, c);
    say("Alltoallw " WORLD " bytes=3,3,3,3");
    /* The library reuses the freed type's handle for a larger type. */
    MPI_Type_free(&pair);
    MPI_Type_vector(3, 1, 2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Bcast(in, 1, pair, 0, c);
    say("Bcast " WORLD " root=0 bytes=12");
    MPI_Type_free(&pair);
}

static void do_copy(MPI_Comm c)
{
    MPI_Comm first, second;
    MPI_Request r[2];
    MPI_Comm_idup(c, &first, &r[0]);
    say("Comm_idup " WORLD " newcomm=0,1,2,3#1 request=%d", ++last_request);
    MPI_Ibarrier(c, &r[1]);
    say("Ibarrier " WORLD " request=%d", ++last_request);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    say("Waitall requests=%d,%d", last_request - 1, last_request);
    MPI_Comm_dup(first, &second);
    say("Comm_dup comm=0,1,2,3#1 newcomm=0,1,2,3#2");
    use_and_free(first, "0,1,2,3#1");
    use_and_free(second, "0,1,2,3#2");
}

void do_nonblocking(void)
{
    do_rooted(MPI_COMM_WORLD);
    do_all(MPI_COMM_WORLD);
    do_types(MPI_COMM_WORLD);
    do_copy(MPI_COMM_WORLD);
}
