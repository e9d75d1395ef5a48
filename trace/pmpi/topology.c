/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/pmpi/topology.h"

#include <stdlib.h>

#include "trace/pmpi/event.h"

static bool allocate_neighbors(struct tracer_comm *c, int sources, int destinations)
{
    c->sources = malloc(((size_t)sources + (size_t)destinations + 1) * sizeof *c->sources);
    if (!c->sources)
        return false;
    c->topology = true;
    c->destinations = c->sources + sources;
    c->source_number = sources;
    c->destination_number = destinations;
    return true;
}

/* MPI-3.1 section 7.6: in each dimension first the neighbour in negative direction, then the neighbour in positive
 * direction. */
static bool read_cart(struct tracer_comm *c, MPI_Comm comm)
{
    int n = 0;
    PMPI_Cartdim_get(comm, &n);
    if (!allocate_neighbors(c, 2 * n, 2 * n))
        return false;
    for (int i = 0; i < n; i++)
        PMPI_Cart_shift(comm, i, 1, &c->sources[2 * i], &c->sources[2 * i + 1]);
    return true;
}

static bool read_graph(struct tracer_comm *c, MPI_Comm comm)
{
    int n = 0;
    PMPI_Graph_neighbors_count(comm, c->rank, &n);
    return allocate_neighbors(c, n, n) &&
           PMPI_Graph_neighbors(comm, c->rank, n, c->sources) == MPI_SUCCESS;
}

static bool read_dist_graph(struct tracer_comm *c, MPI_Comm comm)
{
    int in = 0, out = 0, weighted = 0, *weights = MPI_UNWEIGHTED;
    PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    if (!allocate_neighbors(c, in, out))
        return false;
    /* MPI also returns weights, which need memory. */
    if (weighted && !(weights = malloc(((size_t)in + (size_t)out + 1) * sizeof *weights)))
        return false;
    int rc = PMPI_Dist_graph_neighbors(comm, in, c->sources, weights, out, c->destinations,
                                       weighted ? weights + in : weights);
    if (weighted)
        free(weights);
    return rc == MPI_SUCCESS;
}

bool tracer_topology_read(struct tracer_comm *c, MPI_Comm comm)
{
    int kind = MPI_UNDEFINED;
    bool ok = true, undirected = true;
    if (c->groups->remote_size)
        return true;
    PMPI_Topo_test(comm, &kind);
    if (kind == MPI_CART)
        ok = read_cart(c, comm);
    else if (kind == MPI_GRAPH)
        ok = read_graph(c, comm);
    else if (kind == MPI_DIST_GRAPH) {
        ok = read_dist_graph(c, comm);
        undirected = false;
    }
    for (int i = 0; c->topology && i < c->source_number; i++) {
        c->sources[i] = tracer_peer(c->sources[i]);
        if (undirected)
            c->destinations[i] = c->sources[i];
    }
    return ok;
}
