/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Topologies and neighbourhood collectives for tests/trace/pmpi/ways.h (MPI-3.1, chapter 7). */
#include "tests/trace/pmpi/ways.h"

#include <stdio.h>

enum { P = 4, MOST = 8 };

static int in[4 * MOST], out[4 * MOST];
static MPI_Request request;
/* The compiler would warn about the macros as zero-length arrays. */
static int *volatile weights;

static void finish(void)
{
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    say("Wait requests=%d", last_request);
}

/* Calls every neighbourhood collective on C, named NAME, with N (0 or 1) destinations and sources. */
static void do_calls(MPI_Comm c, const char *name, int n)
{
    int counts[MOST], places[MOST];
    const char *bytes = n ? "4" : "0";
    MPI_Aint at[MOST];
    MPI_Datatype types[MOST];
    for (int i = 0; i < 4 * MOST; i++)
        in[i] = rank;
    for (int i = 0; i < MOST; i++) {
        counts[i] = 1;
        places[i] = 4 * i;
        at[i] = (MPI_Aint)(16 * i);
        types[i] = MPI_INT;
    }
    MPI_Neighbor_allgather(in, 1, MPI_INT, out, 1, MPI_INT, c);
    say("Neighbor_allgather comm=%s bytes=4", name);
    MPI_Neighbor_allgatherv(in, 1, MPI_INT, out, counts, places, MPI_INT, c);
    say("Neighbor_allgatherv comm=%s bytes=4", name);
    MPI_Neighbor_alltoall(in, 2, MPI_INT, out, 2, MPI_INT, c);
    say("Neighbor_alltoall comm=%s bytes=8", name);
    MPI_Ineighbor_allgather(in, 1, MPI_INT, out, 1, MPI_INT, c, &request);
    say("Ineighbor_allgather comm=%s bytes=4 request=%d", name, ++last_request);
    finish();
    MPI_Ineighbor_allgatherv(in, 1, MPI_INT, out, counts, places, MPI_INT, c, &request);
    say("Ineighbor_allgatherv comm=%s bytes=4 request=%d", name, ++last_request);
    finish();
    MPI_Ineighbor_alltoall(in, 2, MPI_INT, out, 2, MPI_INT, c, &request);
    say("Ineighbor_alltoall comm=%s bytes=8 request=%d", name, ++last_request);
    finish();
    MPI_Neighbor_alltoallv(in, counts, places, MPI_INT, out, counts, places, MPI_INT, c);
    say("Neighbor_alltoallv comm=%s bytes=%s", name, bytes);
    MPI_Neighbor_alltoallw(in, counts, at, types, out, counts, at, types, c);
    say("Neighbor_alltoallw comm=%s bytes=%s", name, bytes);
    MPI_Ineighbor_alltoallv(in, counts, places, MPI_INT, out, counts, places, MPI_INT, c,
                            &request);
    say("Ineighbor_alltoallv comm=%s bytes=%s request=%d", name, bytes, ++last_request);
    finish();
    MPI_Ineighbor_alltoallw(in, counts, at, types, out, counts, at, types, c, &request);
    say("Ineighbor_alltoallw comm=%s bytes=%s request=%d", name, bytes, ++last_request);
    finish();
}

/* Two rows of two ranks, periodic in the first dimension only: rank 0 has the neighbours 2, 2, none, 1. */
static void do_cart(void)
{
    const int dims[2] = {2, 2}, periods[2] = {1, 0};
    MPI_Comm grid, copy;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    say("Cart_create " WORLD " newcomm=0,1,2,3#3");
    MPI_Neighbor_alltoall(in, 2, MPI_INT, out, 2, MPI_INT, grid);
    say("Neighbor_alltoall comm=0,1,2,3#3 bytes=8");
    MPI_Comm_dup(grid, &copy);
    say("Comm_dup comm=0,1,2,3#3 newcomm=0,1,2,3#4");
    MPI_Neighbor_allgather(in, 3, MPI_INT, out, 3, MPI_INT, copy);
    say("Neighbor_allgather comm=0,1,2,3#4 bytes=12");
    use_and_free(copy, "0,1,2,3#4");
    use_and_free(grid, "0,1,2,3#3");
}

/* A ring in one direction, with different sources and destinations. */
static void do_ring(void)
{
    int left = (rank + P - 1) % P, right = (rank + 1) % P, one = 1, weight[1] = {3};
    MPI_Comm ring;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, weight, 1, &right, weight,
                                   MPI_INFO_NULL, 0, &ring);
    say("Dist_graph_create_adjacent " WORLD " newcomm=0,1,2,3#5");
    do_calls(ring, "0,1,2,3#5", 1);
    CHECK(out[0] == left);
    use_and_free(ring, "0,1,2,3#5");
    weights = MPI_UNWEIGHTED;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &left, weights, MPI_INFO_NULL, 0,
                          &ring);
    say("Dist_graph_create " WORLD " newcomm=0,1,2,3#6");
    do_calls(ring, "0,1,2,3#6", 1);
    CHECK(out[0] == right);
    use_and_free(ring, "0,1,2,3#6");
}

/* A graph in which every rank has both neighbours of a ring, and a graph without neighbours. */
static void do_graph(void)
{
    const int ends[P] = {2, 4, 6, 8};
    const int edges[2 * P] = {1, 3, 0, 2, 1, 3, 2, 0};
    MPI_Comm graph, alone;
    MPI_Graph_create(MPI_COMM_WORLD, P, ends, edges, 0, &graph);
    say("Graph_create " WORLD " newcomm=0,1,2,3#7");
    const int *with = &edges[2 * rank], counts[2] = {rank + with[0] + 1, rank + with[1] + 1};
    const int places[2] = {0, MOST};
    const MPI_Aint at[2] = {0, 4 * MOST};
    const MPI_Datatype types[2] = {MPI_SHORT, MPI_CHAR};
    const MPI_Datatype back[2] = {types[rank + with[0] == 3], types[rank + with[1] == 3]};
    MPI_Neighbor_alltoallv(in, counts, places, MPI_INT, out, counts, places, MPI_INT, graph);
    say("Neighbor_alltoallv comm=0,1,2,3#7 bytes=%d,%d", 4 * counts[0], 4 * counts[1]);
    CHECK(out[0] == with[0] && out[MOST + counts[1] - 1] == with[1]);
    MPI_Neighbor_alltoallw(in, counts, at, back, out, counts, at, back, graph);
    say("Neighbor_alltoallw comm=0,1,2,3#7 bytes=%d,%d", counts[0] * (rank + with[0] == 3 ? 1 : 2),
        counts[1] * (rank + with[1] == 3 ? 1 : 2));
    use_and_free(graph, "0,1,2,3#7");
    weights = MPI_WEIGHTS_EMPTY;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, weights, 0, NULL, weights,
                                   MPI_INFO_NULL, 0, &alone);
    say("Dist_graph_create_adjacent " WORLD " newcomm=0,1,2,3#8");
    do_calls(alone, "0,1,2,3#8", 0);
    use_and_free(alone, "0,1,2,3#8");
}

void do_neighbors(void)
{
    do_cart();
    do_ring();
    do_graph();
}
