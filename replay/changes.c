/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hypotheses are applied to the whole trace, and the observer receives the changes of all ranks. Only the changes of this
 * rank's calls are kept. */
#include "replay/changes.h"

#include <math.h>
#include <stdlib.h>

#include "common/map.h"
#include "graph/graph.h"

struct mpg_changes {
    int32_t rank;
    struct mpg_hypothesis_effect *effect; /* changes, ascending by call number, then by index of the request within the call */
    size_t n, capacity, at;
    int64_t *room;         /* room for the changed list of one call, `max` numbers */
    size_t max;
    bool borrowed; /* a copy (mpg_changes_copy()): `effect` belongs to the original */
};

/* --- collecting --- */

static int refuse(const struct mpg_hypothesis_effect *effect, const char *what, struct mpg_error *err)
{
    char name[300];
    return mpg_error_set(err, "rank %d, call %llu: no support for changes of %s: %s", effect->rank,
                         (unsigned long long)effect->number, what,
                         mpg_hypothesis_name(effect->by, name, sizeof name));
}

static int take(void *context, const struct mpg_hypothesis_effect *effect, struct mpg_error *err)
{
    struct mpg_changes *c = context;
    if (effect->rank != c->rank)
        return 0;
    if (effect->kind == MPG_EFFECT_OTHER)
        return refuse(effect, "neighbourhood collectives, partitioned messages and window epochs", err);
    if (c->n == c->capacity) {
        const size_t capacity = 2 * c->capacity + 64;
        struct mpg_hypothesis_effect *grown = realloc(c->effect, capacity * sizeof *grown);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        c->effect = grown;
        c->capacity = capacity;
    }
    c->effect[c->n++] = *effect;
    return 0;
}

static int compare(const void *a, const void *b)
{
    const struct mpg_hypothesis_effect *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->which < y->which ? -1 : x->which > y->which;
}

/* Returns an error if EFFECT changes call E in a way that replay cannot express. */
static int check(const struct mpg_hypothesis_effect *effect, const struct mpg_event *e, struct mpg_error *err)
{
    if (effect->drops || effect->kind != MPG_EFFECT_PART)
        return 0;
    if (mpg_call_kind(e->call) == MPG_KIND_START)
        return refuse(effect, "a persistent collective's size", err);
    if (mpg_call_blocking(e->call) == MPG_CALL_Scatterv && effect->by->size_bytes >= 0)
        return refuse(effect, "MPI_Scatterv by bytes= (use factor=)", err);
    return 0;
}

/* --- persistent requests --- */

/* A persistent request, and the new size of the request's starts by hypotheses. */
struct persistent {
    uint64_t number; /* call number of the initialisation (MPI_Send_init ...) */
    enum mpg_effect_kind kind;
    int64_t was, bytes;
    bool known, differs; /* known: `bytes` is the size of a start; differs: another start has a different size */
};

struct persistents {
    struct mpg_map place; /* identifier of a persistent request -> index in `item` */
    struct persistent *item;
    size_t n, capacity;
};

static int add_persistent(struct persistents *all, uint64_t number, const struct mpg_event *e, struct mpg_error *err)
{
    const bool sends = mpg_call_kind(e->call) == MPG_KIND_SEND_INIT;
    uint64_t *place = mpg_map_add(&all->place, (uint64_t)e->persistent[0], 0);
    if (all->n == all->capacity) {
        const size_t capacity = 2 * all->capacity + 16;
        struct persistent *grown = realloc(all->item, capacity * sizeof *grown);
        if (grown) {
            all->item = grown;
            all->capacity = capacity;
        }
    }
    if (!place || all->n == all->capacity)
        return mpg_error_set(err, "out of memory");
    *place = all->n;
    all->item[all->n++] = (struct persistent){.number = number,
                                              .kind = sends ? MPG_EFFECT_SENT : MPG_EFFECT_RECEIVED};
    return 0;
}

/* Notes the sizes of E, which starts one or several requests. EFFECT to END: the changes of E, ascending by request. */
static void note_start(struct persistents *all, const struct mpg_event *e, const struct mpg_hypothesis_effect *effect,
                       const struct mpg_hypothesis_effect *end)
{
    for (uint32_t i = 0; i < e->request_number; i++) {
        const uint64_t *place = mpg_map_find(&all->place, (uint64_t)e->persistent[i], 0);
        const struct mpg_hypothesis_effect *own = effect < end && effect->which == i ? effect : NULL;
        effect += own != NULL;
        if (!place || (own && own->drops))
            continue;
        struct persistent *p = &all->item[*place];
        const int64_t bytes = own ? own->bytes : MPG_STARTED_AS_WAS;
        p->differs |= p->known && p->bytes != bytes;
        p->known = true;
        p->bytes = bytes;
        p->was = own ? own->was : 0;
    }
}

/* If all starts of a persistent request have equal new sizes, changes the request's initialisation to this size. */
static int make_persistents(struct mpg_changes *c, const struct persistents *all, struct mpg_error *err)
{
    for (size_t i = 0; i < all->n; i++) {
        const struct persistent *p = &all->item[i];
        const struct mpg_hypothesis_effect effect = {.kind = p->kind, .rank = c->rank, .number = p->number, .was = p->was,
                                                     .bytes = p->bytes};
        if (p->known && !p->differs && p->bytes >= 0 && take(c, &effect, err) < 0)
            return -1;
    }
    return 0;
}

/* --- the rank's own events --- */

static int look(struct mpg_changes *c, const struct mpg_event *e, uint64_t number, size_t *at,
                struct persistents *all, struct mpg_error *err)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    const size_t first = *at;
    const bool makes = kind == MPG_KIND_SEND_INIT || kind == MPG_KIND_RECV_INIT;
    c->max = e->count_number > c->max ? e->count_number : c->max;
    c->max = e->request_number > c->max ? e->request_number : c->max;
    for (; *at < c->n && c->effect[*at].number == number; ++*at)
        if (check(&c->effect[*at], e, err) < 0)
            return -1;
    if (kind == MPG_KIND_START)
        note_start(all, e, c->effect + first, c->effect + *at);
    return makes && !e->failed ? add_persistent(all, number, e, err) : 0;
}

/* Reads the rank's events to check each change against the changed call, and adds changes of initialisations of persistent
 * requests. */
static int settle(struct mpg_changes *c, struct mpg_trace *trace, struct mpg_error *err)
{
    const struct mpg_event *e;
    struct persistents all = {.n = 0};
    struct mpg_cursor *cursor = mpg_cursor_open(trace, c->rank, err);
    uint64_t number = 0;
    size_t at = 0;
    int more = cursor ? 1 : -1;
    if (c->n > 0)
        qsort(c->effect, c->n, sizeof *c->effect, compare);
    while (more > 0 && (more = mpg_cursor_read(cursor, &e, err)) > 0)
        if (mpg_event_is_call(e) && look(c, e, number++, &at, &all, err) < 0)
            more = -1;
    mpg_cursor_close(cursor);
    if (more == 0)
        more = make_persistents(c, &all, err);
    if (c->n > 0)
        qsort(c->effect, c->n, sizeof *c->effect, compare);
    if (more == 0 && !(c->room = malloc((c->max + 1) * sizeof *c->room)))
        more = mpg_error_set(err, "out of memory");
    mpg_map_clear(&all.place);
    free(all.item);
    return more;
}

struct mpg_changes *mpg_changes_new(struct mpg_trace *trace, int32_t rank, struct mpg_bound_hypotheses *bound,
                                    struct mpg_error *err)
{
    const struct mpg_graph_options options = {.bound = bound,
                                              .active = mpg_bound_all(bound),
                                              .eager_limit_bytes = INT64_MAX,
                                              .source_eager_limit_bytes = INT64_MAX,
                                              .lenient = true};
    struct mpg_changes *c = calloc(1, sizeof *c);
    if (!c) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    c->rank = rank;
    mpg_bound_set_observer(bound, take, c);
    const int status = mpg_graph_learn(trace, &options, err);
    mpg_bound_set_observer(bound, NULL, NULL);
    if (status == 0 && settle(c, trace, err) == 0)
        return c;
    mpg_changes_free(c);
    return NULL;
}

void mpg_changes_free(struct mpg_changes *c)
{
    if (!c)
        return;
    if (!c->borrowed)
        free(c->effect);
    free(c->room);
    free(c);
}

struct mpg_changes *mpg_changes_copy(const struct mpg_changes *all, struct mpg_error *err)
{
    struct mpg_changes *c = all ? malloc(sizeof *c) : NULL;
    if (!all)
        return NULL;
    if (c) {
        *c = *all;
        c->at = 0;
        c->borrowed = true;
        c->room = malloc((c->max + 1) * sizeof *c->room);
    }
    if (c && c->room)
        return c;
    free(c);
    mpg_error_set(err, "out of memory");
    return NULL;
}

/* --- lookup --- */

void mpg_changes_rewind(struct mpg_changes *c)
{
    if (c)
        c->at = 0;
}

/* Returns the new size of a receive buffer that has BYTES in the trace. EFFECT changes the message: a buffer of the message's
 * traced size gets the new size; a larger buffer grows only if smaller than the new size. */
static int64_t room_of(const struct mpg_hypothesis_effect *effect, int64_t bytes)
{
    return bytes == effect->was || bytes < effect->bytes ? effect->bytes : bytes;
}

/* Changes all sizes passed by this rank to a collective. */
static void resize_part(struct mpg_changes *c, const struct mpg_hypothesis_effect *effect, struct mpg_event *e)
{
    const uint32_t n = e->count_number;
    int64_t sum = 0, *counts = c->room;
    for (uint32_t i = 0; i < n; i++)
        sum += e->counts[i];
    for (uint32_t i = 0; i < n; i++) { /* a new total given by the hypothesis is divided in the traced proportions */
        const double scaled = effect->by->size_bytes >= 0
                                  ? (sum > 0 ? (double)effect->bytes * ((double)e->counts[i] / (double)sum) : 0)
                                  : effect->by->factor * (double)e->counts[i];
        counts[i] = llround(scaled);
    }
    if (n > 0)
        e->counts = counts;
    e->bytes = effect->by->size_bytes >= 0 ? effect->by->size_bytes : llround(effect->by->factor * (double)e->bytes);
}

/* Scales the bytes of a one-sided transfer in both directions. */
static void resize_transfer(const struct mpg_hypothesis_effect *effect, struct mpg_event *e)
{
    const double ratio = effect->was > 0 ? (double)effect->bytes / (double)effect->was : 0;
    e->bytes = llround(ratio * (double)e->bytes);
    e->recvbytes = effect->bytes - e->bytes;
}

static void change_exchange(const struct mpg_hypothesis_effect *effect, struct mpg_changed *to)
{
    struct mpg_event *e = &to->event;
    const bool sends = effect->kind == MPG_EFFECT_SENT;
    if (effect->drops && sends) {
        e->to = MPG_PROC_NULL;
        e->bytes = 0;
    } else if (effect->drops) {
        e->from = MPG_PROC_NULL;
        e->any = 0;
        e->recvbytes = 0;
    } else if (sends)
        e->bytes = effect->bytes;
    else
        e->recvbytes = room_of(effect, e->recvbytes);
    to->drops = to->drops || (effect->drops && e->to == MPG_PROC_NULL && e->from == MPG_PROC_NULL);
}

/* Changes a start: request EFFECT->which is dropped or gets a new size. */
static void change_start(struct mpg_changes *c, const struct mpg_hypothesis_effect *effect, struct mpg_changed *to)
{
    const uint32_t n = to->event.request_number;
    if (!to->started) {
        for (uint32_t i = 0; i < n; i++)
            c->room[i] = MPG_STARTED_AS_WAS;
        to->started = c->room;
    }
    if (effect->which < n)
        c->room[effect->which] = effect->drops ? MPG_STARTED_DROPPED : effect->bytes;
}

static void change(struct mpg_changes *c, const struct mpg_hypothesis_effect *effect, struct mpg_changed *to)
{
    switch (mpg_call_kind(to->event.call)) {
    case MPG_KIND_START:
        change_start(c, effect, to);
        return;
    case MPG_KIND_SENDRECV:
    case MPG_KIND_ISENDRECV:
        change_exchange(effect, to);
        return;
    default:
        break;
    }
    to->drops |= effect->drops;
    if (effect->drops)
        return;
    if (effect->kind == MPG_EFFECT_PART)
        resize_part(c, effect, &to->event);
    else if (mpg_call_kind(to->event.call) == MPG_KIND_RMA || mpg_call_kind(to->event.call) == MPG_KIND_IRMA)
        resize_transfer(effect, &to->event);
    else if (effect->kind == MPG_EFFECT_SENT)
        to->event.bytes = effect->bytes;
    else if (effect->kind == MPG_EFFECT_RECEIVED)
        to->event.bytes = room_of(effect, to->event.bytes);
}

bool mpg_changes_find(struct mpg_changes *c, uint64_t number, const struct mpg_event *e, struct mpg_changed *to)
{
    if (!c)
        return false;
    while (c->at < c->n && c->effect[c->at].number < number)
        c->at++;
    if (c->at == c->n || c->effect[c->at].number != number)
        return false;
    *to = (struct mpg_changed){.event = *e};
    for (; c->at < c->n && c->effect[c->at].number == number; c->at++)
        change(c, &c->effect[c->at], to);
    return true;
}
