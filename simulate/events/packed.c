/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/events/packed.h"

#include <stdlib.h>

#include "common/reserve.h"

struct packed_enter {
    struct packed of_all;
    int64_t interval_ns, off_ns, cpu_ns, alone_ns, since_ns;
    struct mpg_place from, to;
    bool polls;
};

struct packed_message {
    struct packed of_all;
    double bytes;
    struct mpg_origin origin;
    int32_t receiver;
    bool sends;
};

struct packed_leave { /* then its edges, then what it sent */
    struct packed of_all;
    double bytes;
    int64_t duration_ns, call_off_ns;
    uint32_t edges, sent;
    bool failed, dropped, found_nothing;
};

struct packed_edge {
    uint32_t kind, slot;
    struct mpg_origin origin;
    double bytes;
    int32_t source;
};

struct packed_sent {
    struct mpg_origin origin;
    double bytes;
    bool blocking, sync_source, sync_target;
};

struct packed_bare {
    struct packed of_all;
    int64_t since_ns;
};

struct packed_whole { /* then its lists */
    struct packed of_all;
    struct mpg_step step;
};

/* --- which form --- */

/* Whether a LEAVE is one of messages and meetings alone. */
static bool is_plain(const struct mpg_step *s)
{
    bool plain = s->window < 0 && s->transfer == &mpg_no_transfer && s->rooted == 0 && !s->round_trip;
    for (uint32_t i = 0; i < s->edge_number && plain; i++) {
        const struct mpg_edge *e = &s->edges[i];
        plain = !e->expanded && (e->kind == MPG_EDGE_ARRIVAL || e->kind == MPG_EDGE_ENVELOPE ||
                                 e->kind == MPG_EDGE_ACK || e->kind == MPG_EDGE_MEETING);
    }
    return plain;
}

enum packed_form packed_form(const struct mpg_step *s)
{
    switch (s->kind) {
    case MPG_STEP_ENTER:
        return s->change != &mpg_no_change ? PACKED_WHOLE : PACKED_ENTER;
    case MPG_STEP_LEAVE:
        return is_plain(s) ? PACKED_LEAVE : PACKED_WHOLE;
    case MPG_STEP_STORE:
        return s->joins ? PACKED_WHOLE : PACKED_MESSAGE;
    case MPG_STEP_EAGER:
        return PACKED_MESSAGE;
    case MPG_STEP_LOAD:
    case MPG_STEP_JOIN:
    case MPG_STEP_FINISH:
        return PACKED_BARE;
    default:
        return PACKED_WHOLE;
    }
}

static size_t lists_bytes(const struct mpg_step *s)
{
    if (s->kind == MPG_STEP_LEAVE)
        return s->edge_number * sizeof *s->edges + s->sent_number * sizeof *s->sent +
               (s->transfer == &mpg_no_transfer ? 0 : sizeof *s->transfer);
    if (s->kind == MPG_STEP_ENTER && s->change != &mpg_no_change)
        return sizeof *s->change + s->change->mark_number * sizeof *s->change->marks;
    return 0;
}

size_t packed_bytes(enum packed_form form, const struct mpg_step *s)
{
    switch (form) {
    case PACKED_ENTER:
        return sizeof(struct packed_enter);
    case PACKED_MESSAGE:
        return sizeof(struct packed_message);
    case PACKED_LEAVE:
        return sizeof(struct packed_leave) + s->edge_number * sizeof(struct packed_edge) +
               s->sent_number * sizeof(struct packed_sent);
    case PACKED_BARE:
        return sizeof(struct packed_bare);
    case PACKED_WHOLE:
        break;
    }
    return sizeof(struct packed_whole) + lists_bytes(s);
}

/* --- writing --- */

static void write_enter(struct packed_enter *to, const struct mpg_step *s)
{
    to->interval_ns = s->interval_ns;
    to->off_ns = s->off_ns;
    to->cpu_ns = s->cpu_ns;
    to->alone_ns = s->alone_ns;
    to->since_ns = s->since_ns;
    to->from = s->from;
    to->to = s->to;
    to->polls = s->polls;
}

static void write_message(struct packed_message *to, const struct mpg_step *s)
{
    to->bytes = s->bytes;
    to->origin = s->origin;
    to->receiver = s->receiver;
    to->sends = s->kind == MPG_STEP_STORE && s->sends;
}

static void write_leave(struct packed_leave *to, const struct mpg_step *s)
{
    struct packed_edge *edge = (struct packed_edge *)(to + 1);
    struct packed_sent *sent = (struct packed_sent *)(edge + s->edge_number);
    to->bytes = s->bytes;
    to->duration_ns = s->duration_ns;
    to->call_off_ns = s->call_off_ns;
    to->edges = s->edge_number;
    to->sent = s->sent_number;
    to->failed = s->failed;
    to->dropped = s->dropped;
    to->found_nothing = s->found_nothing;
    for (uint32_t i = 0; i < s->edge_number; i++) {
        const struct mpg_edge *e = &s->edges[i];
        edge[i] = (struct packed_edge){(uint32_t)e->kind, e->slot, e->origin, e->bytes, e->source};
    }
    for (uint32_t i = 0; i < s->sent_number; i++) {
        const struct mpg_sent *of = &s->sent[i];
        sent[i] = (struct packed_sent){of->origin, of->bytes, of->blocking, of->sync_source, of->sync_target};
    }
}

/* ITEMS go to *TO, which goes on behind them. */
static void *copy(char **to, const void *items, size_t bytes)
{
    void *copied = *to;
    if (bytes > 0)
        memcpy(*to, items, bytes);
    *to += bytes;
    return copied;
}

static void write_whole(struct packed_whole *whole, const struct mpg_step *s)
{
    char *to = (char *)(whole + 1);
    memcpy(&whole->step, s, sizeof *s);
    if (s->kind == MPG_STEP_ENTER && s->change != &mpg_no_change) {
        struct mpg_change *change = copy(&to, s->change, sizeof *s->change);
        change->marks = copy(&to, change->marks, change->mark_number * sizeof *change->marks);
        whole->step.change = change;
    }
    if (s->kind != MPG_STEP_LEAVE)
        return;
    whole->step.edges = copy(&to, s->edges, s->edge_number * sizeof *s->edges);
    whole->step.lost_number = 0; /* nothing here is relative to what it took */
    whole->step.sent = copy(&to, s->sent, s->sent_number * sizeof *s->sent);
    if (s->transfer != &mpg_no_transfer)
        whole->step.transfer = copy(&to, s->transfer, sizeof *s->transfer);
}

void packed_write(struct packed *to, enum packed_form form, const struct mpg_step *s)
{
    *to = (struct packed){.bytes = (uint32_t)packed_bytes(form, s),
                          .form = (uint8_t)form,
                          .kind = (uint8_t)s->kind,
                          .call = (uint16_t)s->call,
                          .rank = s->rank,
                          .window = s->window,
                          .slot = s->slot,
                          .number = s->number};
    switch (form) {
    case PACKED_ENTER:
        write_enter((struct packed_enter *)to, s);
        break;
    case PACKED_MESSAGE:
        write_message((struct packed_message *)to, s);
        break;
    case PACKED_LEAVE:
        write_leave((struct packed_leave *)to, s);
        break;
    case PACKED_BARE:
        ((struct packed_bare *)to)->since_ns = s->since_ns;
        break;
    case PACKED_WHOLE:
        write_whole((struct packed_whole *)to, s);
        break;
    }
}

/* --- reading --- */

/* Slot I of the edges of a LEAVE. */
static uint32_t *edge_slot(struct packed *p, uint32_t i)
{
    if (p->form == PACKED_WHOLE) {
        struct packed_whole *whole = (struct packed_whole *)p;
        struct mpg_edge *edge = (struct mpg_edge *)(whole + 1);
        return i < whole->step.edge_number ? &edge[i].slot : NULL;
    }
    struct packed_leave *leave = (struct packed_leave *)p;
    struct packed_edge *edge = (struct packed_edge *)(leave + 1);
    return i < leave->edges ? &edge[i].slot : NULL;
}

uint32_t *packed_slot(struct packed *p, uint32_t i)
{
    switch ((enum mpg_step_kind)p->kind) {
    case MPG_STEP_STORE:
    case MPG_STEP_EAGER:
    case MPG_STEP_LOAD:
    case MPG_STEP_JOIN:
        return i > 0 ? NULL : p->form == PACKED_WHOLE ? &((struct packed_whole *)p)->step.slot : &p->slot;
    case MPG_STEP_LEAVE:
        return edge_slot(p, i);
    default:
        return NULL;
    }
}

static void read_enter(const struct packed_enter *p, struct mpg_step *s)
{
    s->change = &mpg_no_change;
    s->interval_ns = p->interval_ns;
    s->off_ns = p->off_ns;
    s->cpu_ns = p->cpu_ns;
    s->alone_ns = p->alone_ns;
    s->since_ns = p->since_ns;
    s->from = p->from;
    s->to = p->to;
    s->polls = p->polls;
}

static void read_message(const struct packed_message *p, struct mpg_step *s)
{
    s->bytes = p->bytes;
    s->origin = p->origin;
    s->receiver = p->receiver;
    s->sends = p->sends;
    s->joins = false;
}

static int read_leave(const struct packed_leave *p, struct unpacked *u, struct mpg_error *err)
{
    const struct packed_edge *edge = (const struct packed_edge *)(p + 1);
    const struct packed_sent *sent = (const struct packed_sent *)(edge + p->edges);
    struct mpg_step *s = &u->step;
    if ((p->edges > u->edge_capacity &&
         mpg_reserve_at(&u->edge, sizeof *u->edge, &u->edge_capacity, p->edges, err) < 0) ||
        (p->sent > u->sent_capacity && mpg_reserve_at(&u->sent, sizeof *u->sent, &u->sent_capacity, p->sent, err) < 0))
        return -1;
    s->bytes = p->bytes;
    s->duration_ns = p->duration_ns;
    s->call_off_ns = p->call_off_ns;
    s->failed = p->failed;
    s->dropped = p->dropped;
    s->found_nothing = p->found_nothing;
    s->round_trip = false;
    s->rooted = 0;
    s->transfer = &mpg_no_transfer;
    s->alternatives = &mpg_no_alternatives;
    s->edge_number = p->edges;
    s->lost_number = 0;
    s->sent_number = p->sent;
    s->edges = u->edge;
    s->sent = u->sent;
    for (uint32_t i = 0; i < p->edges; i++) {
        struct mpg_edge *e = &u->edge[i];
        e->kind = (enum mpg_edge_kind)edge[i].kind;
        e->slot = edge[i].slot;
        e->origin = edge[i].origin;
        e->bytes = edge[i].bytes;
        e->source = edge[i].source;
        e->expanded = false;
    }
    for (uint32_t i = 0; i < p->sent; i++) {
        struct mpg_sent *of = &u->sent[i];
        of->origin = sent[i].origin;
        of->bytes = sent[i].bytes;
        of->blocking = sent[i].blocking;
        of->sync_source = sent[i].sync_source;
        of->sync_target = sent[i].sync_target;
    }
    return 0;
}

struct mpg_step *packed_read(struct packed *p, uint32_t stream, struct unpacked *u, struct mpg_error *err)
{
    struct mpg_step *s = &u->step;
    if (p->form == PACKED_WHOLE)
        return &((struct packed_whole *)p)->step;
    s->kind = (enum mpg_step_kind)p->kind;
    s->call = (enum mpg_call)p->call;
    s->rank = p->rank;
    s->stream = stream;
    s->window = p->window;
    s->slot = p->slot;
    s->number = p->number;
    switch ((enum packed_form)p->form) {
    case PACKED_ENTER:
        read_enter((const struct packed_enter *)p, s);
        break;
    case PACKED_MESSAGE:
        read_message((const struct packed_message *)p, s);
        break;
    case PACKED_LEAVE:
        return read_leave((const struct packed_leave *)p, u, err) < 0 ? NULL : s;
    case PACKED_BARE:
        s->since_ns = ((const struct packed_bare *)p)->since_ns;
        break;
    case PACKED_WHOLE:
        break;
    }
    return s;
}

void unpacked_clear(struct unpacked *u)
{
    free(u->edge);
    free(u->sent);
}
