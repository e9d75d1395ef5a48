/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Of each rank the rows of the few last it sent in. */
#include "simulate/models/rows.h"

#include <stdlib.h>

#include "common/reserve.h"

enum { KEPT = 4 };

/* What a row is drawn by. */
struct key {
    const struct mpg_perturbation *p;
    const struct mpg_rows *rows;
    uint64_t call;
    uint32_t to;
};

struct sender {
    struct key key[KEPT]; /* p NULL: nothing is there */
    uint32_t next;        /* to be given up */
    uint32_t row[];       /* KEPT x n */
};

struct mpg_kept_rows {
    uint32_t first, n;
    struct sender **sender; /* by rank; NULL: it has not sent yet */
    uint32_t senders;
    uint32_t *drawn;        /* n, where there was no room */
};

struct mpg_kept_rows *mpg_kept_rows_new(uint32_t first, uint32_t n, struct mpg_error *err)
{
    struct mpg_kept_rows *k = calloc(1, sizeof *k);
    if (k)
        *k = (struct mpg_kept_rows){.first = first, .n = n, .drawn = malloc(n * sizeof *k->drawn)};
    if (k && k->drawn)
        return k;
    mpg_kept_rows_free(k);
    mpg_error_set(err, "out of memory");
    return NULL;
}

void mpg_kept_rows_free(struct mpg_kept_rows *k)
{
    if (!k)
        return;
    for (uint32_t i = 0; i < k->senders; i++)
        free(k->sender[i]);
    free(k->sender);
    free(k->drawn);
    free(k);
}

double mpg_kept_rows_bytes(void)
{
    return KEPT * sizeof(uint32_t);
}

/* That of RANK; NULL: there is no room for it. */
static struct sender *sender_of(struct mpg_kept_rows *k, int32_t rank)
{
    struct mpg_error ignored;
    void *items = k->sender;
    const uint32_t i = (uint32_t)rank;
    if (i >= k->senders) {
        const int status = mpg_reserve(&items, sizeof *k->sender, &k->senders, i + 1, &ignored);
        k->sender = items;
        if (status < 0)
            return NULL;
    }
    if (!k->sender[i])
        k->sender[i] = calloc(1, sizeof *k->sender[i] + KEPT * (size_t)k->n * sizeof(uint32_t));
    return k->sender[i];
}

static bool same(const struct key *a, const struct key *b)
{
    return a->call == b->call && a->to == b->to && a->p == b->p && a->rows == b->rows;
}

const uint32_t *mpg_kept_rows_of(struct mpg_kept_rows *k, const struct mpg_perturbation *p,
                                 const struct mpg_rows *rows, uint64_t number, const struct mpg_sending *m)
{
    const struct key key = {.p = p, .rows = rows, .call = number, .to = (uint32_t)m->to};
    struct sender *s = sender_of(k, m->rank);
    if (!s) {
        mpg_flight_draw_rows(p, rows, number, m, k->first, k->n, k->drawn);
        return k->drawn;
    }
    for (uint32_t i = 0; i < KEPT; i++)
        if (same(&s->key[i], &key))
            return s->row + (size_t)i * k->n;
    uint32_t *row = s->row + (size_t)s->next * k->n;
    mpg_flight_draw_rows(p, rows, number, m, k->first, k->n, row);
    s->key[s->next] = key;
    s->next = (s->next + 1) % KEPT;
    return row;
}
