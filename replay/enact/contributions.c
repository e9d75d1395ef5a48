/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A rank's trace has the bytes that this rank passes to each collective. To receive, the rank also needs the bytes of the
 * peers. Therefore the members of a new communicator exchange the sizes for all later collectives on the communicator. */
#include "replay/enact/player.h"

#include <stdlib.h>
#include <string.h>

/* Transposes OWN: CALLS rows of WIDTH numbers become WIDTH rows of CALLS numbers. */
static void turn(const int64_t *own, size_t calls, size_t width, int64_t *rows)
{
    for (size_t i = 0; i < calls; i++)
        for (size_t k = 0; k < width; k++)
            rows[k * calls + i] = own[i * width + k];
}

/* A reduction on an intercommunicator gives each group the result of the remote group. Sends ITS, the remote group's
 * result, back, and sets *SILENT if the result of this rank's group is not 0. */
static int agree_between_groups(struct player *p, struct play_comm *c, int64_t its, bool *silent)
{
    int64_t own = 0;
    if (play_check(p, PLAY_CALL(p, PMPI_Allreduce(&its, &own, 1, MPI_INT64_T, MPI_MAX, c->comm))) < 0)
        return -1;
    *silent = *silent || own != 0;
    return 0;
}

/* Checks that all members of C make as many calls of each kind as this rank, CALLS. Sets *SILENT if any member needs C's
 * duplicate without messages (play_comm.silent). */
static int agree(struct player *p, struct play_comm *c, const int64_t *calls, bool *silent)
{
    enum { BOTH = 2 * MPG_CONTRIBUTION_KINDS };
    int64_t both[BOTH + 1], all[BOTH + 1] = {0};
    for (int i = 0; i < MPG_CONTRIBUTION_KINDS; i++) {
        both[i] = calls[i];
        both[MPG_CONTRIBUTION_KINDS + i] = -calls[i];
    }
    both[BOTH] = *silent;
    if (play_check(p, PLAY_CALL(p, PMPI_Allreduce(both, all, BOTH + 1, MPI_INT64_T, MPI_MAX, c->comm))) < 0)
        return -1;
    for (int i = 0; i < BOTH; i++)
        if (all[i] != both[i])
            return play_fail(p, "members of communicator %d make different numbers of collectives "
                                "with individual sizes", c->traced->label);
    *silent = *silent || all[BOTH] != 0;
    return c->remote ? agree_between_groups(p, c, all[BOTH], silent) : 0;
}

static int exchange(struct player *p, struct play_comm *c, enum mpg_contribution_kind kind, const struct mpg_contributions *own)
{
    struct play_contributions *s = &c->contributions[kind];
    const bool near = kind == MPG_CONTRIBUTION_NEIGHBORS || kind == MPG_CONTRIBUTION_PER_EDGE;
    const bool each = kind == MPG_CONTRIBUTION_PER_PEER || kind == MPG_CONTRIBUTION_PER_EDGE;
    const size_t n = own->calls;
    const int in = near ? (int)c->neighbors.source_number : c->peers;
    const int out = near ? (int)c->neighbors.destination_number : c->peers;
    if (n * sizeof(int64_t) > INT32_MAX / 2)
        return play_fail(p, "too many collectives with sizes that differ between ranks");
    int64_t *from = calloc(n * (each ? (size_t)out : 1) + 1, sizeof *from);
    int64_t *rows = calloc(n * (size_t)in + 1, sizeof *rows);
    s->bytes = calloc(n * (size_t)in + 1, sizeof *s->bytes);
    if (!from || !rows || !s->bytes) {
        free(from);
        free(rows);
        return play_fail(p, "out of memory");
    }
    if (each)
        turn(own->bytes, n, own->width < (size_t)out ? own->width : (size_t)out, from);
    else
        memcpy(from, own->bytes, n * sizeof *from);
    int rc;
    if (kind == MPG_CONTRIBUTION_SINGLE)
        rc = PLAY_CALL(p, PMPI_Allgather(from, (int)n, MPI_INT64_T, rows, (int)n, MPI_INT64_T, c->comm));
    else if (kind == MPG_CONTRIBUTION_PER_PEER)
        rc = PLAY_CALL(p, PMPI_Alltoall(from, (int)n, MPI_INT64_T, rows, (int)n, MPI_INT64_T, c->comm));
    else if (kind == MPG_CONTRIBUTION_NEIGHBORS)
        rc = PLAY_CALL(p, PMPI_Neighbor_allgather(from, (int)n, MPI_INT64_T, rows, (int)n, MPI_INT64_T, c->comm));
    else
        rc = PLAY_CALL(p, PMPI_Neighbor_alltoall(from, (int)n, MPI_INT64_T, rows, (int)n, MPI_INT64_T, c->comm));
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < (size_t)in; k++)
            s->bytes[i * (size_t)in + k] = rows[k * n + i];
    s->calls = n;
    s->width = (size_t)in;
    free(from);
    free(rows);
    return play_check(p, rc);
}

int play_exchange_contributions(struct player *p, int32_t number, struct play_comm *c)
{
    const struct mpg_needs *needs = p->host->needs;
    static const struct mpg_contributions none;
    const struct mpg_contributions *own[MPG_CONTRIBUTION_KINDS];
    int64_t calls[MPG_CONTRIBUTION_KINDS];
    if (c->contributed || c->elapse_only)
        return 0;
    c->contributed = true;
    for (int i = 0; i < MPG_CONTRIBUTION_KINDS; i++) {
        own[i] = (size_t)number < needs->comms ? &needs->contributions[number][i] : &none;
        calls[i] = (int64_t)own[i]->calls;
    }
    bool silent = (size_t)number < needs->comms && needs->silent[number];
    if (agree(p, c, calls, &silent) < 0 || (silent && play_check(p, PLAY_CALL(p, PMPI_Comm_dup(c->comm, &c->silent))) < 0))
        return -1;
    for (int i = 0; i < MPG_CONTRIBUTION_KINDS; i++)
        if (calls[i] > 0 && exchange(p, c, i, own[i]) < 0)
            return -1;
    return 0;
}

const int64_t *play_next_contributions(struct player *p, struct play_comm *c, enum mpg_contribution_kind kind)
{
    struct play_contributions *s = &c->contributions[kind];
    if (s->next == s->calls) {
        play_fail(p, "the sizes of the other members are missing");
        return NULL;
    }
    return s->bytes + s->width * s->next++;
}
