/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merges the header lines of all results files into the signature's header. */
#include "signature/make/collect_private.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"

/* If a header line has more different values, the list of values ends in "...". */
#define LISTED_VALUES 8

/* Returns whether header line KEY is not merged: the value is stored elsewhere, belongs to a single file, or is written by
 * sigmake. */
static bool is_own_key(const char *key)
{
    static const char *const own[] = {
        "benchmark", "columns", "core", "launch", "path", "pairs", "threshold_ns", "shortest_loop_ns",
        "span_ns", "ended_early", "quantum_ns", "unit_ns", "work_units", "work_ns", "start_monotonic_ns",
        "cores_at_once", "context_switches", "cpu_migrations", "page_faults", "preemptions",
        "cpu_share", "off_cpu_ns", "speed_range", "rank", "steal_ns", "interrupts", "softirqs",
        "eager_limit_bytes", "eager_limit", "clocks", "one_way_error_ns", "stopping",
        "operations", "causes", "cause_events_lost", "kernels", "kernel_units", "fits", "sigmake"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(key, own[i]) == 0)
            return true;
    return strncmp(key, "pair ", strlen("pair ")) == 0;
}

int mpg_collect_add_facts(struct mpg_collect *c, const struct mpg_results *r,
                          struct mpg_error *err)
{
    for (size_t i = 0; i < r->facts; i++) {
        const struct mpg_fact *f = &r->fact[i];
        bool known = is_own_key(f->key);
        for (size_t j = 0; !known && j < c->values; j++)
            known = strcmp(c->value[j].key, f->key) == 0 &&
                    strcmp(c->value[j].value, f->value) == 0;
        if (!known && mpg_fact_add(&c->value, &c->values, f->key, f->value, err) < 0)
            return mpg_error_prefix(err, "%s", r->path);
    }
    const char *slash = strrchr(r->path, '/');
    char checksum[32];
    snprintf(checksum, sizeof checksum, "crc32 %08x", (unsigned)r->crc32);
    if (mpg_fact_add(&c->sig->source, &c->sig->sources, slash ? slash + 1 : r->path, checksum,
                     err) < 0)
        return mpg_error_prefix(err, "%s: file name", r->path);
    return 0;
}

/* The different values that the results files have for a header line. */
struct values {
    size_t n;
    bool all_listed, numbers;
    double min, max;               /* range of the values, if all are numbers */
    const char *first, *last;      /* first and last value in the order of characters; for dates: earliest and latest */
    size_t used;
    char text[MPG_LINE_MAX_BYTES + 1];
};

static void add_value(struct values *v, const char *value)
{
    double number;
    v->numbers = v->numbers && mpg_units_parse_real(value, &number, NULL) == 0;
    if (v->numbers) {
        v->min = v->n == 0 ? number : fmin(v->min, number);
        v->max = v->n == 0 ? number : fmax(v->max, number);
    }
    if (v->n == 0 || strcmp(value, v->first) < 0)
        v->first = value;
    if (v->n == 0 || strcmp(value, v->last) > 0)
        v->last = value;
    v->all_listed = v->all_listed &&
                    (v->n == 0 ||
                     (v->n < LISTED_VALUES && v->used + strlen(value) + 8 < sizeof v->text));
    if (v->all_listed)
        v->used += (size_t)snprintf(v->text + v->used, sizeof v->text - v->used, "%s%s",
                                    v->n ? "; " : "", value);
    v->n++;
}

/* Adds header line KEY to the signature: a single value unchanged, numbers and dates as a range, other values as a
 * list. */
static int put_fact(struct mpg_collect *c, const char *key, struct mpg_error *err)
{
    bool version = strcmp(key, "kernel") == 0 || strcmp(key, "clock") == 0;
    struct values v = {.all_listed = true, .numbers = !version};
    for (size_t i = 0; i < c->values; i++)
        if (strcmp(c->value[i].key, key) == 0)
            add_value(&v, c->value[i].value);
    if (v.n > 1 && v.numbers)
        snprintf(v.text, sizeof v.text, "%.15g to %.15g", v.min, v.max);
    else if (v.n > 1 && strcmp(key, "date") == 0)
        snprintf(v.text, sizeof v.text, "%.80s to %.80s", v.first, v.last);
    else if (!v.all_listed)
        snprintf(v.text + v.used, sizeof v.text - v.used, "; ...");
    if (v.n > 1 && version &&
        mpg_collect_warn(c, err, "the %s differs between results files: %.300s", key, v.text) < 0)
        return -1;
    return mpg_fact_add(&c->sig->fact, &c->sig->facts, key, v.text, err);
}

int mpg_collect_put_facts(struct mpg_collect *c, struct mpg_error *err)
{
    struct mpg_signature *sig = c->sig;
    for (size_t i = 0; i < c->values; i++) {
        const char *key = c->value[i].key;
        if (!mpg_fact_find(sig->fact, sig->facts, key) && put_fact(c, key, err) < 0)
            return -1;
    }
    return mpg_fact_add(&sig->fact, &sig->facts, "fits",
                        "to at most 10000 samples of a distribution, evenly taken", err);
}
