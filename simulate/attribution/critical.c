/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/attribution/critical.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/store/spool.h"

/* A record has two terms; a value with more terms has a chain of records. */
/* ORDER, the last term, is not the first of a pair */
enum { GROUPS = (MPG_CRITICAL_ORDER - MPG_CRITICAL_COMPUTATION) / 2, NO_GROUP = GROUPS };
enum { A_BLOCK = 1 << 15, NOWHERE = -1 };
/* stands for the value between two records of a chain */
enum { BETWEEN = MPG_VALUE_PARTS };

struct record {
    uint32_t to, from, place;
    uint8_t to_part, from_part, group;
    bool begins;
    double ns[2];
};

struct mpg_critical_spool {
    int fd;
    uint64_t blocks; /* number of blocks written */
    size_t n;        /* number of records in the current block */
    struct mpg_error err;
    bool failed;
    struct record block[A_BLOCK];
};

struct mpg_critical *mpg_critical_new(uint32_t wanted, struct mpg_error *err)
{
    struct mpg_critical *p = calloc(1, sizeof *p);
    if (!p || !(p->path_segment = calloc(wanted ? wanted : 1, sizeof *p->path_segment)) ||
        !(p->spool = calloc(1, sizeof *p->spool))) {
        mpg_critical_free(p);
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    p->wanted = wanted;
    p->spool->fd = mpg_spool_file(err);
    if (p->spool->fd >= 0 && (p->tally = mpg_tally_new(1, MPG_ATTRIBUTION_TERMS, false, err)))
        return p;
    mpg_critical_free(p);
    return NULL;
}

void mpg_critical_free(struct mpg_critical *p)
{
    if (!p)
        return;
    if (p->spool && p->spool->fd >= 0)
        close(p->spool->fd);
    free(p->spool);
    free(p->path_segment);
    mpg_tally_free(p->tally);
    free(p);
}

int mpg_critical_restart(struct mpg_critical *p, struct mpg_error *err)
{
    struct mpg_tally *tally = mpg_tally_new(1, MPG_ATTRIBUTION_TERMS, false, err);
    if (!tally)
        return -1;
    mpg_tally_free(p->tally);
    p->tally = tally;
    p->spool->n = 0;
    p->spool->blocks = 0;
    return 0;
}

/* --- recording --- */

static void write_block(struct mpg_critical_spool *s)
{
    char name[MPG_SPOOL_NAME_BYTES];
    const int64_t at = (int64_t)(s->blocks++ * sizeof s->block);
    s->n = 0;
    s->failed = s->failed || mpg_spool_write(s->fd, s->block, sizeof s->block, at, mpg_spool_name(name), &s->err) < 0;
}

static void put(struct mpg_critical_spool *s, const struct record *r)
{
    if (s->n == A_BLOCK)
        write_block(s);
    s->block[s->n++] = *r;
}

void mpg_critical_add(struct mpg_critical *p, struct mpg_value to, struct mpg_value from, uint32_t place,
                  bool begins, const double *terms)
{
    struct record r = {.to = to.number,
                       .from = from.number,
                       .to_part = (uint8_t)to.part,
                       .from_part = (uint8_t)from.part,
                       .place = place,
                       .group = NO_GROUP,
                       .begins = begins};
    for (int g = 0; g < GROUPS; g++) {
        const double *two = terms + MPG_CRITICAL_COMPUTATION + 2 * g;
        if (two[0] == 0 && two[1] == 0)
            continue;
        if (r.group != NO_GROUP) { /* unless this record is the last of the chain */
            r.to_part = BETWEEN;
            put(p->spool, &r);
            r.from = to.number;
            r.from_part = BETWEEN;
            r.to_part = (uint8_t)to.part;
            r.begins = false;
        }
        r.group = (uint8_t)g;
        memcpy(r.ns, two, sizeof r.ns);
    }
    if (r.group != NO_GROUP || r.begins || r.from_part != r.to_part || r.from != r.to)
        put(p->spool, &r);
}

/* --- following --- */

struct backtrack {
    struct mpg_critical *path;
    uint32_t number; /* the current value */
    uint8_t part;
    double at_ns;
    bool ended, crossed; /* the path segment has ended; the preceding path segment is on another rank */
    struct mpg_path_segment now;
};

/* Returns whether A is longer than B, or as long as B and earlier. */
static bool is_longer(const struct mpg_path_segment *a, const struct mpg_path_segment *b)
{
    const double a_ns = a->end_ns - a->begin_ns, b_ns = b->end_ns - b->begin_ns;
    return a_ns != b_ns ? a_ns > b_ns : a->begin_ns < b->begin_ns;
}

/* Adds PATH_SEGMENT, if long enough, to the heap of the longest path segments; the shortest is at the top of the heap. */
static void keep(struct mpg_critical *p, const struct mpg_path_segment *path_segment)
{
    struct mpg_path_segment *heap = p->path_segment;
    uint32_t i = 0;
    if (p->path_segments < p->wanted) {
        for (i = p->path_segments++; i > 0 && is_longer(&heap[(i - 1) / 2], path_segment); i = (i - 1) / 2)
            heap[i] = heap[(i - 1) / 2];
        heap[i] = *path_segment;
        return;
    }
    if (p->wanted == 0 || !is_longer(path_segment, &heap[0]))
        return;
    for (uint32_t child; (child = 2 * i + 1) < p->path_segments; i = child) {
        if (child + 1 < p->path_segments && is_longer(&heap[child], &heap[child + 1]))
            child++;
        if (!is_longer(path_segment, &heap[child]))
            break;
        heap[i] = heap[child];
    }
    heap[i] = *path_segment;
}

/* Ends the current path segment. PLACE: the place of the preceding path segment; UINT32_MAX: no preceding segment. */
static void turn(struct backtrack *x, uint32_t place)
{
    const struct mpg_attribution_place *places = x->path->tally->places.place;
    if (x->crossed && place != UINT32_MAX && places[place].rank != places[x->now.place].rank)
        x->now.from = places[place].rank;
    if (x->now.end_ns > x->now.begin_ns) {
        x->path->all++;
        keep(x->path, &x->now);
    }
    x->now = (struct mpg_path_segment){.place = place, .from = NOWHERE, .begin_ns = x->at_ns, .end_ns = x->at_ns};
    x->ended = x->crossed = false;
}

static void add_terms(struct backtrack *x, const struct record *r)
{
    double term[MPG_ATTRIBUTION_TERMS] = {0};
    memcpy(term + MPG_CRITICAL_COMPUTATION + 2 * r->group, r->ns, sizeof r->ns);
    for (uint32_t k = MPG_CRITICAL_COMPUTATION; k < MPG_ATTRIBUTION_TERMS; k++) {
        mpg_tally_put(x->path->tally, x->now.place, k, 0, term[k]);
        x->now.term[k] += term[k];
    }
    x->at_ns -= mpg_critical_ns(term);
    x->now.begin_ns = x->at_ns;
}

static void step_back(struct backtrack *x, const struct record *r)
{
    if (r->to != x->number)
        return;
    if (r->to_part != x->part)
        return;
    if (r->place != UINT32_MAX && (x->ended || (r->group != NO_GROUP && r->place != x->now.place)))
        turn(x, r->place);
    if (r->group != NO_GROUP)
        add_terms(x, r);
    x->ended = x->ended || r->begins;
    if (r->from_part == MPG_VALUE_STREAM && r->place == UINT32_MAX)
        x->ended = x->crossed = true;
    x->number = r->from;
    x->part = r->from_part;
}

static int read_block(struct mpg_critical_spool *s, uint64_t i, struct mpg_error *err)
{
    char name[MPG_SPOOL_NAME_BYTES];
    size_t got;
    if (mpg_spool_read(s->fd, s->block, sizeof s->block, (int64_t)(i * sizeof s->block), mpg_spool_name(name), &got, err) < 0)
        return -1;
    s->n = A_BLOCK;
    return got == sizeof s->block ? 0 : mpg_error_errno(err, EIO, "%s: cannot read", mpg_spool_name(name));
}

static int compare_times(const void *a, const void *b)
{
    const struct mpg_path_segment *x = a, *y = b;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

int mpg_critical_follow(struct mpg_critical *p, struct mpg_error *err)
{
    struct mpg_critical_spool *s = p->spool;
    struct backtrack x = {.path = p, .number = p->stream, .part = MPG_VALUE_STREAM, .at_ns = p->run_ns};
    if (s->failed) {
        *err = s->err;
        return -1;
    }
    x.now = (struct mpg_path_segment){
        .place = p->tally->at[p->stream], .from = NOWHERE, .begin_ns = p->run_ns, .end_ns = p->run_ns};
    for (;;) {
        while (s->n > 0)
            step_back(&x, &s->block[--s->n]);
        if (s->blocks == 0)
            break;
        if (read_block(s, --s->blocks, err) < 0)
            return -1;
    }
    turn(&x, UINT32_MAX);
    if (p->path_segments > 0)
        qsort(p->path_segment, p->path_segments, sizeof *p->path_segment, compare_times);
    if (x.part != MPG_VALUE_STREAM || fabs(x.at_ns) > 1e-6 * fabs(p->run_ns) + 1)
        return mpg_error_set(err, "an error of mpgsim: the critical path misses %g ns of the run of %g ns", x.at_ns, p->run_ns);
    return 0;
}
