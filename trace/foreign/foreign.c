/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Common functions of all importers: events, facts, the check of messages, and the report. */
#include "trace/foreign/foreign.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { TOLERANCE_NS = 1000 };

static const char made_init[] = "ranks without MPI_Init: added at the first call";
static const char made_finalize[] = "ranks without MPI_Finalize: added after the last call";
static const char clamped[] = "times up to 1 us before the previous call's end: set to that end";
static const char unmatched[] = "sends without a receive, or receives without a send: imported by --lenient";

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

int mpg_foreign_begin(struct mpg_foreign *f, const char *name, const char *what, int32_t ranks, const char *target, int fd,
                      const struct mpg_import_config *config, struct mpg_error *err)
{
    char value[512];
    *f = (struct mpg_foreign){.config = config, .name = name, .ranks = ranks};
    if (!(f->build = mpg_build_begin(ranks, target, fd, err)))
        return -1;
    f->rank = calloc((size_t)ranks, sizeof *f->rank);
    if (!f->rank)
        return out_of_memory(err);
    snprintf(value, sizeof value, "%s", what);
    for (char *p = value; *p; p++)
        if (iscntrl((unsigned char)*p))
            *p = ' ';
    if (mpg_build_fact(f->build, 0, "imported", value, err) < 0)
        return -1;
    snprintf(value, sizeof value, "%lld", (long long)config->overhead_call_ns);
    return config->overhead_call_ns < 0 ? 0 : mpg_build_fact(f->build, -1, "overhead_call_ns", value, err);
}

void mpg_foreign_clear(struct mpg_foreign *f)
{
    mpg_build_free(f->build);
    mpg_map_clear(&f->sent);
    mpg_map_clear(&f->received);
    mpg_map_clear(&f->open);
    mpg_map_clear(&f->untraced);
    mpg_map_clear(&f->name_numbers);
    for (size_t i = 0; i < f->name_number; i++)
        free(f->names[i]);
    free(f->names);
    free(f->rank);
}

void mpg_foreign_remark(struct mpg_foreign *f, const char *text, uint64_t count)
{
    int i = 0;
    while (i + 1 < MPG_FOREIGN_REMARKS && f->remarks[i].text && f->remarks[i].text != text &&
           strcmp(f->remarks[i].text, text) != 0)
        i++;
    f->remarks[i].text = text;
    f->remarks[i].count += count;
}

/* Stores in *NUMBER the index of NAME in f->names; a new name is added. Returns 0, or -1 with ERR. */
static int number_name(struct mpg_foreign *f, const char *name, uint64_t *number, struct mpg_error *err)
{
    enum { MAX_NAMES = 4096 };
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char *p = name; *p; p++)
        hash = (hash ^ (uint64_t)(unsigned char)*p) * 0x100000001b3u;
    for (uint64_t collisions = 0;; collisions++) {
        uint64_t *slot = mpg_map_add(&f->name_numbers, hash, collisions);
        if (!slot)
            return out_of_memory(err);
        if (*slot && strcmp(f->names[*slot - 1], name) != 0)
            continue;
        if (*slot == 0) {
            const size_t n = f->name_number;
            char **grown = n < MAX_NAMES ? realloc(f->names, (n + 1) * sizeof *grown) : NULL;
            if (grown)
                f->names = grown;
            if (!grown || !(f->names[n] = strdup(name)))
                return mpg_error_set(err, n < MAX_NAMES ? "out of memory" : "calls of too many functions");
            *slot = ++f->name_number;
        }
        *number = *slot - 1;
        return 0;
    }
}

int mpg_foreign_untraced(struct mpg_foreign *f, int32_t rank, const char *function, struct mpg_error *err)
{
    uint64_t number = 0;
    if (number_name(f, function, &number, err) < 0)
        return -1;
    uint64_t *count = mpg_map_add(&f->untraced, (uint64_t)rank, number);
    if (!count)
        return out_of_memory(err);
    ++*count;
    return 0;
}

int64_t mpg_foreign_post(struct mpg_foreign *f, int32_t rank, uint64_t number, struct mpg_error *err)
{
    uint64_t *slot = mpg_map_add(&f->open, (uint64_t)rank, number);
    if (!slot)
        return out_of_memory(err);
    *slot = (uint64_t)++f->rank[rank].requests;
    return f->rank[rank].requests;
}

int64_t mpg_foreign_request(struct mpg_foreign *f, int32_t rank, uint64_t number, bool take)
{
    const uint64_t *slot = mpg_map_find(&f->open, (uint64_t)rank, number);
    const int64_t request = slot ? (int64_t)*slot : 0;
    if (slot && take)
        mpg_map_remove(&f->open, (uint64_t)rank, number);
    return request;
}

struct mpg_event mpg_foreign_make(enum mpg_call call, int64_t enter_ns, int64_t leave_ns)
{
    return (struct mpg_event){.call = call, .enter_ns = enter_ns, .leave_ns = leave_ns, .newcomm = MPG_NO_COMM,
                              .object = MPG_NO_OBJECT, .site = MPG_NO_SITE};
}

/* --- messages --- */

static int count(struct mpg_map *map, const struct mpg_foreign_comm *comm, int32_t from, int32_t to, struct mpg_error *err)
{
    uint64_t *n = mpg_map_add(map, (uint64_t)comm->label, (uint64_t)(uint32_t)from << 32 | (uint32_t)to);
    if (!n)
        return out_of_memory(err);
    ++*n;
    return 0;
}

/* Returns the world rank of PEER, a rank of COMM; -1 with ERR: PEER is outside of COMM. */
static int32_t world_rank(const struct mpg_foreign_comm *comm, int32_t peer, struct mpg_error *err)
{
    if (peer >= 0 && peer < comm->size)
        return comm->members[peer];
    mpg_error_set(err, "rank %d is none of the %d of its communicator", peer, comm->size);
    return -1;
}

static int count_send(struct mpg_foreign *f, int32_t rank, const struct mpg_foreign_comm *comm, int32_t to, struct mpg_error *err)
{
    if (to == MPG_PROC_NULL)
        return 0;
    const int32_t peer = world_rank(comm, to, err);
    f->messages++;
    return peer < 0 ? -1 : count(&f->sent, comm, rank, peer, err);
}

static int count_receive(struct mpg_foreign *f, int32_t rank, const struct mpg_foreign_comm *comm, int32_t from,
                         struct mpg_error *err)
{
    if (from == MPG_PROC_NULL || from == MPG_UNKNOWN)
        return 0;
    const int32_t peer = world_rank(comm, from, err);
    return peer < 0 ? -1 : count(&f->received, comm, peer, rank, err);
}

static int count_event(struct mpg_foreign *f, int32_t rank, const struct mpg_event *e, const struct mpg_foreign_comm *comm,
                       struct mpg_error *err)
{
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_SEND:
    case MPG_KIND_ISEND:
        return count_send(f, rank, comm, e->to, err);
    case MPG_KIND_RECV:
    case MPG_KIND_IRECV:
        return count_receive(f, rank, comm, e->from, err);
    case MPG_KIND_SENDRECV:
        return count_send(f, rank, comm, e->to, err) < 0 ? -1 : count_receive(f, rank, comm, e->from, err);
    case MPG_KIND_COLLECTIVE:
    case MPG_KIND_ICOLLECTIVE:
        f->collectives++;
        return e->root > 0 && world_rank(comm, e->root, err) < 0 ? -1 : 0;
    default:
        return 0;
    }
}

/* --- events --- */

static int write_event(struct mpg_foreign *f, int32_t rank, struct mpg_event *e, const char *name, struct mpg_error *err)
{
    struct mpg_foreign_rank *r = &f->rank[rank];
    if (mpg_build_event(f->build, rank, e, name, err) < 0)
        return -1;
    r->has_events = true;
    if (e->thread == 0)
        r->last_ns = e->leave_ns;
    return 0;
}

int mpg_foreign_event(struct mpg_foreign *f, int32_t rank, struct mpg_event *e, const struct mpg_foreign_comm *comm,
                      const char *name, struct mpg_error *err)
{
    struct mpg_foreign_rank *r = &f->rank[rank];
    const enum mpg_kind kind = mpg_call_kind(e->call);
    if (comm)
        e->comm = comm->label;
    if (e->thread == 0 && r->has_events && e->enter_ns < r->last_ns) {
        if (r->last_ns - e->enter_ns > TOLERANCE_NS)
            return mpg_error_set(err, "a call begins %lld ns before the end of the call before it",
                                 (long long)(r->last_ns - e->enter_ns));
        e->enter_ns = r->last_ns;
        mpg_foreign_remark(f, clamped, 1);
    }
    if (e->leave_ns < e->enter_ns) {
        if (e->enter_ns - e->leave_ns > TOLERANCE_NS)
            return mpg_error_set(err, "a call ends %lld ns before it begins", (long long)(e->enter_ns - e->leave_ns));
        e->leave_ns = e->enter_ns;
        mpg_foreign_remark(f, clamped, 1);
    }
    if (r->has_finalize && kind != MPG_KIND_OTHER)
        return mpg_error_set(err, "a call after MPI_Finalize");
    if (!r->has_init && e->thread == 0 && kind != MPG_KIND_INIT && kind != MPG_KIND_OTHER) {
        struct mpg_event init = mpg_foreign_make(MPG_CALL_Init, e->enter_ns, e->enter_ns);
        mpg_foreign_remark(f, made_init, 1);
        if (write_event(f, rank, &init, NULL, err) < 0)
            return -1;
        r->has_init = true;
    }
    r->has_init = r->has_init || kind == MPG_KIND_INIT;
    r->has_finalize = r->has_finalize || kind == MPG_KIND_FINALIZE;
    f->calls += kind != MPG_KIND_FLUSH;
    if (comm && count_event(f, rank, e, comm, err) < 0)
        return -1;
    return write_event(f, rank, e, name, err);
}

/* --- the end --- */

/* The first pair of ranks, ordered by communicator and ranks, with different numbers of sends and receives. NUMBER:
 * messages without send or receive, of all pairs. */
struct difference {
    uint64_t key[2], sent, received, number;
    bool found;
};

static void compare_counts(const struct mpg_map *a, const struct mpg_map *b, bool a_is_sent, struct difference *d)
{
    for (size_t i = 0; i < a->capacity; i++) {
        const struct mpg_map_entry *e = &a->entries[i];
        const uint64_t *other = e->used ? mpg_map_find(b, e->key[0], e->key[1]) : NULL;
        const uint64_t n = other ? *other : 0;
        if (!e->used || n == e->value || (!a_is_sent && other))
            continue;
        d->number += n > e->value ? n - e->value : e->value - n;
        if (d->found && (e->key[0] > d->key[0] || (e->key[0] == d->key[0] && e->key[1] >= d->key[1])))
            continue;
        memcpy(d->key, e->key, sizeof d->key);
        d->sent = a_is_sent ? e->value : n;
        d->received = a_is_sent ? n : e->value;
        d->found = true;
    }
}

static int check_messages(struct mpg_foreign *f, struct mpg_error *err)
{
    struct difference d = {.found = false};
    compare_counts(&f->sent, &f->received, true, &d);
    compare_counts(&f->received, &f->sent, false, &d);
    if (d.found && f->config->lenient)
        mpg_foreign_remark(f, unmatched, d.number);
    if (!d.found || f->config->lenient)
        return 0;
    return mpg_error_set(err, "rank %u sends rank %u %llu messages in communicator %lld, and %llu are received (a rank's trace "
                              "that ends early, calls that the recorder does not know?); 'mpgtrace import --lenient' imports "
                              "all the same",
                         (unsigned)(d.key[1] >> 32), (unsigned)d.key[1], (unsigned long long)d.sent, (long long)d.key[0],
                         (unsigned long long)d.received);
}

/* If no rank has called MPI_Finalize, adds the call on all ranks. Otherwise ranks without MPI_Finalize count as killed
 * (fact "died"). */
static int finish_ranks(struct mpg_foreign *f, struct mpg_error *err)
{
    bool any = false;
    for (int32_t r = 0; r < f->ranks; r++)
        any = any || f->rank[r].has_finalize;
    for (int32_t r = 0; r < f->ranks; r++) {
        struct mpg_foreign_rank *rank = &f->rank[r];
        struct mpg_event e = mpg_foreign_make(MPG_CALL_Finalize, rank->last_ns, rank->last_ns);
        if (rank->has_finalize || !rank->has_init || rank->died)
            continue;
        if (!any)
            mpg_foreign_remark(f, made_finalize, 1);
        if ((any ? mpg_build_fact(f->build, r, "died", "0", err) : mpg_build_event(f->build, r, &e, NULL, err)) < 0)
            return -1;
    }
    return 0;
}

/* Orders counts of untraced calls by rank, then by number of the function's name. */
static int compare_untraced(const void *a, const void *b)
{
    const struct mpg_map_entry *x = a, *y = b;
    const int i = x->key[0] != y->key[0] ? 0 : 1;
    return (x->key[i] > y->key[i]) - (x->key[i] < y->key[i]);
}

static int write_untraced(struct mpg_foreign *f, struct mpg_error *err)
{
    char value[320];
    struct mpg_map_entry *all = malloc((f->untraced.count + 1) * sizeof *all);
    size_t n = 0;
    int status = all ? 0 : out_of_memory(err);
    for (size_t i = 0; all && i < f->untraced.capacity; i++)
        if (f->untraced.entries[i].used)
            all[n++] = f->untraced.entries[i];
    if (n > 0)
        qsort(all, n, sizeof *all, compare_untraced);
    for (size_t i = 0; i < n && status == 0; i++) {
        snprintf(value, sizeof value, "%.250s %llu local", f->names[all[i].key[1]], (unsigned long long)all[i].value);
        status = mpg_build_fact(f->build, (int32_t)all[i].key[0], "untraced", value, err);
    }
    free(all);
    return status;
}

static int write_remarks(struct mpg_foreign *f, struct mpg_error *err)
{
    char value[256];
    for (int i = 0; i < MPG_FOREIGN_REMARKS && f->remarks[i].text; i++) {
        if (f->remarks[i].count == 0)
            continue;
        snprintf(value, sizeof value, "%llu %s", (unsigned long long)f->remarks[i].count, f->remarks[i].text);
        if (f->config->report)
            fprintf(f->config->report, "assumed: %s\n", value);
        if (mpg_build_fact(f->build, 0, "assumed", value, err) < 0)
            return -1;
    }
    return 0;
}

int mpg_foreign_end(struct mpg_foreign *f, const char *clocks, struct mpg_error *err)
{
    if (f->calls == 0)
        return mpg_error_set(err, "%s without MPI calls", f->name);
    if (check_messages(f, err) < 0 || finish_ranks(f, err) < 0 || write_untraced(f, err) < 0)
        return -1;
    if (f->config->report)
        fprintf(f->config->report, "%s: %d ranks, %llu calls, %llu messages, %llu collective calls; clocks %s\n", f->name,
                f->ranks,
                (unsigned long long)f->calls, (unsigned long long)f->messages, (unsigned long long)f->collectives, clocks);
    return write_remarks(f, err) < 0 || mpg_build_end(f->build, err) < 0 ? -1 : 0;
}
