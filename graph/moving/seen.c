/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What calls that complete nonblocking collectives show of how these go: by which algorithm the calls of others explain most
 * of what they waited. */
#include <math.h>
#include <stdlib.h>

#include "graph/moving/moving.h"
#include "graph/moving/moving_private.h"

/* So many calls of a kind are looked at, by each of its ways, times its members. */
enum { MOST_LOOKED_AT = 1 << 16 };
/* Another way is better if it explains more than the one before it by more than this part. */
static const double MORE = 0.05;

enum { WAYS_OF_ONE = 4 };

struct seen_way {
    struct way way;
    uint64_t waited, left;
    double explained_ns;
    double latest_ns, else_ns; /* of the call that is being left: when the calls of others allow it to end, and all else */
};

struct kind {
    enum mpg_call call;
    int32_t p;
    int64_t bytes;
    uint32_t looked_at; /* calls */
    int ways; /* the table's first */
    struct seen_way way[]; /* WAYS_OF_ONE of each algorithm that there is for it, room for all */
};

struct seen {
    struct kind *kind[MPG_MOVED_MAX];
    uint32_t n;
    struct kind *current; /* what the call that is being left completes; */
    uint32_t parts;       /* so many of the kind */
};

struct seen *mpg_graph_seen_new(struct mpg_error *err)
{
    struct seen *seen = calloc(1, sizeof *seen);
    if (!seen)
        mpg_graph_out_of_memory(err);
    return seen;
}

void mpg_graph_seen_free(struct seen *seen)
{
    for (uint32_t i = 0; seen && i < seen->n; i++)
        free(seen->kind[i]);
    free(seen);
}

/* --- kinds --- */

static void add_way(struct kind *kind, struct mpg_choice choice, bool waits, bool carried)
{
    choice.waits = waits;
    kind->way[kind->ways++] = (struct seen_way){.way = {choice, true, carried}};
}

static void add_choice(struct kind *kind, struct mpg_choice choice)
{
    add_way(kind, choice, choice.waits, false);
    add_way(kind, choice, choice.waits, true);
    add_way(kind, choice, !choice.waits, false);
    add_way(kind, choice, !choice.waits, true);
}

static struct kind *new_kind(const struct moving *moving, const struct met *met)
{
    struct kind *kind = calloc(1, sizeof *kind + WAYS_OF_ONE * mpg_algorithm_number() * sizeof *kind->way);
    if (!kind)
        return NULL;
    kind->call = met->call;
    kind->p = met->p;
    kind->bytes = met->bytes;
    const struct mpg_collective_size size = {
        .operation = met->operation, .p = met->p, .bytes = (double)met->bytes};
    const struct mpg_choice first =
        mpg_collective_table_find_nonblocking(moving->table, size.operation, size.p, mpg_plan_bytes(&size));
    add_choice(kind, first);
    for (size_t i = 0; i < mpg_algorithm_number(); i++) {
        const struct mpg_algorithm *a = mpg_algorithm_at(i);
        if (a != first.algorithm && !mpg_algorithm_has(a, MPG_OPTION_RADIX) &&
            mpg_algorithm_serves(a, size.operation, true))
            add_choice(kind, (struct mpg_choice){.algorithm = a, .radix = 2});
    }
    return kind;
}

/* That of MET; NULL: there are too many others, or no memory. */
static struct kind *find_kind(const struct moving *moving, const struct met *met)
{
    struct seen *seen = moving->seen;
    for (uint32_t i = 0; i < seen->n; i++) {
        struct kind *k = seen->kind[i];
        if (k->call == met->call && k->p == met->p && k->bytes == met->bytes)
            return k;
    }
    if (seen->n == MPG_MOVED_MAX)
        return NULL;
    struct kind *kind = new_kind(moving, met);
    if (kind)
        seen->kind[seen->n++] = kind;
    return kind;
}

/* --- calls --- */

void mpg_graph_see(struct moving *moving, const struct asked *asked, const struct call *call)
{
    struct seen *seen = moving->seen;
    struct kind *kind = find_kind(moving, &asked->met);
    if (!kind) /* not counted */
        return;
    if (seen->current && seen->current != kind) {
        seen->parts = UINT32_MAX; /* of several kinds it is not known which it waited for */
        return;
    }
    if (kind->looked_at * (uint64_t)kind->p >= MOST_LOOKED_AT && !seen->current)
        return;
    const bool is_first = seen->parts == 0;
    kind->looked_at += is_first;
    seen->current = kind;
    seen->parts += seen->parts < UINT32_MAX;
    double else_ns = -INFINITY;
    for (int i = 0; i < kind->ways; i++) {
        struct seen_way *w = &kind->way[i];
        if (i % WAYS_OF_ONE == 0) { /* those of an algorithm have that in common */
            struct way at_once = w->way;
            at_once.calls = at_once.carried = at_once.choice.waits = false;
            else_ns = fmax(call->enter_ns, mpg_graph_moved_end(moving, asked, &at_once));
        }
        const double latest_ns = mpg_graph_moved_end(moving, asked, &w->way);
        w->else_ns = is_first ? else_ns : fmax(w->else_ns, else_ns);
        w->latest_ns = is_first ? latest_ns : fmax(w->latest_ns, latest_ns);
    }
}

void mpg_graph_moved_note(struct moving *moving, const struct call *call, uint32_t n)
{
    struct seen *seen = moving ? moving->seen : NULL;
    if (!seen || !seen->current)
        return;
    struct kind *kind = seen->current;
    const bool counts = seen->parts == n; /* else it may have waited for something else */
    seen->current = NULL;
    seen->parts = 0;
    for (int i = 0; i < kind->ways && counts; i++) {
        struct seen_way *w = &kind->way[i];
        if (!(w->latest_ns > w->else_ns) || isinf(w->else_ns) > 0)
            continue;
        const bool waited = call->leave_ns >= w->latest_ns;
        w->waited += waited;
        w->left += !waited;
        w->explained_ns += waited ? w->latest_ns - w->else_ns : 0;
    }
}

/* --- what was found --- */

/* The best way of KIND; NULL: none is as often as it has to be. */
static const struct seen_way *best_of(const struct kind *kind)
{
    const struct seen_way *best = NULL;
    for (int i = 0; i < kind->ways; i++) {
        const struct seen_way *w = &kind->way[i];
        if (mpg_graph_waits_are_shown(w->waited, w->left) && (!best || w->explained_ns > (1 + MORE) * best->explained_ns))
            best = w;
    }
    return best;
}

void mpg_graph_moved_found(const struct moving *moving, struct mpg_carried *carried)
{
    const struct seen *seen = moving ? moving->seen : NULL;
    int64_t least_carried = INT64_MAX, most_at_once = -1;
    bool any_left = false;
    carried->moved_bytes = INT64_MAX;
    for (uint32_t i = 0; seen && i < seen->n; i++) {
        const struct kind *kind = seen->kind[i];
        const struct seen_way *best = best_of(kind), *way = best ? best : &kind->way[0];
        if (!best && way->left == 0 && way->waited == 0)
            continue;
        carried->moved[carried->moved_number++] = (struct mpg_nonblocking){.call = kind->call,
                                                                     .members = kind->p,
                                                                     .bytes = kind->bytes,
                                                                     .moves = best != NULL,
                                                                     .carried = best && best->way.carried,
                                                                     .choice = way->way.choice};
        carried->moves = carried->moves || best;
        any_left = any_left || !best;
        if (best && best->way.carried && kind->bytes < least_carried)
            least_carried = kind->bytes;
        if (best && !best->way.carried && kind->bytes > most_at_once)
            most_at_once = kind->bytes;
    }
    carried->moves = carried->moves && !any_left;
    if (carried->moves && least_carried < INT64_MAX)
        carried->moved_bytes = least_carried > most_at_once ? least_carried - 1 : most_at_once;
}
