/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A list holds candidates in blocks, in the order of the calls' lists, and leaves positions free for new candidates. A
 * tree for each lane has lower bounds of the arrivals in each block, in each group of blocks, and so on. The bounds tell
 * where a lane must look; arrival times are then computed as for short lists (mpg_choosing_fill()). */
#include "simulate/choice/long_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "common/reserve.h"
#include "simulate/choice/choice_private.h"
#include "simulate/rounding.h"

enum {
    SHORT = 64,  /* minimum number of candidates of a long list */
    FAN = 16,    /* number of candidates in a block, and of nodes in a group */
    FILLED = 12, /* number of candidates in a block when the list is made, which leaves free positions */
    LEVELS = 8,
};

static const uint32_t ALL = UINT32_MAX; /* as a lane: all lanes; as a position: none */

/* Lower bounds, ns, of the arrivals in a block or group. */
struct bound {
    double start_ns; /* bound of T(A) without lateness */
    double late_ns;  /* bound of T(A) - lateness.after_ns, of candidates that are late (struct mpg_lateness) */
};

/* A candidate. The fields from `own` on are as in struct mpg_pick. */
struct entry {
    bool is_used;
    uint32_t slot;
    uint32_t index;   /* index in the list of the current call */
    uint64_t message;
    uint64_t call;    /* number of the last call with this candidate */
    double done_ns;
    struct mpg_sequence own;
    double base_ns, cause_ns, traced_ns;
};

struct lane {
    struct bound *bound;     /* [node]: nodes of all levels, the blocks first */
    uint32_t *altered;       /* slots of the candidates that differ from the trace in this lane */
    uint32_t altered_number, altered_capacity;
    /* is_free is known (is_checked); the messages of all candidates are on different channels (is_free) */
    bool is_checked, is_free;
};

struct stale {
    uint32_t block, w;
};

struct mpg_long_list {
    uint32_t lanes, count;
    /* number of blocks and levels; for each level the index of the first node, and the number of nodes */
    uint32_t blocks, levels, begin[LEVELS], size[LEVELS];
    uint32_t entry_capacity, bound_capacity, stale_number, stale_capacity;
    struct entry *entry;    /* [block][position in the block] */
    struct bound *bound;
    struct lane *lane;
    struct stale *stale;    /* blocks whose bounds must be computed again, in a lane or in ALL */
    struct mpg_map channels; /* (source and communicator, tag) -> number of candidates << 32 | exclusive or of the
                                candidates' slots */
    uint32_t shared;        /* number of channels with several candidates */
    uint64_t call;
    bool is_void;           /* memory ran out, and the list cannot be used */
};

static struct mpg_long_place *place_of(const struct mpg_choosing *c, uint32_t slot)
{
    return &c->lists.place[slot];
}

/* ---- times ---- */

/* Returns whether in lane W candidate E has its traced message. *V is set to the view, or NULL if the view does not differ
 * from the trace. */
static bool is_own(const struct mpg_choosing *c, const struct entry *e, uint32_t w, const struct mpg_view **v)
{
    *v = mpg_choosing_is_altered(c, e->slot, w) ? mpg_choosing_view_of(c, e->slot, w) : NULL;
    return !*v || (*v)->serial == 0 || (*v)->serial == c->view_serial[e->slot];
}

/* Returns T(A) of E in lane W; if E has its traced message, plus RAISED_NS. */
static double at_ns(const struct mpg_choosing *c, const struct entry *e, uint32_t w, double raised_ns)
{
    const struct mpg_view *v;
    const double *value, *cause;
    c->arrivals.find_vectors(c->arrivals.context, e->slot, &value, &cause);
    const double end_ns = e->base_ns + value[w] + (is_own(c, e, w, &v) ? raised_ns : 0);
    const double start_ns = v && v->serial ? v->cause_ns : e->cause_ns + cause[w];
    return start_ns > end_ns ? start_ns : end_ns;
}

/* Returns for E in lane W, if E is late, a lower bound of T(A) - lateness.after_ns; -INFINITY: lateness does not raise T(A). */
static double late_ns(const struct mpg_choosing *c, const struct entry *e, uint32_t w)
{
    const struct mpg_view *v;
    const double *value, *cause;
    c->arrivals.find_vectors(c->arrivals.context, e->slot, &value, &cause);
    return is_own(c, e, w, &v) ? e->base_ns + value[w] - e->traced_ns : -INFINITY;
}

/* ---- bounds ---- */

static void lower(struct bound *b, const struct bound *x)
{
    b->start_ns = x->start_ns < b->start_ns ? x->start_ns : b->start_ns;
    b->late_ns = x->late_ns < b->late_ns ? x->late_ns : b->late_ns;
}

static struct bound bound_of_block(const struct mpg_choosing *c, const struct mpg_long_list *l, uint32_t block, uint32_t w)
{
    struct bound b = {INFINITY, INFINITY};
    for (const struct entry *e = &l->entry[(size_t)block * FAN], *end = e + FAN; e < end; e++)
        if (e->is_used)
            lower(&b, &(struct bound){at_ns(c, e, w, 0), late_ns(c, e, w)});
    return b;
}

static struct bound bound_of_group(const struct mpg_long_list *l, const struct bound *bound, uint32_t level, uint32_t node)
{
    struct bound b = {INFINITY, INFINITY};
    const uint32_t last = (node + 1) * FAN, end = last < l->size[level - 1] ? last : l->size[level - 1];
    for (uint32_t i = node * FAN; i < end; i++)
        lower(&b, &bound[l->begin[level - 1] + i]);
    return b;
}

/* Computes the bounds of BLOCK in lane W again, and the bounds of the groups above as far as needed. */
static void update(const struct mpg_choosing *c, struct mpg_long_list *l, uint32_t block, uint32_t w)
{
    struct bound *bound = l->lane[w].bound, b = bound_of_block(c, l, block, w);
    uint32_t node = block;
    for (uint32_t level = 0;; node /= FAN) {
        struct bound *at = &bound[l->begin[level] + node];
        if (at->start_ns == b.start_ns && at->late_ns == b.late_ns)
            return;
        *at = b;
        if (++level == l->levels)
            return;
        b = bound_of_group(l, bound, level, node / FAN);
    }
}

static void update_stale(const struct mpg_choosing *c, struct mpg_long_list *l)
{
    for (uint32_t i = 0; i < l->stale_number; i++) {
        const struct stale *x = &l->stale[i];
        for (uint32_t w = x->w == ALL ? 0 : x->w; w < l->lanes && (x->w == ALL || w == x->w); w++)
            update(c, l, x->block, w);
    }
    l->stale_number = 0;
}

static void note_stale(struct mpg_long_list *l, uint32_t position, uint32_t w)
{
    struct mpg_error ignored;
    const uint32_t n = l->stale_number;
    if (n > 0 && l->stale[n - 1].block == position / FAN && l->stale[n - 1].w == w)
        return;
    if (mpg_reserve_at(&l->stale, sizeof *l->stale, &l->stale_capacity, n + 1, &ignored) < 0)
        l->is_void = true;
    else
        l->stale[l->stale_number++] = (struct stale){position / FAN, w};
}

/* ---- candidates that differ from the trace in a lane ---- */

static void add_altered(struct mpg_long_list *l, uint32_t slot, uint32_t w)
{
    struct lane *lane = &l->lane[w];
    struct mpg_error ignored;
    lane->is_checked = false;
    for (uint32_t i = 0; i < lane->altered_number; i++)
        if (lane->altered[i] == slot)
            return;
    if (mpg_reserve_at(&lane->altered, sizeof *lane->altered, &lane->altered_capacity, lane->altered_number + 1, &ignored) < 0)
        l->is_void = true;
    else
        lane->altered[lane->altered_number++] = slot;
}

static void remove_altered(struct mpg_long_list *l, uint32_t slot, uint32_t w)
{
    struct lane *lane = &l->lane[w];
    for (uint32_t i = 0; i < lane->altered_number; i++)
        if (lane->altered[i] == slot) {
            lane->altered[i] = lane->altered[--lane->altered_number];
            return;
        }
}

void mpg_long_list_change(struct mpg_long_list *l, uint32_t slot, uint32_t position, uint32_t w)
{
    add_altered(l, slot, w);
    note_stale(l, position, w);
}

/* Calls CHANGE for each lane in which the view at SLOT differs from the trace. */
static void for_altered(const struct mpg_choosing *c, struct mpg_long_list *l, uint32_t slot,
                        void (*change)(struct mpg_long_list *l, uint32_t slot, uint32_t w))
{
    const uint64_t *word = &c->altered[(size_t)slot * mpg_choosing_words(c)];
    for (uint32_t k = 0; k < mpg_choosing_words(c); k++)
        for (uint64_t bits = word[k]; bits; bits &= bits - 1)
            change(l, slot, k * 64 + (uint32_t)__builtin_ctzll(bits));
}

/* ---- channels ---- */

static uint64_t first_key(const struct mpg_sequence *q)
{
    return (uint64_t)(uint32_t)q->source << 32 | (uint32_t)q->comm;
}

/* Adds SLOT to the slot's channel; with BY -1 removes SLOT. */
static void count_channel(struct mpg_long_list *l, const struct mpg_sequence *own, uint32_t slot, int by)
{
    const uint64_t key[2] = {first_key(own), (uint32_t)own->tag};
    uint64_t *channel = mpg_map_add(&l->channels, key[0], key[1]);
    if (!channel) {
        l->is_void = true;
        return;
    }
    const int64_t before = (int64_t)(*channel >> 32), after = before + by;
    *channel = (uint64_t)after << 32 | ((uint32_t)*channel ^ slot);
    l->shared += (after > 1) - (before > 1);
    if (after == 0)
        mpg_map_remove(&l->channels, key[0], key[1]);
}

static const struct mpg_sequence *sequence_in(const struct mpg_choosing *c, const struct mpg_long_list *l, uint32_t slot,
                                              uint32_t w)
{
    const struct mpg_view *v = mpg_choosing_view_of(c, slot, w);
    return v->serial ? &v->sequence : &l->entry[place_of(c, slot)->position].own;
}

static int compare_channels(const void *x, const void *y)
{
    return mpg_choosing_compare_channels(*(const struct mpg_sequence *const *)x, *(const struct mpg_sequence *const *)y);
}

/* Computes mpg_long_list_is_free() from all messages that differ from the trace. */
static bool find_free(const struct mpg_choosing *c, const struct mpg_long_list *l, uint32_t w)
{
    const struct lane *lane = &l->lane[w];
    const uint32_t n = lane->altered_number;
    const struct mpg_sequence **sequence = n > 0 ? malloc(n * sizeof *sequence) : NULL;
    bool is_free = n == 0 || sequence;
    for (uint32_t i = 0; i < n && is_free; i++) {
        sequence[i] = sequence_in(c, l, lane->altered[i], w);
        const uint64_t *same = mpg_map_find(&l->channels, first_key(sequence[i]), (uint32_t)sequence[i]->tag);
        is_free = !same || mpg_choosing_is_altered(c, (uint32_t)*same, w);
    }
    if (is_free && n > 1)
        qsort(sequence, n, sizeof *sequence, compare_channels);
    for (uint32_t i = 1; i < n && is_free; i++)
        is_free = compare_channels(&sequence[i - 1], &sequence[i]) != 0;
    free(sequence);
    return is_free;
}

bool mpg_long_list_is_free(const struct mpg_choosing *c, struct mpg_long_list *l, uint32_t w)
{
    struct lane *lane = &l->lane[w];
    if (!lane->is_checked)
        lane->is_free = find_free(c, l, w);
    lane->is_checked = true;
    return lane->is_free;
}

void mpg_long_list_remains_free(struct mpg_long_list *l, uint32_t w)
{
    l->lane[w].is_checked = l->lane[w].is_free = true;
}

/* ---- adding and removing candidates ---- */

/* Puts candidate E, of RANK, at POSITION. */
static void put(struct mpg_choosing *c, struct mpg_long_list *l, int32_t rank, uint32_t position, const struct entry *e)
{
    l->entry[position] = *e;
    *place_of(c, e->slot) = (struct mpg_long_place){(uint32_t)rank + 1, position};
}

void mpg_long_list_remove(struct mpg_choosing *c, uint32_t slot)
{
    if (slot >= c->lists.place_capacity || !c->lists.place[slot].list)
        return;
    struct mpg_long_place *place = place_of(c, slot);
    struct mpg_long_list *l = c->lists.of_rank[place->list - 1];
    struct entry *e = &l->entry[place->position];
    for_altered(c, l, slot, remove_altered);
    for (uint32_t w = 0; w < l->lanes; w++)
        l->lane[w].is_checked = l->lane[w].is_checked && l->lane[w].is_free;
    count_channel(l, &e->own, slot, -1);
    note_stale(l, place->position, ALL);
    e->is_used = false;
    place->list = 0;
    l->count--;
}

/* Returns an entry for the I-th candidate of S. */
static struct entry make_entry(struct mpg_choosing *c, const struct mpg_long_list *l, const struct mpg_step *s, uint32_t i)
{
    const struct mpg_candidate *x = &s->alternatives->candidates[i];
    const struct mpg_pick *p = &c->pick[i];
    mpg_choosing_describe(c, s, i, i + 1);
    return (struct entry){.is_used = true,
                          .slot = p->slot,
                          .index = i,
                          .message = x->arrival->message,
                          .call = l->call,
                          .done_ns = x->done_ns,
                          .own = p->own,
                          .base_ns = p->base_ns,
                          .cause_ns = p->cause_ns,
                          .traced_ns = p->traced_ns};
}

/* Registers the new candidate in SLOT: on the channel, and in each lane with a difference from the trace. */
static void begin_candidate(struct mpg_choosing *c, struct mpg_long_list *l, uint32_t slot)
{
    count_channel(l, &l->entry[place_of(c, slot)->position].own, slot, 1);
    for_altered(c, l, slot, add_altered);
    for (uint32_t w = 0; w < l->lanes; w++)
        l->lane[w].is_checked = l->lane[w].is_checked && l->lane[w].altered_number == 0;
    l->count++;
}

/* Frees a position before the candidate at OFFSET in BLOCK, by shifting candidates within the block. Returns the free
 * position; ALL: the block is full. */
static uint32_t make_room(struct mpg_choosing *c, struct mpg_long_list *l, int32_t rank, uint32_t block, uint32_t offset)
{
    const uint32_t begin = block * FAN, end = begin + FAN;
    uint32_t to = begin + offset, hole = to;
    while (hole < end && l->entry[hole].is_used)
        hole++;
    for (; hole < end && hole > to; hole--)
        put(c, l, rank, hole, &l->entry[hole - 1]);
    if (hole < end)
        return to;
    for (hole = to; hole > begin && l->entry[hole - 1].is_used;)
        hole--;
    if (hole == begin)
        return ALL;
    for (hole--; hole < to - 1; hole++)
        put(c, l, rank, hole, &l->entry[hole + 1]);
    return to - 1;
}

/* Inserts the I-th candidate of S after position BEFORE; ALL: as the first. Returns false if there is no room. */
static bool insert(struct mpg_choosing *c, struct mpg_long_list *l, const struct mpg_step *s, uint32_t i, uint32_t before)
{
    uint32_t position = make_room(c, l, s->rank, before == ALL ? 0 : before / FAN, before == ALL ? 0 : before % FAN + 1);
    if (position == ALL && before % FAN == FAN - 1 && before / FAN + 1 < l->blocks)
        position = make_room(c, l, s->rank, before / FAN + 1, 0);
    if (position == ALL)
        return false;
    const struct entry e = make_entry(c, l, s, i);
    put(c, l, s->rank, position, &e);
    begin_candidate(c, l, e.slot);
    note_stale(l, position, ALL);
    return true;
}

/* ---- lists ---- */

/* Makes room for N candidates in new blocks. */
static int reserve_blocks(struct mpg_long_list *l, uint32_t n, struct mpg_error *err)
{
    const uint32_t blocks = (n + FILLED - 1) / FILLED;
    uint32_t nodes = 0;
    l->levels = 0;
    for (uint32_t size = blocks;; size = (size + FAN - 1) / FAN) {
        l->begin[l->levels] = nodes;
        l->size[l->levels++] = size;
        nodes += size;
        if (size == 1)
            break;
    }
    if (mpg_reserve_at(&l->entry, sizeof *l->entry, &l->entry_capacity, blocks * FAN, err) < 0 ||
        mpg_reserve_at(&l->bound, l->lanes * sizeof *l->bound, &l->bound_capacity, nodes, err) < 0)
        return -1;
    l->blocks = blocks;
    memset(l->entry, 0, (size_t)l->blocks * FAN * sizeof *l->entry);
    for (uint32_t w = 0; w < l->lanes; w++)
        l->lane[w].bound = &l->bound[(size_t)w * nodes];
    return 0;
}

static void empty(struct mpg_choosing *c, struct mpg_long_list *l)
{
    for (uint32_t i = 0; i < l->blocks * FAN; i++)
        if (l->entry[i].is_used)
            place_of(c, l->entry[i].slot)->list = 0;
    for (uint32_t w = 0; w < l->lanes; w++) {
        l->lane[w].altered_number = 0;
        l->lane[w].is_checked = false;
    }
    mpg_map_clear(&l->channels);
    l->count = l->shared = l->stale_number = l->blocks = 0;
    l->is_void = false;
}

/* Makes a new list of the candidates of S. */
static int make(struct mpg_choosing *c, struct mpg_long_list *l, const struct mpg_step *s, struct mpg_error *err)
{
    const uint32_t n = s->alternatives->candidate_number;
    empty(c, l);
    if (reserve_blocks(l, n, err) < 0)
        return -1;
    for (uint32_t i = 0; i < n; i++) {
        const struct entry e = make_entry(c, l, s, i);
        put(c, l, s->rank, i / FILLED * FAN + i % FILLED, &e);
        begin_candidate(c, l, e.slot);
    }
    for (uint32_t block = 0; block < l->blocks; block++)
        for (uint32_t w = 0; w < l->lanes; w++)
            l->lane[w].bound[block] = bound_of_block(c, l, block, w);
    for (uint32_t level = 1; level < l->levels; level++)
        for (uint32_t w = 0; w < l->lanes; w++)
            for (uint32_t node = 0; node < l->size[level]; node++)
                l->lane[w].bound[l->begin[level] + node] = bound_of_group(l, l->lane[w].bound, level, node);
    return 0;
}

/* Returns the position of candidate X of RANK; ALL: X is new. */
static uint32_t find(const struct mpg_choosing *c, const struct mpg_long_list *l, int32_t rank, const struct mpg_candidate *x)
{
    const struct mpg_long_place *place = place_of(c, x->arrival->slot);
    const struct entry *e = &l->entry[place->position];
    const bool is_there = place->list == (uint32_t)rank + 1 && e->message == x->arrival->message && e->done_ns == x->done_ns;
    return is_there ? place->position : ALL;
}

/* Removes from list L each candidate that S does not have, or that stands in a different order in S. Returns the number of
 * remaining candidates. */
static uint32_t keep(struct mpg_choosing *c, struct mpg_long_list *l, const struct mpg_step *s)
{
    const struct mpg_candidate *x = s->alternatives->candidates;
    const uint32_t n = s->alternatives->candidate_number;
    uint32_t kept = 0, next = n > 0 ? find(c, l, s->rank, &x[0]) : ALL, end = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t position = next;
        next = i + 1 < n ? find(c, l, s->rank, &x[i + 1]) : ALL;
        if (position == ALL)
            continue;
        /* A program often stores the last request in the place of a completed request: then this candidate alone is out
         * of order. */
        const bool has_moved = next < position && next >= end;
        if (position < end || has_moved) {
            mpg_long_list_remove(c, x[i].arrival->slot);
            continue;
        }
        l->entry[position].index = i;
        l->entry[position].call = l->call;
        end = position + 1;
        kept++;
    }
    for (uint32_t i = 0; kept < l->count && i < l->blocks * FAN; i++)
        if (l->entry[i].is_used && l->entry[i].call != l->call)
            mpg_long_list_remove(c, l->entry[i].slot);
    return kept;
}

/* Inserts the candidates of S that are not on the list. Returns false if there is no room. */
static bool insert_new(struct mpg_choosing *c, struct mpg_long_list *l, const struct mpg_step *s)
{
    uint32_t before = ALL;
    for (uint32_t i = 0; i < s->alternatives->candidate_number; i++) {
        const struct mpg_candidate *x = &s->alternatives->candidates[i];
        if (find(c, l, s->rank, x) == ALL && !insert(c, l, s, i, before))
            return false;
        before = place_of(c, x->arrival->slot)->position;
    }
    return true;
}

/* Returns the list of RANK, empty if new. NULL: no memory, with ERR. */
static struct mpg_long_list *list_of(struct mpg_choosing *c, int32_t rank, struct mpg_error *err)
{
    struct mpg_long_lists *lists = &c->lists;
    if (mpg_reserve_at(&lists->of_rank, sizeof *lists->of_rank, &lists->rank_capacity, (uint32_t)rank + 1, err) < 0 ||
        mpg_reserve_at(&lists->place, sizeof *lists->place, &lists->place_capacity, c->serial_capacity, err) < 0)
        return NULL;
    struct mpg_long_list *l = lists->of_rank[rank];
    if (l)
        return l;
    l = calloc(1, sizeof *l);
    if (!l || !(l->lane = calloc(c->n, sizeof *l->lane))) {
        free(l);
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    l->lanes = c->n;
    return lists->of_rank[rank] = l;
}

int mpg_long_lists_take(struct mpg_choosing *c, const struct mpg_step *s, struct mpg_long_list **list, struct mpg_error *err)
{
    const uint32_t n = s->alternatives->candidate_number;
    *list = NULL;
    if (n < SHORT)
        return 0;
    for (uint32_t i = 0; i < n; i++)
        if (s->alternatives->candidates[i].arrival->is_followed)
            return 0;
    struct mpg_long_list *l = list_of(c, s->rank, err);
    if (!l)
        return -1;
    l->call++;
    const uint32_t kept = l->is_void || l->count == 0 ? 0 : keep(c, l, s);
    const bool is_made = 2 * kept < n || (kept < n && !insert_new(c, l, s)) || l->is_void;
    if (is_made && make(c, l, s, err) < 0) {
        empty(c, l);
        return -1;
    }
    update_stale(c, l);
    *list = l->shared == 0 && !l->is_void ? l : NULL;
    return 0;
}

void mpg_long_lists_clear(struct mpg_long_lists *lists)
{
    for (uint32_t rank = 0; rank < lists->rank_capacity; rank++) {
        struct mpg_long_list *l = lists->of_rank[rank];
        for (uint32_t w = 0; l && w < l->lanes; w++)
            free(l->lane[w].altered);
        if (!l)
            continue;
        mpg_map_clear(&l->channels);
        free(l->entry);
        free(l->bound);
        free(l->lane);
        free(l->stale);
        free(l);
    }
    free(lists->of_rank);
    free(lists->place);
}

/* ---- searches ---- */

struct mpg_long_question mpg_long_list_query(const struct mpg_choosing *c, const struct mpg_long_list *l,
                                             const struct mpg_step *s,
                                             const struct mpg_lateness *lateness, uint32_t completed)
{
    const struct mpg_alternatives *a = s->alternatives;
    struct mpg_long_question q = {.choosing = c, .list = l, .lateness = lateness, .completed = ALL, .late_end = ALL};
    if (completed < a->candidate_number)
        q.completed = place_of(c, a->candidates[completed].arrival->slot)->position;
    if (!lateness || lateness->end < a->candidate_number)
        q.late_end = lateness ? place_of(c, a->candidates[lateness->end].arrival->slot)->position : 0;
    return q;
}

static double at_position(const struct mpg_long_question *q, uint32_t position)
{
    const struct entry *e = &q->list->entry[position];
    const bool is_late = position < q->late_end && position != q->completed;
    return at_ns(q->choosing, e, q->w, is_late ? fmax(0, q->lateness->after_ns - e->traced_ns) : 0);
}

/* Returns the number of positions below a node of LEVEL. */
static uint64_t width_of(uint32_t level)
{
    uint64_t width = FAN;
    while (level-- > 0)
        width *= FAN;
    return width;
}

/* Returns false if no candidate below NODE of LEVEL, except the completed candidate, arrives by LIMIT_NS. SLACK_NS allows
 * for rounding, because bounds and arrivals add equal terms in different orders. */
static bool can_arrive(const struct mpg_long_question *q, uint32_t level, uint32_t node, double limit_ns)
{
    const struct bound *b = &q->list->lane[q->w].bound[q->list->begin[level] + node];
    if (b->start_ns > limit_ns)
        return false;
    if (q->late_end < (node + 1) * width_of(level))
        return true;
    const double after_ns = q->lateness->after_ns, slack_ns = MPG_ROUNDING_NS + 1e-12 * (fabs(after_ns) + fabs(limit_ns));
    return after_ns + b->late_ns <= limit_ns + slack_ns;
}

/* Returns the end of the children of NODE of LEVEL; on level 0 the children are positions. */
static uint32_t end_of(const struct mpg_long_list *l, uint32_t level, uint32_t node)
{
    const uint32_t end = (node + 1) * FAN;
    return level > 0 && l->size[level - 1] < end ? l->size[level - 1] : end;
}

/* Returns the position of the first candidate below NODE, from position FROM on, that arrives by LIMIT_NS; ALL: none. */
static uint32_t first_in(const struct mpg_long_question *q, uint32_t level, uint32_t node, double limit_ns, uint32_t from)
{
    if ((node + 1) * width_of(level) <= from || !can_arrive(q, level, node, limit_ns))
        return ALL;
    const uint32_t end = end_of(q->list, level, node);
    for (uint32_t i = node * FAN; i < end; i++) {
        if (level > 0) {
            const uint32_t found = first_in(q, level - 1, i, limit_ns, from);
            if (found != ALL)
                return found;
        } else if (i >= from && q->list->entry[i].is_used && at_position(q, i) <= limit_ns)
            return i;
    }
    return ALL;
}

uint32_t mpg_long_list_first(const struct mpg_long_question *q, double limit_ns, uint32_t from)
{
    const bool is_completed = q->completed != ALL && q->completed >= from && at_position(q, q->completed) <= limit_ns;
    const uint32_t found = first_in(q, q->list->levels - 1, 0, limit_ns, from);
    return is_completed && q->completed < found ? q->completed : found;
}

/* Lowers *MIN_NS to the earliest arrival below NODE, if this is earlier. */
static void min_in(const struct mpg_long_question *q, uint32_t level, uint32_t node, double *min_ns)
{
    if (!can_arrive(q, level, node, *min_ns))
        return;
    const uint32_t end = end_of(q->list, level, node);
    for (uint32_t i = node * FAN; i < end; i++) {
        if (level > 0)
            min_in(q, level - 1, i, min_ns);
        else if (q->list->entry[i].is_used)
            *min_ns = fmin(*min_ns, at_position(q, i));
    }
}

uint32_t mpg_long_list_earliest(const struct mpg_long_question *q)
{
    const double completed_ns = q->completed != ALL ? at_position(q, q->completed) : INFINITY;
    double min_ns = completed_ns;
    min_in(q, q->list->levels - 1, 0, &min_ns);
    return completed_ns <= min_ns + MPG_ROUNDING_NS ? q->completed : mpg_long_list_first(q, min_ns + MPG_ROUNDING_NS, 0);
}

uint32_t mpg_long_list_first_done(const struct mpg_long_question *q)
{
    const struct lane *lane = &q->list->lane[q->w];
    uint32_t first = ALL;
    for (uint32_t i = 0; i < lane->altered_number && q->choosing->done_count > 0; i++) {
        const uint32_t position = place_of(q->choosing, lane->altered[i])->position;
        if (position < first && mpg_choosing_view_of(q->choosing, lane->altered[i], q->w)->done)
            first = position;
    }
    return first;
}

uint32_t mpg_long_list_index(const struct mpg_long_list *l, uint32_t position)
{
    return l->entry[position].index;
}
