/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "signature/causes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add(struct mpg_cause_sums *s, unsigned mark, double duration_ns)
{
    const unsigned cause = mark / 2;
    s->lost_ns[cause] += duration_ns;
    s->detours[cause]++;
    s->longest_ns[cause] = fmax(s->longest_ns[cause], duration_ns);
}

/* Adds PART, scaled to totals of LOST_NS and DETOURS, to S; longest_ns is not scaled. */
static void add_part(struct mpg_cause_sums *s, const struct mpg_cause_sums *part, double lost_ns, double detours)
{
    double part_ns = 0, part_detours = 0;
    for (int i = 0; i < MPG_SIGNATURE_MAX_CAUSES; i++) {
        part_ns += part->lost_ns[i];
        part_detours += part->detours[i];
    }
    for (int i = 0; i < MPG_SIGNATURE_MAX_CAUSES && part_detours > 0; i++) {
        s->lost_ns[i] += part_ns > 0 ? fmax(0, lost_ns) * part->lost_ns[i] / part_ns : 0;
        s->detours[i] += fmax(0, detours) * part->detours[i] / part_detours;
        s->longest_ns[i] = fmax(s->longest_ns[i], part->longest_ns[i]);
    }
}

void mpg_cause_sums_of(const struct mpg_noise_core *c, struct mpg_cause_sums *s)
{
    const struct mpg_noise_blocks *b = &c->blocks;
    struct mpg_cause_sums shorter = {{0}, {0}, {0}};
    double longest_ns = 0;
    *s = shorter;
    for (size_t i = 0; i < c->detours; i++) {
        add(s, c->mark[i], c->duration_ns[i]);
        longest_ns += c->duration_ns[i];
    }
    for (size_t i = 0; i < b->detours; i++)
        if (c->detours == 0 || b->duration_ns[i] < b->min_ns)
            add(&shorter, b->mark[i], b->duration_ns[i]);
    if (b->recorded > 0)
        add_part(s, &shorter, c->fraction_lost * c->span_ns - longest_ns, (double)b->recorded - (double)c->detours);
}

static int by_time(const void *a, const void *b)
{
    const struct mpg_cause_total *x = a, *y = b;
    return x->fraction != y->fraction ? (x->fraction < y->fraction ? 1 : -1) : strcmp(x->name, y->name);
}

/* Returns the element of TOTAL, of *N elements, with NAME; a missing element is appended. */
static struct mpg_cause_total *find(struct mpg_cause_total *total, size_t *n, const char *name)
{
    for (size_t i = 0; i < *n; i++)
        if (strcmp(total[i].name, name) == 0)
            return &total[i];
    total[*n] = (struct mpg_cause_total){.name = name};
    return &total[(*n)++];
}

int mpg_signature_causes(const struct mpg_signature *sig, struct mpg_cause_total **total, size_t *n, struct mpg_error *err)
{
    double span_ns = 0;
    size_t names = 0;
    *n = 0;
    for (size_t i = 0; i < sig->cores; i++)
        names += sig->core[i].causes;
    *total = calloc(names + 1, sizeof **total);
    if (!*total)
        return mpg_error_set(err, "out of memory for %zu causes", names);
    for (size_t i = 0; i < sig->cores; i++) {
        const struct mpg_noise_core *c = &sig->core[i];
        struct mpg_cause_sums s;
        if (c->causes == 0)
            continue;
        span_ns += c->span_ns;
        mpg_cause_sums_of(c, &s);
        for (size_t k = 0; k < c->causes; k++) {
            if (s.detours[k] == 0)
                continue;
            struct mpg_cause_total *t = find(*total, n, c->cause[k]);
            t->fraction += s.lost_ns[k];
            t->per_s += s.detours[k];
            t->longest_ns = fmax(t->longest_ns, s.longest_ns[k]);
        }
    }
    for (size_t i = 0; i < *n; i++) {
        (*total)[i].fraction /= span_ns;
        (*total)[i].per_s /= span_ns * 1e-9;
    }
    qsort(*total, *n, sizeof **total, by_time);
    return 0;
}

void mpg_noise_core_forget_causes(struct mpg_noise_core *c)
{
    for (size_t i = 0; i < c->causes; i++)
        free(c->cause[i]);
    free(c->cause);
    c->cause = NULL;
    c->causes = 0;
}
