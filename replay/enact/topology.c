/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Topologies. The trace has the neighbours of each rank, which determine the extents of a Cartesian grid. */
#include "replay/enact/player.h"

#include <stdlib.h>

enum { MAX_DIMENSIONS = 32 };

struct grid {
    int n, dims[MAX_DIMENSIONS], periods[MAX_DIMENSIONS];
};

/* Sets *LENGTH and *PERIOD of dimension I, following the neighbours in positive direction from member 0. ALL: the
 * neighbours of all members; MEMBERS: their number. Returns false if the neighbours form no grid. */
static bool measure(const struct grid *g, int i, const int *all, int members, int *length, int *period)
{
    int at = 0;
    for (*length = 1; *length <= members; ++*length) {
        const int next = all[at * 2 * g->n + 2 * i + 1];
        *period = next == 0;
        if (next == 0 || next == MPG_PROC_NULL)
            return true;
        if (next < 0 || next >= members)
            return false;
        at = next;
    }
    return false;
}

/* Fills ALL with WIDTH neighbours of each member of MADE, ordered by rank in MADE. The members exchange the neighbours
 * over OLD, which has OLD_SIZE members. */
static int gather(struct player *p, struct play_comm *old, int old_size, struct play_comm *made, int width,
                  int *all)
{
    const size_t row = (size_t)width + 1;
    int *rows = malloc(((size_t)old_size + 1) * row * sizeof *rows);
    if (!rows)
        return play_fail(p, "out of memory");
    int *own = rows + (size_t)old_size * row;
    own[0] = made ? made->rank : -1;
    for (int i = 0; i < width; i++)
        own[1 + i] = made && made->has_neighbors && i < (int)made->neighbors.source_number
                         ? made->neighbors.sources[i]
                         : MPG_UNKNOWN;
    const int rc = PLAY_CALL(p, PMPI_Allgather(own, (int)row, MPI_INT, rows, (int)row, MPI_INT, old->comm));
    for (int k = 0; rc == MPI_SUCCESS && k < old_size; k++) {
        const int *from = rows + (size_t)k * row;
        for (int i = 0; from[0] >= 0 && from[0] < old_size && i < width; i++)
            all[(size_t)from[0] * (size_t)width + (size_t)i] = from[1 + i];
    }
    free(rows);
    return play_check(p, rc);
}

/* Sets *G to the grid formed by the neighbours of all members of MADE; without neighbours, to a line. */
static int find_grid(struct player *p, struct play_comm *old, struct play_comm *made, struct grid *g)
{
    int old_size;
    int max[2] = {made && made->has_neighbors ? (int)made->neighbors.source_number : 0,
                  made ? made->traced->size : 0};
    PMPI_Comm_size(old->comm, &old_size);
    if (play_check(p, PLAY_CALL(p, PMPI_Allreduce(MPI_IN_PLACE, max, 2, MPI_INT, MPI_MAX, old->comm))) < 0)
        return -1;
    *g = (struct grid){.n = 1, .dims = {max[1]}};
    if (max[0] < 2)
        return 0;
    int *all = calloc((size_t)old_size * (size_t)max[0], sizeof *all);
    if (!all)
        return play_fail(p, "out of memory");
    int status = gather(p, old, old_size, made, max[0], all);
    int64_t size = 1;
    g->n = max[0] / 2;
    bool found = g->n <= MAX_DIMENSIONS;
    for (int i = 0; status == 0 && found && i < g->n; i++) {
        found = measure(g, i, all, max[1], &g->dims[i], &g->periods[i]);
        size *= g->dims[i];
    }
    free(all);
    if (status == 0 && (!found || size != max[1]))
        status = play_fail(p, "the neighbours do not form a Cartesian grid");
    return status;
}

/* Sets *KEEPS, on all ranks, to whether the members of MADE are the first members of OLD in the same order. */
static int keeps_order(struct player *p, struct play_comm *old, struct play_comm *made, int *keeps)
{
    *keeps = 1;
    for (int32_t i = 0; made && i < made->traced->size; i++)
        *keeps &= made->traced->world_ranks[i] == old->traced->world_ranks[i];
    return play_check(p, PLAY_CALL(p, PMPI_Allreduce(MPI_IN_PLACE, keeps, 1, MPI_INT, MPI_MIN, old->comm)));
}

/* Copies all of the N RANKS but MPI_PROC_NULL to INTO. Returns the number of copies. */
static int some_of(const int32_t *ranks, uint32_t n, int *into)
{
    int kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (ranks[i] != MPG_PROC_NULL)
            into[kept++] = ranks[i];
    return kept;
}

static int make_graph(struct player *p, MPI_Comm from, struct play_comm *made, MPI_Comm *into)
{
    const struct mpg_neighbors none = {0}, *n = made && made->has_neighbors ? &made->neighbors : &none;
    int *volatile unweighted = MPI_UNWEIGHTED; /* volatile, since gcc takes MPICH's constant for the address of a too
                                                  short array, and warns */
    int *sources = malloc(((size_t)n->source_number + n->destination_number + 1) * sizeof *sources);
    if (!sources)
        return play_fail(p, "out of memory");
    const int in = some_of(n->sources, n->source_number, sources);
    const int out = some_of(n->destinations, n->destination_number, sources + in);
    const int rc = PLAY_CALL(p, MPI_Dist_graph_create_adjacent(from, in, sources, unweighted, out, sources + in,
                                                  unweighted, MPI_INFO_NULL, 0, into));
    free(sources);
    return play_check(p, rc);
}

int play_topology(struct player *p, struct play_comm *old, struct play_comm *made, MPI_Comm *into)
{
    int keeps;
    struct grid g = {0};
    MPI_Comm ordered = old->comm;
    if (keeps_order(p, old, made, &keeps) < 0 ||
        (p->action->plain == MPG_CALL_Cart_create && find_grid(p, old, made, &g) < 0))
        return -1;
    if (!keeps) /* the members are ordered differently in OLD: a split orders them first */
        if (play_check(p, PLAY_CALL(p, PMPI_Comm_split(old->comm, made ? 0 : MPI_UNDEFINED, made ? made->rank : 0,
                                          &ordered))) < 0)
            return -1;
    int status = 0;
    if (g.n > 0 && ordered != MPI_COMM_NULL)
        status = play_check(p, PLAY_CALL(p, MPI_Cart_create(ordered, g.n, g.dims, g.periods, 0, into)));
    else if (ordered != MPI_COMM_NULL)
        status = make_graph(p, ordered, made, into);
    if (!keeps && ordered != MPI_COMM_NULL)
        (void)PLAY_CALL(p, PMPI_Comm_free(&ordered));
    return status;
}

/* --- subgrids --- */

static int32_t place_of(const struct mpg_comm *traced, int32_t world_rank)
{
    for (int32_t i = 0; i < traced->size; i++)
        if (traced->world_ranks[i] == world_rank)
            return i;
    return -1;
}

/* Returns whether the neighbours of MADE in dimension J of MADE fit a dimension of extent 1: the rank itself if periodic,
 * else MPI_PROC_NULL. */
static bool is_flat(const struct play_comm *made, uint32_t j, bool periodic)
{
    const int32_t expected = periodic ? made->rank : MPG_PROC_NULL;
    return made->has_neighbors && 2 * j + 1 < made->neighbors.source_number &&
           made->neighbors.sources[2 * j] == expected && made->neighbors.sources[2 * j + 1] == expected;
}

/* Sets KEPT for the dimensions of grid G of OLD that MADE keeps: dimensions in which MADE's members have different
 * coordinates, COORDS, and dimensions of extent 1 that fit MADE's neighbours. */
static void find_kept(const struct grid *g, const struct play_comm *made, const int *coords, int *kept)
{
    uint32_t pairs = 0;
    for (int i = 0; i < g->n; i++) {
        kept[i] = g->dims[i] == 1 && is_flat(made, pairs, g->periods[i]);
        for (int32_t k = 1; k < made->traced->size && g->dims[i] > 1; k++)
            kept[i] |= coords[k * g->n + i] != coords[i];
        pairs += kept[i] != 0;
    }
}

/* Returns whether MADE consists of all members along the KEPT dimensions of grid G, in the grid's order. */
static bool is_part(const struct grid *g, const struct play_comm *made, const int *coords, const int *kept)
{
    int64_t size = 1;
    for (int i = 0; i < g->n; i++)
        size *= kept[i] ? g->dims[i] : 1;
    if (size != made->traced->size)
        return false;
    for (int32_t k = 0; k < made->traced->size; k++) {
        int64_t place = 0;
        for (int i = 0; i < g->n; i++)
            place = kept[i] ? place * g->dims[i] + coords[k * g->n + i] : place;
        if (place != k)
            return false;
    }
    return true;
}

/* Returns the N coordinates in OLD's grid of each member of MADE, for the caller to free; NULL: out of memory. */
static int *find_coords(const struct play_comm *old, const struct play_comm *made, int n)
{
    int *coords = calloc((size_t)made->traced->size * (size_t)n + 1, sizeof *coords);
    for (int32_t k = 0; coords && k < made->traced->size; k++) {
        const int32_t place = place_of(old->traced, made->traced->world_ranks[k]);
        if (place >= 0)
            PMPI_Cart_coords(old->comm, place, n, coords + (size_t)k * (size_t)n);
    }
    return coords;
}

int play_cart_sub(struct player *p, struct play_comm *old, struct play_comm *made, bool *is_one, MPI_Comm *into)
{
    struct grid g = {0};
    int kept[MAX_DIMENSIONS + 1] = {0}, own[MAX_DIMENSIONS], topology;
    *is_one = false;
    PMPI_Topo_test(old->comm, &topology);
    if (topology != MPI_CART || PMPI_Cartdim_get(old->comm, &g.n) != MPI_SUCCESS || g.n > MAX_DIMENSIONS)
        return 0;
    PMPI_Cart_get(old->comm, g.n, g.dims, g.periods, own);
    int *coords = made ? find_coords(old, made, g.n) : NULL;
    if (made && !coords)
        return play_fail(p, "out of memory");
    if (made)
        find_kept(&g, made, coords, kept);
    /* ranks outside of MADE have zeros, so all ranks get the members' values */
    int status = play_check(p, PLAY_CALL(p, PMPI_Allreduce(MPI_IN_PLACE, kept, g.n, MPI_INT, MPI_MAX, old->comm)));
    int differs = made && !is_part(&g, made, coords, kept);
    free(coords);
    if (status < 0 || play_check(p, PLAY_CALL(p, PMPI_Allreduce(MPI_IN_PLACE, &differs, 1, MPI_INT, MPI_MAX, old->comm))) < 0)
        return -1;
    *is_one = !differs;
    return differs ? 0 : play_check(p, PLAY_CALL(p, MPI_Cart_sub(old->comm, kept, into)));
}
