/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives and communicators of tests/trace/pmpi/ways.h. */
#include "tests/trace/pmpi/ways.h"

#include <stdio.h>
#include <stdlib.h>

enum { P = 4 };

static const int counts[P] = {1, 0, 2, 3}, places[P] = {0, 1, 1, 3};

static void fill(int *in)
{
    for (int i = 0; i < 4 * P; i++)
        in[i] = rank + 1;
}

void do_collectives(void)
{
    int in[4 * P], out[4 * P];
    MPI_Comm c = MPI_COMM_WORLD;
    fill(in);
    MPI_Barrier(c);
    say("Barrier " WORLD);
    MPI_Bcast(in, 3, MPI_INT, 2, c);
    CHECK(in[2] == 3 && in[3] == rank + 1);
    say("Bcast " WORLD " root=2 bytes=12");
    fill(in);
    MPI_Reduce(in, out, 2, MPI_INT, MPI_SUM, 1, c);
    CHECK(rank != 1 || out[1] == 10);
    say("Reduce " WORLD " root=1 bytes=8");
    MPI_Allreduce(in, out, 2, MPI_INT, MPI_MAX, c);
    CHECK(out[1] == 4);
    say("Allreduce " WORLD " bytes=8");
    MPI_Gather(in, 2, MPI_INT, out, 2, rank == 3 ? MPI_INT : MPI_DATATYPE_NULL, 3, c);
    CHECK(rank != 3 || out[4] == 3);
    say("Gather " WORLD " root=3 bytes=8");
    MPI_Gatherv(in, counts[rank], MPI_INT, out, counts, places, MPI_INT, 0, c);
    CHECK(rank != 0 || out[4] == 4);
    say("Gatherv " WORLD " root=0 bytes=%d", 4 * counts[rank]);
    MPI_Scatter(in, 2, rank == 2 ? MPI_INT : MPI_DATATYPE_NULL, out, 4, MPI_SHORT, 2, c);
    CHECK(out[0] == 3);
    say("Scatter " WORLD " root=2 bytes=8");
    MPI_Scatterv(in, counts, places, MPI_INT, out, counts[rank], MPI_INT, 1, c);
    CHECK(rank == 1 || out[0] == 2);
    if (rank == 1)
        say("Scatterv " WORLD " root=1 bytes=4,0,8,12");
    else
        say("Scatterv " WORLD " root=1 bytes=%d", 4 * counts[rank]);
    MPI_Allgather(in, 1, MPI_INT, out, 1, MPI_INT, c);
    CHECK(out[3] == 4);
    say("Allgather " WORLD " bytes=4");
    MPI_Allgatherv(in, counts[rank], MPI_INT, out, counts, places, MPI_INT, c);
    CHECK(out[3] == 4 && out[1] == 3);
    say("Allgatherv " WORLD " bytes=%d", 4 * counts[rank]);
    MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, c);
    CHECK(out[2] == 3);
    say("Alltoall " WORLD " bytes=4");
    /* Every rank sends counts[i] elements to rank i. */
    int received[P], at[P] = {0, 3, 6, 9};
    for (int i = 0; i < P; i++)
        received[i] = counts[rank];
    MPI_Alltoallv(in, counts, places, MPI_INT, out, received, at, MPI_INT, c);
    CHECK(counts[rank] == 0 || out[6] == 3);
    say("Alltoallv " WORLD " bytes=4,0,8,12");
    MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, c);
    CHECK(counts[rank] == 0 || out[0] == 10);
    say("Reduce_scatter " WORLD " bytes=24");
    MPI_Reduce_scatter_block(in, out, 2, MPI_INT, MPI_SUM, c);
    CHECK(out[1] == 10);
    say("Reduce_scatter_block " WORLD " bytes=32");
    MPI_Scan(in, out, 1, MPI_DOUBLE, MPI_MIN, c);
    say("Scan " WORLD " bytes=8");
    MPI_Exscan(in, out, 3, MPI_INT, MPI_SUM, c);
    CHECK(rank == 0 || out[2] == rank * (rank + 1) / 2);
    say("Exscan " WORLD " bytes=12");
    MPI_Bcast(NULL, 0, MPI_INT, 0, c);
    say("Bcast " WORLD " root=0 bytes=0");
}

void do_in_place(void)
{
    int b[4 * P];
    MPI_Comm c = MPI_COMM_WORLD;
    fill(b);
    MPI_Reduce(rank == 1 ? MPI_IN_PLACE : b, b, 2, MPI_INT, MPI_SUM, 1, c);
    CHECK(rank != 1 || b[0] == 10);
    say("Reduce " WORLD " root=1 bytes=8");
    fill(b);
    MPI_Allreduce(MPI_IN_PLACE, b, 2, MPI_INT, MPI_SUM, c);
    CHECK(b[1] == 10);
    say("Allreduce " WORLD " bytes=8");
    MPI_Gather(rank == 0 ? MPI_IN_PLACE : b, rank == 0 ? 0 : 3, MPI_INT, b, 3, MPI_INT, 0, c);
    say("Gather " WORLD " root=0 bytes=12");
    MPI_Gatherv(rank == 2 ? MPI_IN_PLACE : b, rank == 2 ? 0 : counts[rank], MPI_INT, b, counts,
                places, MPI_INT, 2, c);
    say("Gatherv " WORLD " root=2 bytes=%d", 4 * counts[rank]);
    if (rank == 0)
        MPI_Scatter(b, 2, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, c);
    else
        MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, b, 2, MPI_INT, 0, c);
    say("Scatter " WORLD " root=0 bytes=8");
    if (rank == 3)
        MPI_Scatterv(b, counts, places, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 3, c);
    else
        MPI_Scatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL, b, counts[rank], MPI_INT, 3, c);
    if (rank == 3)
        say("Scatterv " WORLD " root=3 bytes=4,0,8,12");
    else
        say("Scatterv " WORLD " root=3 bytes=%d", 4 * counts[rank]);
    fill(b);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 2, MPI_INT, c);
    CHECK(b[2] == 2 && b[7] == 4);
    say("Allgather " WORLD " bytes=8");
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, counts, places, MPI_INT, c);
    say("Allgatherv " WORLD " bytes=%d", 4 * counts[rank]);
    fill(b);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 3, MPI_INT, c);
    CHECK(b[3] == 2);
    say("Alltoall " WORLD " bytes=12");
    const int each[P] = {2, 2, 2, 2}, at[P] = {0, 2, 4, 6};
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, b, each, at, MPI_INT, c);
    say("Alltoallv " WORLD " bytes=8,8,8,8");
    fill(b);
    MPI_Reduce_scatter(MPI_IN_PLACE, b, counts, MPI_INT, MPI_SUM, c);
    CHECK(counts[rank] == 0 || b[0] == 10);
    say("Reduce_scatter " WORLD " bytes=24");
    fill(b);
    MPI_Reduce_scatter_block(MPI_IN_PLACE, b, 1, MPI_INT, MPI_SUM, c);
    CHECK(b[0] == 10);
    say("Reduce_scatter_block " WORLD " bytes=16");
    fill(b);
    MPI_Scan(MPI_IN_PLACE, b, 1, MPI_INT, MPI_SUM, c);
    CHECK(b[0] == (rank + 1) * (rank + 2) / 2);
    say("Scan " WORLD " bytes=4");
    MPI_Exscan(MPI_IN_PLACE, b, 1, MPI_INT, MPI_SUM, c);
    say("Exscan " WORLD " bytes=4");
}

void use_and_free(MPI_Comm c, const char *name)
{
    int b[2] = {0};
    MPI_Bcast(b, 2, MPI_INT, 0, c);
    say("Bcast comm=%s root=0 bytes=8", name);
    MPI_Comm_free(&c);
    CHECK(c == MPI_COMM_NULL);
    say("Comm_free comm=%s", name);
}

static void do_groups(void)
{
    const int members[2] = {1, 0};
    MPI_Comm made;
    MPI_Group world, group;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, members, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &made);
    CHECK((made == MPI_COMM_NULL) == (rank > 1));
    say("Comm_create " WORLD " newcomm=%s", rank > 1 ? "null" : "1,0");
    if (rank < 2) {
        use_and_free(made, "1,0");
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 3, &made);
        say("Comm_create_group " WORLD " newcomm=1,0#1");
        use_and_free(made, "1,0#1");
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world);
}

static void do_topologies(void)
{
    const int dims[2] = {2, 2}, periods[2] = {1, 0}, remain[2] = {1, 0};
    const int ends[P] = {1, 2, 3, 4}, next[P] = {1, 2, 3, 0};
    int left = (rank + P - 1) % P, right = (rank + 1) % P, one = 1, weight[1] = {1};
    MPI_Comm grid, column, made;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    say("Cart_create " WORLD " newcomm=0,1,2,3#11");
    MPI_Cart_sub(grid, remain, &column);
    const char *name = rank % 2 ? "1,3" : "0,2#1";
    say("Cart_sub comm=0,1,2,3#11 newcomm=%s", name);
    use_and_free(column, name);
    use_and_free(grid, "0,1,2,3#11");
    MPI_Graph_create(MPI_COMM_WORLD, P, ends, next, 0, &made);
    say("Graph_create " WORLD " newcomm=0,1,2,3#12");
    use_and_free(made, "0,1,2,3#12");
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &right, weight, MPI_INFO_NULL, 0, &made);
    say("Dist_graph_create " WORLD " newcomm=0,1,2,3#13");
    use_and_free(made, "0,1,2,3#13");
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, weight, 1, &right, weight,
                                   MPI_INFO_NULL, 0, &made);
    say("Dist_graph_create_adjacent " WORLD " newcomm=0,1,2,3#14");
    use_and_free(made, "0,1,2,3#14");
}

static void do_inter(void)
{
    MPI_Comm half, inter, merged;
    int b[4] = {0}, c[4];
    const char *mine = rank < 2 ? "0,1" : "2,3";
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    say("Comm_split " WORLD " newcomm=%s", mine);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 5, &inter);
    say("Intercomm_create comm=%s newcomm=0,1|2,3", mine);
    if (rank == 1) {
        MPI_Send(b, 1, MPI_INT, 0, 50, inter);
        say("Send comm=0,1|2,3 to=0 tag=50 bytes=4");
    } else if (rank == 2) {
        MPI_Recv(b, 1, MPI_INT, MPI_ANY_SOURCE, 50, inter, MPI_STATUS_IGNORE);
        say("Recv comm=0,1|2,3 from=1 tag=50 bytes=4 any=source");
    }
    MPI_Bcast(b, rank == 0 ? 0 : 2, MPI_INT, rank == 0 ? MPI_PROC_NULL : rank == 1 ? MPI_ROOT : 1,
              inter);
    say("Bcast comm=0,1|2,3 root=%s bytes=%d", rank == 0 ? "null" : rank == 1 ? "root" : "1",
        rank == 0 ? 0 : 8);
    MPI_Barrier(inter);
    say("Barrier comm=0,1|2,3");
    const int two[2] = {1, 2}, each[2] = {2 - rank / 2, 2 - rank / 2}, at[2] = {0, 2};
    const int give[2] = {1 + rank / 2, 1 + rank / 2};
    MPI_Reduce_scatter(b, c, two, MPI_INT, MPI_SUM, inter);
    say("Reduce_scatter comm=0,1|2,3 bytes=12");
    MPI_Alltoallv(b, give, at, MPI_INT, c, each, at, MPI_INT, inter);
    say("Alltoallv comm=0,1|2,3 bytes=%d,%d", 4 * give[0], 4 * give[0]);
    if (rank == 3)
        MPI_Gather(NULL, 0, MPI_DATATYPE_NULL, c, 1, MPI_INT, MPI_ROOT, inter);
    else
        MPI_Gather(b, 1, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, rank < 2 ? 1 : MPI_PROC_NULL, inter);
    say("Gather comm=0,1|2,3 root=%s bytes=%d", rank < 2 ? "1" : rank == 3 ? "root" : "null",
        rank < 2 ? 4 : 0);
    if (rank == 0)
        MPI_Scatterv(b, two, at, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, MPI_ROOT, inter);
    else
        MPI_Scatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL, c, rank == 3 ? 2 : 1, MPI_INT,
                     rank == 1 ? MPI_PROC_NULL : 0, inter);
    say("Scatterv comm=0,1|2,3 root=%s bytes=%s", rank < 2 ? rank ? "null" : "root" : "0",
        rank == 0 ? "4,8" : rank == 1 ? "0" : rank == 2 ? "4" : "8");
    MPI_Intercomm_merge(inter, rank >= 2, &merged);
    say("Intercomm_merge comm=0,1|2,3 newcomm=0,1,2,3#15");
    use_and_free(merged, "0,1,2,3#15");
    MPI_Comm_free(&inter);
    say("Comm_free comm=0,1|2,3");
    use_and_free(half, mine);
}

void do_constructors(void)
{
    MPI_Comm first, second, made;
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    say("Comm_dup " WORLD " newcomm=0,1,2,3#9");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &second);
    say("Comm_dup_with_info " WORLD " newcomm=0,1,2,3#10");
    use_and_free(second, "0,1,2,3#10");
    use_and_free(first, "0,1,2,3#9");
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2 ? MPI_UNDEFINED : 0, 0, &made);
    say("Comm_split " WORLD " newcomm=%s", rank % 2 ? "null" : "0,2");
    if (rank % 2 == 0)
        use_and_free(made, "0,2");
    do_groups();
    do_topologies();
    do_inter();
    if (getenv("WAYS_APART")) { /* each rank is alone on its host, so MPI_COMM_TYPE_SHARED would give one communicator for
                                   each rank */
        MPI_Comm_dup(MPI_COMM_WORLD, &made);
        say("Comm_dup " WORLD " newcomm=0,1,2,3#16");
    } else {
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &made);
        say("Comm_split_type " WORLD " newcomm=0,1,2,3#16");
    }
    use_and_free(made, "0,1,2,3#16");
}
