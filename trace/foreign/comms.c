/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the members of communicators from the constructor calls of all ranks, in traces that do not list members. */
#include "trace/foreign/comms.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/map.h"

/* Values in place of a communicator's index: the rank is no member; not known yet; an error. */
enum { NONE = -1, OPEN = -2, FAILED = -3 };

/* Maximum number of earlier calls examined for a use of a handle; keeps the time linear even for a malicious trace. */
enum { MAX_LOOKS = 4096 };

/* A constructor call of a rank, or (USE) the first use of a handle after the handle got a new meaning. */
struct item {
    enum { CONSTRUCT, USE } what;
    enum mpg_comm_rule rule;
    bool taken; /* CONSTRUCT: a use of the new communicator has been found */
    int64_t handle, parent, color, key; /* USE: COLOR is the rank in the communicator, KEY the communicator's size */
    int32_t *list;
    size_t n;
    int32_t comm; /* index of the new or used communicator, or NONE or OPEN */
    int32_t meeting;
    size_t same;                 /* USE: 1 + index of the rank's next use with equal handle, rank and size; 0: none */
};

/* The K-th constructor call on a parent communicator, made by each member of the parent. Only the arguments of all
 * members together tell the members of the new communicators. */
struct meeting {
    enum mpg_comm_rule rule;
    /* PARENT: index of the communicator; SHOWN: with rule SHOWN, the index of the new communicator, or OPEN. */
    int32_t parent, arrived, shown;
    struct arrival {
        int32_t rank;      /* world rank of the caller */
        int32_t position;  /* rank in the parent */
        int32_t item;
    } *arrivals;           /* in the order of arrival; sorted by POSITION once all members of the parent have arrived */
    size_t capacity;
};

struct rank_items {
    struct item *items;
    size_t n, capacity, next;
    int32_t world_known, self; /* SELF: index of the rank's MPI_COMM_SELF; OPEN: not made yet */
};

struct mpg_comms {
    int32_t ranks;
    int64_t world, self;
    struct rank_items *rank;
    struct mpg_foreign_comm *comms;
    int32_t comm_number, comm_capacity;
    struct meeting *meetings;
    int32_t meeting_number, meeting_capacity;
    /* (rank, handle) -> 1 + index of the handle's last use; in the second pass, of the last use or constructor. */
    struct mpg_map handles;
    struct mpg_map bound;     /* (rank, handle) -> 1 + index of the item that gave the handle the current meaning; used
                                 while resolving */
    struct mpg_map positions; /* (communicator, world rank) -> 1 + rank in the communicator */
    struct mpg_map counts;    /* (communicator, rank) -> number of constructor calls handled */
    struct mpg_map numbers;   /* (communicator, number of a constructor call on the communicator) -> 1 + index of the meeting */
    /* (rank, MEMBER and SIZE of a use, handle) -> 1 + index of the next use in the second pass. */
    struct mpg_map uses;
    uint64_t guessed, misplaced;
};

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

/* Makes room for N + 1 items of SIZE bytes in ARRAY, which has room for *CAPACITY. Returns the array; NULL: out of memory. */
static void *grow(void *array, size_t n, size_t *capacity, size_t size)
{
    if (n < *capacity)
        return array;
    const size_t more = *capacity ? 2 * *capacity : 8;
    void *grown = realloc(array, more * size);
    if (grown)
        *capacity = more;
    return grown;
}

/* --- communicators --- */

/* Adds a communicator of SIZE unknown members. Returns the index of the communicator, or -1 with ERR. */
static int32_t add_comm(struct mpg_comms *c, int32_t parent, int32_t size, struct mpg_error *err)
{
    size_t capacity = (size_t)c->comm_capacity;
    void *grown = grow(c->comms, (size_t)c->comm_number, &capacity, sizeof *c->comms);
    int32_t *members = malloc((size_t)size * sizeof *members);
    if (grown) {
        c->comms = grown;
        c->comm_capacity = (int32_t)capacity;
    }
    if (!grown || !members) {
        free(members);
        out_of_memory(err);
        return -1;
    }
    for (int32_t i = 0; i < size; i++)
        members[i] = -1;
    c->comms[c->comm_number] = (struct mpg_foreign_comm){c->comm_number, parent, size, members, 0};
    return c->comm_number++;
}

static int set_member(struct mpg_comms *c, int32_t comm, int32_t i, int32_t rank, struct mpg_error *err)
{
    struct mpg_foreign_comm *f = &c->comms[comm];
    if (f->members[i] == rank)
        return 0;
    uint64_t *position = comm == 0 ? NULL : mpg_map_add(&c->positions, (uint64_t)comm, (uint64_t)rank);
    if (comm != 0 && !position)
        return out_of_memory(err);
    if (f->members[i] >= 0 || (position && *position))
        return mpg_error_set(err, "ranks %d and %d are both member %d of a communicator", f->members[i], rank, i);
    if (position)
        *position = (uint64_t)i + 1;
    f->members[i] = rank;
    f->known++;
    return 0;
}

/* Returns the rank in COMM of world rank RANK; -1: none, or unknown. */
static int32_t position_in(const struct mpg_comms *c, int32_t comm, int32_t rank)
{
    if (comm == 0)
        return rank;
    const uint64_t *position = mpg_map_find(&c->positions, (uint64_t)comm, (uint64_t)rank);
    return position ? (int32_t)(*position - 1) : -1;
}

/* Returns the index of RANK's MPI_COMM_SELF, which is made on first use; -1 with ERR: out of memory. */
static int32_t self_of(struct mpg_comms *c, int32_t rank, struct mpg_error *err)
{
    if (c->rank[rank].self == OPEN) {
        const int32_t comm = add_comm(c, MPG_NO_COMM, 1, err);
        if (comm < 0 || set_member(c, comm, 0, rank, err) < 0)
            return -1;
        c->rank[rank].self = comm;
    }
    return c->rank[rank].self;
}

struct mpg_comms *mpg_comms_new(int32_t ranks, int64_t world, int64_t self)
{
    struct mpg_error err;
    struct mpg_comms *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->ranks = ranks;
    c->world = world;
    c->self = self;
    c->rank = calloc((size_t)ranks, sizeof *c->rank);
    bool failed = !c->rank || add_comm(c, MPG_NO_COMM, ranks, &err) < 0;
    for (int32_t r = 0; r < ranks && !failed; r++) {
        failed = set_member(c, 0, r, r, &err) < 0;
        c->rank[r].self = OPEN;
    }
    if (!failed)
        return c;
    mpg_comms_free(c);
    return NULL;
}

void mpg_comms_free(struct mpg_comms *c)
{
    if (!c)
        return;
    for (int32_t r = 0; r < c->ranks && c->rank; r++) {
        for (size_t i = 0; i < c->rank[r].n; i++)
            free(c->rank[r].items[i].list);
        free(c->rank[r].items);
    }
    for (int32_t i = 0; i < c->comm_number; i++)
        free(c->comms[i].members);
    for (int32_t i = 0; i < c->meeting_number; i++)
        free(c->meetings[i].arrivals);
    mpg_map_clear(&c->handles);
    mpg_map_clear(&c->bound);
    mpg_map_clear(&c->positions);
    mpg_map_clear(&c->counts);
    mpg_map_clear(&c->numbers);
    mpg_map_clear(&c->uses);
    free(c->rank);
    free(c->comms);
    free(c->meetings);
    free(c);
}

/* --- the first pass --- */

static struct item *add_item(struct mpg_comms *c, int32_t rank, struct mpg_error *err)
{
    struct rank_items *r = &c->rank[rank];
    void *grown = grow(r->items, r->n, &r->capacity, sizeof *r->items);
    if (!grown) {
        out_of_memory(err);
        return NULL;
    }
    r->items = grown;
    r->items[r->n] = (struct item){.comm = OPEN};
    return &r->items[r->n++];
}

int mpg_comms_construct(struct mpg_comms *c, int32_t rank, const struct mpg_comm_call *call, struct mpg_error *err)
{
    struct item *item = add_item(c, rank, err);
    if (!item)
        return -1;
    item->what = CONSTRUCT;
    item->rule = call->rule;
    item->parent = call->parent;
    item->handle = call->handle;
    item->color = call->color;
    item->key = call->key;
    item->n = call->n;
    item->list = call->n > 0 ? malloc(call->n * sizeof *item->list) : NULL;
    if (call->n > 0 && !item->list)
        return out_of_memory(err);
    if (call->n > 0)
        memcpy(item->list, call->list, call->n * sizeof *item->list);
    return 0;
}

/* RANK uses HANDLE as a communicator of SIZE ranks with RANK as rank MEMBER. Returns 1 if MEMBER or SIZE differs from the
 * last use, so that HANDLE names another communicator now; else 0; -1: out of memory. *SLOT: the entry of HANDLE in
 * c->handles. */
static int is_new_use(struct mpg_comms *c, int32_t rank, int64_t handle, int32_t member, int32_t size, uint64_t **slot)
{
    *slot = mpg_map_add(&c->handles, (uint64_t)rank, (uint64_t)handle);
    if (!*slot || **slot == 0)
        return *slot ? 1 : -1;
    const struct item *item = &c->rank[rank].items[**slot - 1];
    return item->color != member || item->key != size;
}

int mpg_comms_use(struct mpg_comms *c, int32_t rank, int64_t handle, int32_t member, int32_t size, struct mpg_error *err)
{
    uint64_t *slot;
    if (c->self >= 0 && handle == c->self)
        return self_of(c, rank, err) < 0 ? -1 : 0;
    const int is_new = is_new_use(c, rank, handle, member, size, &slot);
    if (size < 1 || size > c->ranks || member < 0 || member >= size)
        return mpg_error_set(err, "member %d of a communicator of %d ranks, in a trace of %d", member, size, c->ranks);
    struct item *item = is_new > 0 ? add_item(c, rank, err) : NULL;
    if (is_new < 0)
        return out_of_memory(err);
    if (is_new == 0)
        return 0;
    if (!item)
        return -1;
    item->what = USE;
    item->handle = handle;
    item->color = member;
    item->key = size;
    *slot = c->rank[rank].n;
    return 0;
}

/* --- resolving --- */

/* Returns the index of the communicator that HANDLE names on RANK at present; OPEN: not known yet; NONE: made by no call;
 * FAILED with ERR. */
static int32_t resolve_handle(struct mpg_comms *c, int32_t rank, int64_t handle, struct mpg_error *err)
{
    if (c->world >= 0 && handle == c->world)
        return 0;
    if (c->self >= 0 && handle == c->self) {
        const int32_t self = self_of(c, rank, err);
        return self < 0 ? FAILED : self;
    }
    const uint64_t *bound = mpg_map_find(&c->bound, (uint64_t)rank, (uint64_t)handle);
    return bound && *bound ? c->rank[rank].items[*bound - 1].comm : NONE;
}

/* Returns the index of the meeting of RANK's next constructor call on COMM. The first rank with this call creates the
 * meeting, with RULE. -1 with ERR: out of memory. */
static int32_t find_meeting(struct mpg_comms *c, int32_t comm, int32_t rank, enum mpg_comm_rule rule, struct mpg_error *err)
{
    uint64_t *count = mpg_map_add(&c->counts, (uint64_t)comm, (uint64_t)rank);
    uint64_t *number = count ? mpg_map_add(&c->numbers, (uint64_t)comm, (*count)++) : NULL;
    if (!number) {
        out_of_memory(err);
        return -1;
    }
    if (*number)
        return (int32_t)(*number - 1);
    size_t capacity = (size_t)c->meeting_capacity;
    void *grown = grow(c->meetings, (size_t)c->meeting_number, &capacity, sizeof *c->meetings);
    if (!grown) {
        out_of_memory(err);
        return -1;
    }
    c->meetings = grown;
    c->meeting_capacity = (int32_t)capacity;
    c->meetings[c->meeting_number] = (struct meeting){.rule = rule, .parent = comm, .shown = OPEN};
    *number = (uint64_t)++c->meeting_number;
    return c->meeting_number - 1;
}

/* Returns the constructor call of arrival I at meeting M. */
static struct item *item_of(const struct mpg_comms *c, const struct meeting *m, int32_t i)
{
    return &c->rank[m->arrivals[i].rank].items[m->arrivals[i].item];
}

/* Makes a communicator of the first N members of M's parent (a Cartesian grid, or a duplicate), and stores the
 * communicator in the members' calls. Returns 0, or -1 with ERR. */
static int make_first(struct mpg_comms *c, const struct meeting *m, int64_t n, struct mpg_error *err)
{
    const int32_t size = c->comms[m->parent].size;
    if (n < 1 || n > size)
        return mpg_error_set(err, "a grid of %lld ranks made from a communicator of %d", (long long)n, size);
    const int32_t comm = add_comm(c, m->parent, (int32_t)n, err);
    for (int32_t i = 0; i < size; i++) {
        item_of(c, m, i)->comm = i < n ? comm : NONE;
        if (comm < 0 || (i < n && set_member(c, comm, i, m->arrivals[i].rank, err) < 0))
            return -1;
    }
    return 0;
}

/* Returns the rank in M's parent of process number K in the list of ITEM; -1: not a member of the parent. */
static int32_t place_in_parent(const struct mpg_comms *c, const struct meeting *m, const struct item *item, size_t k)
{
    const int32_t number = item->list[k];
    if (number < 0 || number >= (m->rule == MPG_COMM_PICK ? c->comms[m->parent].size : c->ranks))
        return -1;
    return m->rule == MPG_COMM_PICK ? number : position_in(c, m->parent, number);
}

/* Makes the communicator listed in the call of member I of M's parent, and stores the communicator in the calls of all
 * listed members; no communicator if I does not list itself. Returns 0, or -1 with ERR. */
static int make_list(struct mpg_comms *c, const struct meeting *m, int32_t i, struct mpg_error *err)
{
    struct item *item = item_of(c, m, i);
    bool is_member = false;
    item->comm = NONE;
    for (size_t k = 0; k < item->n && !is_member; k++)
        is_member = place_in_parent(c, m, item, k) == i;
    if (!is_member)
        return 0;
    if (item->n > (size_t)c->comms[m->parent].size)
        return mpg_error_set(err, "a communicator of %zu ranks is made from a communicator of %d", item->n,
                             c->comms[m->parent].size);
    const int32_t comm = add_comm(c, m->parent, (int32_t)item->n, err);
    for (size_t k = 0; k < item->n && comm >= 0; k++) {
        const int32_t place = place_in_parent(c, m, item, k);
        if (place < 0)
            return mpg_error_set(err, "rank %d is not in the communicator of which a new one is made", item->list[k]);
        item_of(c, m, place)->comm = comm;
        if (set_member(c, comm, (int32_t)k, m->arrivals[place].rank, err) < 0)
            return -1;
    }
    return comm < 0 ? -1 : 0;
}

static int make_lists(struct mpg_comms *c, const struct meeting *m, struct mpg_error *err)
{
    for (int32_t i = 0; i < c->comms[m->parent].size; i++)
        if (item_of(c, m, i)->comm == OPEN && make_list(c, m, i, err) < 0)
            return -1;
    return 0;
}

/* Sets color and key of ITEM, the call of rank POSITION of a grid of SIZE ranks, from the rank's coordinates in the
 * dropped dimensions (color) and in the remaining dimensions (key), each combined into a number. Returns 0, or -1 with
 * ERR: the extents do not fit SIZE. */
static int set_grid_color(struct item *item, int32_t position, int32_t size, struct mpg_error *err)
{
    const size_t n = item->n / 2;
    int64_t places = 1, left = position;
    item->color = item->key = 0;
    for (size_t d = 0; d < n; d++)
        places = item->list[d] > 0 && places <= size ? places * item->list[d] : INT64_MAX;
    if (places != size)
        return mpg_error_set(err, "a grid with another number of ranks than its %d", size);
    for (size_t d = 0; d < n; d++) {
        places /= item->list[d];
        const int64_t place = left / places;
        left %= places;
        int64_t *number = item->list[n + d] ? &item->key : &item->color;
        *number = *number * item->list[d] + place;
    }
    return 0;
}

/* A process that calls MPI_Comm_split or the like, for sorting by color, key and rank in the parent. */
struct split_member {
    int64_t color, key;
    int32_t position, rank;
};

static int compare_members(const void *a, const void *b)
{
    const struct split_member *x = a, *y = b;
    if (x->color != y->color)
        return x->color < y->color ? -1 : 1;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->position - y->position;
}

static int make_split(struct mpg_comms *c, const struct meeting *m, struct mpg_error *err)
{
    const int32_t size = c->comms[m->parent].size;
    struct split_member *members = malloc((size_t)size * sizeof *members);
    int status = members ? 0 : out_of_memory(err);
    for (int32_t i = 0; i < size && status == 0; i++) {
        struct item *item = item_of(c, m, i);
        if (m->rule == MPG_COMM_GRID)
            status = set_grid_color(item, i, size, err);
        members[i] = (struct split_member){item->color, item->key, i, m->arrivals[i].rank};
    }
    if (status == 0)
        qsort(members, (size_t)size, sizeof *members, compare_members);
    for (int32_t i = 0, n; i < size && status == 0; i += n) {
        for (n = 1; i + n < size && members[i + n].color == members[i].color; n++)
            ;
        const int32_t comm = members[i].color < 0 ? NONE : add_comm(c, m->parent, n, err);
        status = comm == NONE && members[i].color >= 0 ? -1 : 0;
        for (int32_t k = 0; k < n && status == 0; k++) {
            item_of(c, m, members[i + k].position)->comm = comm;
            status = comm == NONE ? 0 : set_member(c, comm, k, members[i + k].rank, err);
        }
    }
    free(members);
    return status;
}

static int compare_positions(const void *a, const void *b)
{
    const struct arrival *x = a, *y = b;
    return (x->position > y->position) - (x->position < y->position);
}

/* All members of the parent have made the call of MEETING: makes the new communicators. Returns 0, or -1 with ERR. */
static int finish_meeting(struct mpg_comms *c, int32_t meeting, struct mpg_error *err)
{
    const struct meeting *m = &c->meetings[meeting];
    qsort(m->arrivals, (size_t)m->arrived, sizeof *m->arrivals, compare_positions);
    switch (m->rule) {
    case MPG_COMM_SAME:
        return make_first(c, m, c->comms[m->parent].size, err);
    case MPG_COMM_FIRST:
        return make_first(c, m, item_of(c, m, 0)->color, err);
    case MPG_COMM_LIST:
    case MPG_COMM_PICK:
        return make_lists(c, m, err);
    case MPG_COMM_SHOWN:
        return 0;
    default:
        return make_split(c, m, err);
    }
}

/* Handles RANK's constructor call, item I. Returns 1; 0: must wait, since calls of other ranks make the parent; -1 with ERR. */
static int construct(struct mpg_comms *c, int32_t rank, int32_t i, struct mpg_error *err)
{
    struct item *item = &c->rank[rank].items[i];
    const int32_t parent = resolve_handle(c, rank, item->parent, err);
    if (parent == OPEN)
        return 0;
    if (parent < 0)
        return parent == FAILED ? -1 : mpg_error_set(err, "rank %d creates a communicator from one (%lld) that no call created",
                                                              rank, (long long)item->parent);
    int32_t position = position_in(c, parent, rank);
    if (position < 0)
        return mpg_error_set(err, "rank %d creates a communicator from one to which the rank does not belong", rank);
    const int32_t meeting = find_meeting(c, parent, rank, item->rule, err);
    if (meeting < 0)
        return -1;
    struct meeting *m = &c->meetings[meeting];
    if (m->rule != item->rule)
        return mpg_error_set(err, "rank %d creates another kind of communicator than the other members", rank);
    void *grown = grow(m->arrivals, (size_t)m->arrived, &m->capacity, sizeof *m->arrivals);
    if (!grown)
        return out_of_memory(err);
    m->arrivals = grown;
    item->meeting = meeting;
    m->arrivals[m->arrived++] = (struct arrival){rank, position, i};
    if (item->handle >= 0) {
        uint64_t *bound = mpg_map_add(&c->bound, (uint64_t)rank, (uint64_t)item->handle);
        if (!bound)
            return out_of_memory(err);
        *bound = (uint64_t)i + 1;
    }
    return m->arrived == c->comms[parent].size && finish_meeting(c, meeting, err) < 0 ? -1 : 1;
}

/* Returns whether the constructor call ITEM of RANK made a communicator of SIZE ranks in which RANK has the rank MEMBER;
 * OPEN: not known yet. */
static int fits(const struct mpg_comms *c, int32_t rank, const struct item *item, int64_t member, int64_t size)
{
    if (item->what != CONSTRUCT || item->taken)
        return 0;
    if (item->rule == MPG_COMM_SHOWN) {
        const struct meeting *m = &c->meetings[item->meeting];
        return size <= c->comms[m->parent].size && (m->shown == OPEN || (c->comms[m->shown].size == size &&
               (c->comms[m->shown].members[member] == -1 || c->comms[m->shown].members[member] == rank)));
    }
    if (item->comm == OPEN)
        return OPEN;
    return item->comm >= 0 && c->comms[item->comm].size == size && c->comms[item->comm].members[member] == rank;
}

/* Handles item I of RANK, the first use of a handle: finds the constructor call that made the communicator. Returns as
 * construct(). */
static int use(struct mpg_comms *c, int32_t rank, int32_t i, struct mpg_error *err)
{
    struct rank_items *r = &c->rank[rank];
    struct item *item = &r->items[i], *found = NULL;
    uint64_t *bound = mpg_map_add(&c->bound, (uint64_t)rank, (uint64_t)item->handle);
    if (!bound)
        return out_of_memory(err);
    for (int32_t k = i > MAX_LOOKS ? i - MAX_LOOKS : 0; k < i; k++) {
        const int fit = fits(c, rank, &r->items[k], item->color, item->key);
        if (fit == OPEN)
            return 0;
        if (fit && found)
            c->guessed += found->comm != r->items[k].comm;
        if (fit && !found)
            found = &r->items[k];
    }
    if (!r->world_known && item->key == c->ranks && (item->color == rank || !found)) {
        r->world_known = true;
        c->misplaced += item->color != rank;
        item->comm = 0;
    } else if (found && found->rule == MPG_COMM_SHOWN) {
        struct meeting *m = &c->meetings[found->meeting];
        if (m->shown == OPEN && (m->shown = add_comm(c, m->parent, (int32_t)item->key, err)) < 0)
            return -1;
        if (set_member(c, m->shown, (int32_t)item->color, rank, err) < 0)
            return -1;
        item->comm = found->comm = m->shown;
    } else if (found)
        item->comm = found->comm;
    else if (item->key == 1 && (item->comm = self_of(c, rank, err)) < 0)
        return -1;
    if (item->comm < 0)
        return mpg_error_set(err, "rank %d is member %lld of %lld of a communicator that no call before makes", rank,
                             (long long)item->color, (long long)item->key);
    if (found && item->comm != 0)
        found->taken = true;
    *bound = (uint64_t)i + 1;
    return 1;
}

/* Handles the items of RANK in order, up to an item that must wait for other ranks. Returns the number of handled items,
 * or -1 with ERR. */
static int advance(struct mpg_comms *c, int32_t rank, struct mpg_error *err)
{
    struct rank_items *r = &c->rank[rank];
    int taken = 0, status = 1;
    while (r->next < r->n && status > 0) {
        const int32_t i = (int32_t)r->next;
        status = r->items[i].what == USE ? use(c, rank, i, err) : construct(c, rank, i, err);
        taken += status > 0;
        r->next += status > 0;
    }
    return status < 0 ? -1 : taken;
}

/* Defines COMM in the trace B. If the parent has the same size, members named by no call are assumed to be the parent's
 * members at the same ranks. */
static int define(struct mpg_comms *c, int32_t comm, struct mpg_build *b, struct mpg_error *err)
{
    struct mpg_foreign_comm *f = &c->comms[comm];
    const struct mpg_foreign_comm *parent = f->parent < 0 ? NULL : &c->comms[f->parent];
    for (int32_t i = 0; i < f->size && f->known < f->size && parent && parent->size == f->size; i++)
        if (f->members[i] < 0 && set_member(c, comm, i, parent->members[i], err) < 0)
            return -1;
    if (f->known < f->size)
        return mpg_error_set(err, "only %d of the %d members of a communicator use it: the trace does not tell the others",
                             f->known,
                             f->size);
    const struct mpg_build_comm built = {f->label, f->parent, -1, f->size, 0, f->members};
    return mpg_build_comm(b, &built, err);
}

/* For rule SHOWN: sets the new communicator in the calls of members without a use. Calls of other ranks, or the parent,
 * have told the members. */
static void settle_shown(struct mpg_comms *c)
{
    for (int32_t i = 0; i < c->meeting_number; i++) {
        const struct meeting *m = &c->meetings[i];
        for (int32_t k = 0; m->shown >= 0 && k < m->arrived; k++)
            if (item_of(c, m, k)->comm == OPEN && position_in(c, m->shown, m->arrivals[k].rank) >= 0)
                item_of(c, m, k)->comm = m->shown;
    }
}

int mpg_comms_resolve(struct mpg_comms *c, struct mpg_build *b, uint64_t *guessed, uint64_t *misplaced, struct mpg_error *err)
{
    for (bool more = true; more;) {
        more = false;
        for (int32_t r = 0; r < c->ranks; r++) {
            const int taken = advance(c, r, err);
            if (taken < 0)
                return -1;
            more = more || taken > 0;
        }
    }
    for (int32_t r = 0; r < c->ranks; r++)
        if (c->rank[r].next < c->rank[r].n)
            return mpg_error_set(err, "rank %d makes a communicator, and not all members make it", r);
    for (int32_t i = 1; i < c->comm_number; i++)
        if (define(c, i, b, err) < 0)
            return -1;
    settle_shown(c);
    *guessed = c->guessed;
    *misplaced = c->misplaced;
    return mpg_comms_rewind(c, err);
}

/* --- the second pass --- */

int32_t mpg_comms_position(const struct mpg_comms *c, const struct mpg_foreign_comm *comm, int32_t rank)
{
    return position_in(c, comm->label, rank);
}

/* Returns the entry of c->uses for uses of HANDLE by RANK as rank MEMBER of a communicator of SIZE ranks: 1 + index of
 * the next use. ADD: a missing entry is made. NULL: there is no entry; with ADD, out of memory. */
static uint64_t *uses_of(struct mpg_comms *c, int32_t rank, int64_t handle, int64_t member, int64_t size, bool add)
{
    const uint64_t who = (uint64_t)rank << 40 | (uint64_t)member << 20 | (uint64_t)(size - 1);
    return add ? mpg_map_add(&c->uses, who, (uint64_t)handle) : mpg_map_find(&c->uses, who, (uint64_t)handle);
}

int mpg_comms_rewind(struct mpg_comms *c, struct mpg_error *err)
{
    mpg_map_clear(&c->handles);
    mpg_map_clear(&c->uses);
    for (int32_t r = 0; r < c->ranks; r++) {
        struct rank_items *rank = &c->rank[r];
        rank->next = 0;
        for (size_t i = rank->n; i-- > 0;) {
            struct item *item = &rank->items[i];
            uint64_t *slot = item->what == USE ? uses_of(c, r, item->handle, item->color, item->key, true) : NULL;
            if (item->what == USE && !slot)
                return out_of_memory(err);
            item->same = slot ? *slot : 0;
            if (slot)
                *slot = i + 1;
        }
    }
    return 0;
}

const struct mpg_foreign_comm *mpg_comms_constructed(struct mpg_comms *c, int32_t rank, int64_t handle)
{
    struct rank_items *r = &c->rank[rank];
    while (r->next < r->n && r->items[r->next].what == USE)
        r->next++;
    if (r->next == r->n)
        return NULL;
    const struct item *item = &r->items[r->next++];
    uint64_t *slot = handle >= 0 ? mpg_map_add(&c->handles, (uint64_t)rank, (uint64_t)handle) : NULL;
    if (slot)
        *slot = r->next;
    return item->comm >= 0 ? &c->comms[item->comm] : NULL;
}

const struct mpg_foreign_comm *mpg_comms_find(struct mpg_comms *c, int32_t rank, int64_t handle, int32_t member, int32_t size)
{
    struct rank_items *r = &c->rank[rank];
    uint64_t *slot;
    if (c->world >= 0 && handle == c->world)
        return &c->comms[0];
    if (c->self >= 0 && handle == c->self)
        return r->self >= 0 ? &c->comms[r->self] : NULL;
    if (member < 0) {
        slot = mpg_map_find(&c->handles, (uint64_t)rank, (uint64_t)handle);
        return slot && r->items[*slot - 1].comm >= 0 ? &c->comms[r->items[*slot - 1].comm] : NULL;
    }
    const int is_new = is_new_use(c, rank, handle, member, size, &slot);
    if (is_new < 0)
        return NULL;
    if (is_new) {
        uint64_t *use = uses_of(c, rank, handle, member, size, false);
        while (use && *use && *use <= r->next) /* skips uses before the handle's last constructor */
            *use = r->items[*use - 1].same;
        if (!use || *use == 0)
            return NULL;
        *slot = *use;
    }
    return &c->comms[r->items[*slot - 1].comm];
}
