/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparison of message times by path class and message size, and of collectives. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "signature/diff/compare_private.h"

enum { NAME_SIZE = 160 };

static int compare_times(struct comparison *c, const char *name, const struct mpg_distribution *a,
                         const struct mpg_distribution *b, const struct launches launches[2],
                         struct mpg_error *err)
{
    if (!a || !b)
        return mpg_diff_untested(c, name, MPG_TIME_NS, NULL,
                            a ? mpg_distribution_quantile(a, 0.5) : NAN,
                            b ? mpg_distribution_quantile(b, 0.5) : NAN,
                            a ? "measured only in a" : "measured only in b", err);
    return mpg_diff_samples(c, name, MPG_TIME_NS, NULL, a, b, &launches[0], &launches[1], err);
}

/* Compares the times of each message size in A or B, ascending. */
static int compare_sizes(struct comparison *c, const char *path, const char *what,
                         const struct mpg_network_sizes *a, const struct mpg_network_sizes *b,
                         const struct launches launches[2], struct mpg_error *err)
{
    char name[NAME_SIZE], text[32];
    if ((a->n == 0) != (b->n == 0)) {
        snprintf(name, sizeof name, "%s: %s", path, what);
        return mpg_diff_untested(c, name, MPG_TIME_NS, NULL, NAN, NAN,
                            a->n > 0 ? "measured only in a" : "measured only in b", err);
    }
    for (size_t i = 0, j = 0; i < a->n || j < b->n;) {
        const struct mpg_network_size *of_a = i < a->n ? &a->size[i] : NULL;
        const struct mpg_network_size *of_b = j < b->n ? &b->size[j] : NULL;
        if (of_a && of_b && of_a->size_bytes < of_b->size_bytes)
            of_b = NULL;
        else if (of_a && of_b && of_a->size_bytes > of_b->size_bytes)
            of_a = NULL;
        mpg_units_format_size(text, sizeof text, of_a ? of_a->size_bytes : of_b->size_bytes);
        snprintf(name, sizeof name, "%s: %s, %s", path, what, text);
        if (compare_times(c, name, of_a ? of_a->time_ns : NULL, of_b ? of_b->time_ns : NULL,
                          launches, err) < 0)
            return -1;
        if (!of_a || !of_b)
            c->result->item[c->result->n - 1].detail = true;
        i += of_a != NULL;
        j += of_b != NULL;
    }
    return 0;
}

static double limit_value(const struct mpg_network_path *path)
{
    return path && path->eager_limit_bytes != MPG_EAGER_LIMIT_UNKNOWN
               ? (double)path->eager_limit_bytes
               : NAN;
}

/* Compares the eager limits. A limit is found by bisection, not sampled: any difference is significant. */
static int compare_limits(struct comparison *c, const char *path, const struct mpg_network_path *a,
                          const struct mpg_network_path *b, struct mpg_error *err)
{
    double of_a = limit_value(a), of_b = limit_value(b);
    if (isnan(of_a) && isnan(of_b))
        return 0;
    struct mpg_parameter *item =
        mpg_diff_add_parameter(c, err, MPG_SIZE_BYTES, "%s: eager limit", path);
    if (!item)
        return -1;
    item->a = of_a;
    item->b = of_b;
    if (isnan(of_a) || isnan(of_b)) {
        item->verdict = MPG_VERDICT_NONE;
        item->why = isnan(of_b) ? "measured only in a" : "measured only in b";
        return 0;
    }
    if (of_a > 0 && of_b > 0)
        item->ratio = item->low = item->high = of_b / of_a;
    if (of_a != of_b)
        item->verdict = fabs(item->ratio - 1) <= c->tolerance ? MPG_VERDICT_DIFFERS
                                                              : MPG_VERDICT_BEYOND;
    return 0;
}

/* Returns whether A and B, texts of a signature, describe the same method of measurement. The text before a comma or semicolon is
 * the method, the rest the precision. */
static bool same_method(const char *a, const char *b)
{
    if (!a || !b)
        return true; /* signatures without a stated method are compared */
    size_t length = strcspn(a, ",;");
    return length == strcspn(b, ",;") && strncmp(a, b, length) == 0;
}

/* Compares one-way times, or round trips if the methods for one-way times differ. */
static int compare_latencies(struct comparison *c, const char *path,
                             const struct mpg_network_path *a, const struct mpg_network_path *b,
                             const struct launches launches[2], struct mpg_error *err)
{
    char name[NAME_SIZE];
    if (same_method(a->one_way, b->one_way))
        return compare_sizes(c, path, "one way", &a->latency, &b->latency, launches, err);
    snprintf(name, sizeof name, "%s: one way", path);
    if (mpg_diff_untested(c, name, MPG_TIME_NS, NULL, NAN, NAN, "obtained in different ways", err) < 0)
        return -1;
    return compare_sizes(c, path, "round trip", &a->round_trip, &b->round_trip, launches, err);
}

/* Returns how SIG's transfer times on PATH were obtained; NULL: unknown. */
static const char *transfer_of(const struct mpg_signature *sig, const char *path)
{
    char key[64];
    snprintf(key, sizeof key, "transfer, %s", path);
    return mpg_fact_find(sig->fact, sig->facts, key);
}

static int compare_transfers(struct comparison *c, const char *path,
                             const struct mpg_network_path *a, const struct mpg_network_path *b,
                             const struct launches launches[2], struct mpg_error *err)
{
    char name[NAME_SIZE];
    if (same_method(transfer_of(c->a, path), transfer_of(c->b, path)))
        return compare_sizes(c, path, "transfer", &a->bandwidth, &b->bandwidth, launches, err);
    snprintf(name, sizeof name, "%s: transfer", path);
    return mpg_diff_untested(c, name, MPG_TIME_NS, NULL, NAN, NAN, "obtained in different ways", err);
}

/* Compares the times of one-sided operations. */
static int compare_one_sided(struct comparison *c, const char *path, const struct mpg_network_path *a,
                             const struct mpg_network_path *b, const struct launches launches[2], struct mpg_error *err)
{
    char what[64];
    for (int o = 0; o < MPG_ONE_SIDED_OPERATIONS; o++) {
        const struct mpg_one_sided_times *x = &a->one_sided[o], *y = &b->one_sided[o];
        const char *name = mpg_one_sided_name((enum mpg_one_sided)o);
        const bool both = x->call.n > 0 && y->call.n > 0;
        snprintf(what, sizeof what, both ? "%s, call" : "%s", name);
        if (compare_sizes(c, path, what, &x->call, &y->call, launches, err) < 0)
            return -1;
        snprintf(what, sizeof what, "%s, complete", name);
        if (both && compare_sizes(c, path, what, &x->complete, &y->complete, launches, err) < 0)
            return -1;
    }
    return 0;
}

/* Compares the overlap at a size of both signatures. Predictions depend on the side of one half alone: signatures differ if they
 * are on different sides. */
static int compare_share(struct comparison *c, const char *name, const struct mpg_distribution *a,
                         const struct mpg_distribution *b, struct mpg_error *err)
{
    struct mpg_parameter *item = mpg_diff_add_parameter(c, err, MPG_PERCENT, "%s", name);
    if (!item)
        return -1;
    item->a = 100 * mpg_distribution_quantile(a, 0.5);
    item->b = 100 * mpg_distribution_quantile(b, 0.5);
    if (mpg_overlap_decides(a) == 0 || mpg_overlap_decides(b) == 0) {
        item->verdict = MPG_VERDICT_NONE;
        item->why = "too uncertain: 50 % is in the interval";
    } else if (mpg_overlap_decides(a) != mpg_overlap_decides(b)) {
        item->verdict = MPG_VERDICT_BEYOND;
    }
    return 0;
}

/* Compares the overlaps of transfers with computation at the sizes that both signatures have. */
static int compare_overlap(struct comparison *c, const char *path, const struct mpg_network_path *a,
                           const struct mpg_network_path *b, struct mpg_error *err)
{
    char name[NAME_SIZE], text[32];
    for (int side = 0; side < MPG_OVERLAP_SIDES; side++) {
        const struct mpg_network_sizes *x = &a->overlap[side].share, *y = &b->overlap[side].share;
        const char *what = mpg_overlap_name((enum mpg_overlap_side)side);
        snprintf(name, sizeof name, "%s: overlap, %s", path, what);
        if ((x->n == 0) != (y->n == 0) &&
            mpg_diff_untested(c, name, MPG_PERCENT, NULL, NAN, NAN, x->n > 0 ? "measured only in a" : "measured only in b",
                              err) < 0)
            return -1;
        for (size_t i = 0, j = 0; i < x->n && j < y->n;) {
            const int64_t of_a = x->size[i].size_bytes, of_b = y->size[j].size_bytes;
            mpg_units_format_size(text, sizeof text, of_a);
            snprintf(name, sizeof name, "%s: overlap, %s, %s", path, what, text);
            if (of_a == of_b && compare_share(c, name, x->size[i].time_ns, y->size[j].time_ns, err) < 0)
                return -1;
            i += of_a <= of_b;
            j += of_b <= of_a;
        }
    }
    return 0;
}

/* Compares the paths A and B, at least one not NULL, called NAME. */
static int compare_paths(struct comparison *c, const char *name, const struct mpg_network_path *a,
                         const struct mpg_network_path *b, struct mpg_error *err)
{
    static const struct mpg_network_path nothing;
    struct launches launches[2] = {mpg_diff_launches(a), mpg_diff_launches(b)};
    bool few = isinf(launches[0].freedom) || isinf(launches[1].freedom);
    if (a && b && few)
        c->result->few_launches = true;
    const struct mpg_network_path *x = a ? a : &nothing, *y = b ? b : &nothing;
    if (compare_latencies(c, name, x, y, launches, err) < 0 ||
        compare_transfers(c, name, x, y, launches, err) < 0 ||
        compare_sizes(c, name, "streaming", &x->streaming, &y->streaming, launches, err) < 0 ||
        compare_one_sided(c, name, x, y, launches, err) < 0 || compare_overlap(c, name, x, y, err) < 0)
        return -1;
    return compare_limits(c, name, a, b, err);
}

/* ---- collectives ---- */

/* All times of collectives, or of reductions, of one signature. */
struct times {
    const struct mpg_collective_time *item;
    size_t n;
};

static const struct mpg_distribution *find_collective(const struct times *times,
                                                      const struct mpg_collective_time *like)
{
    for (size_t i = 0; i < times->n; i++) {
        const struct mpg_collective_time *c = &times->item[i];
        if (strcmp(c->operation, like->operation) == 0 && c->processes == like->processes &&
            c->size_bytes == like->size_bytes)
            return c->time_ns;
    }
    return NULL;
}

/* Compares the times of A and B for LIKE's operation, number of processes and size. */
static int compare_collective(struct comparison *c, const struct mpg_collective_time *like,
                              const struct times *a, const struct times *b,
                              const struct launches launches[2], struct mpg_error *err)
{
    char name[NAME_SIZE], text[32];
    snprintf(name, sizeof name, "%.40s of %d, %s", like->operation, like->processes,
             mpg_units_format_size(text, sizeof text, like->size_bytes));
    return compare_times(c, name, find_collective(a, like), find_collective(b, like), launches, err);
}

/* Compares all collectives of A and B. Differences between launches are estimated from the messages on the farthest
 * path. */
static int compare_collectives(struct comparison *c, const struct times *a, const struct times *b,
                               struct mpg_error *err)
{
    struct launches launches[2] = {mpg_diff_launches(mpg_signature_farthest(c->a)),
                                   mpg_diff_launches(mpg_signature_farthest(c->b))};
    for (size_t i = 0; i < a->n; i++)
        if (compare_collective(c, &a->item[i], a, b, launches, err) < 0)
            return -1;
    for (size_t i = 0; i < b->n; i++)
        if (!find_collective(a, &b->item[i]) &&
            compare_collective(c, &b->item[i], a, b, launches, err) < 0)
            return -1;
    return 0;
}

/* Returns SIG's times of messages between the memories of GPUs on path class PATH; NULL: not measured. */
static const struct mpg_network_path *device_path(const struct mpg_signature *sig, enum mpg_path_class path)
{
    for (size_t i = 0; i < sig->device_paths; i++)
        if (sig->device[i].path == path)
            return &sig->device[i];
    return NULL;
}

int mpg_diff_network(struct comparison *c, struct mpg_error *err)
{
    for (int p = 0; p < 2 * MPG_PATHS; p++) {
        const enum mpg_path_class class = (enum mpg_path_class)(p % MPG_PATHS);
        const bool device = p >= MPG_PATHS;
        const struct mpg_network_path *a = (device ? device_path : mpg_signature_path)(c->a, class);
        const struct mpg_network_path *b = (device ? device_path : mpg_signature_path)(c->b, class);
        char name[40];
        snprintf(name, sizeof name, "%s%s", mpg_path_name(class), device ? ", memories of GPUs" : "");
        if ((a || b) && compare_paths(c, name, a, b, err) < 0)
            return -1;
    }
    struct times a[] = {{c->a->collective, c->a->collectives}, {c->a->reduction, c->a->reductions}};
    struct times b[] = {{c->b->collective, c->b->collectives}, {c->b->reduction, c->b->reductions}};
    if (compare_collectives(c, &a[0], &b[0], err) < 0)
        return -1;
    return compare_collectives(c, &a[1], &b[1], err);
}
