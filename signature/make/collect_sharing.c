/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collects the results of the sharing benchmark: the bandwidth of pairs of ranks while one or several pairs transfer at once. */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>

#include "signature/make/collect_private.h"

/* The samples of a point: path class, direction, message size and number of pairs. */
struct point {
    struct mpg_sharing_point key; /* without value */
    enum kind { CURVE, OPPOSITE, LEAD } kind; /* a point of a curve, of opposite messages, or of leads; the first order */
    size_t n, capacity;
    double *value;    /* bytes/s; ns of leads */
    uint32_t *launch; /* file number of each value; a file's values follow one another */
};

struct mpg_collect_sharing {
    size_t n;
    uint32_t files;
    struct point *point;
};

void mpg_collect_free_sharing(struct mpg_collect_sharing *list)
{
    if (!list)
        return;
    for (size_t i = 0; i < list->n; i++) {
        free(list->point[i].value);
        free(list->point[i].launch);
    }
    free(list->point);
    free(list);
}

static int compare(const void *left, const void *right)
{
    const struct mpg_sharing_point *a = &((const struct point *)left)->key, *b = &((const struct point *)right)->key;
    const enum kind kind_a = ((const struct point *)left)->kind, kind_b = ((const struct point *)right)->kind;
    if (kind_a != kind_b)
        return kind_a > kind_b ? 1 : -1;
    if (a->path != b->path)
        return a->path > b->path ? 1 : -1;
    if (a->both != b->both)
        return a->both ? 1 : -1;
    if (a->size_bytes != b->size_bytes)
        return a->size_bytes > b->size_bytes ? 1 : -1;
    return (a->pairs > b->pairs) - (a->pairs < b->pairs);
}

/* Numbers of directions in samples. */
enum { ONE_DIRECTION = 1, BOTH_DIRECTIONS, OPPOSITE_MESSAGES, LEADS };

/* Finds the point of LIST equal to KEY, or adds the point. NULL: too many, out of memory. */
static struct point *find(struct mpg_collect_sharing *list, const struct point *key, struct mpg_error *err)
{
    for (size_t i = 0; i < list->n; i++)
        if (compare(&list->point[i], key) == 0)
            return &list->point[i];
    if (list->n >= MPG_SIGNATURE_MAX_LIST) {
        mpg_error_set(err, "more than %d different measurements", (int)MPG_SIGNATURE_MAX_LIST);
        return NULL;
    }
    struct point *grown = realloc(list->point, (list->n + 1) * sizeof *grown);
    if (!grown) {
        mpg_collect_no_memory(err);
        return NULL;
    }
    list->point = grown;
    grown[list->n] = *key;
    return &grown[list->n++];
}

static int append(struct point *point, double value, uint32_t file, struct mpg_error *err)
{
    if (point->n == point->capacity) {
        size_t capacity = point->capacity ? 2 * point->capacity : 64;
        double *values = realloc(point->value, capacity * sizeof *values);
        if (!values)
            return mpg_collect_no_memory(err);
        point->value = values;
        uint32_t *launches = realloc(point->launch, capacity * sizeof *launches);
        if (!launches)
            return mpg_collect_no_memory(err);
        point->launch = launches;
        point->capacity = capacity;
    }
    point->value[point->n] = value;
    point->launch[point->n++] = file;
    return 0;
}

/* Adds sample I of R, on a path of class PATH. */
static int add_sample(struct mpg_collect_sharing *list, const struct mpg_results *r, size_t i, enum mpg_path_class path,
                      struct mpg_error *err)
{
    double pairs = r->column[MPG_COLUMN_PAIRS][i], directions = r->column[MPG_COLUMN_DIRECTIONS][i];
    double size_bytes = r->column[MPG_COLUMN_SIZE_BYTES][i], messages = r->column[MPG_COLUMN_MESSAGES][i];
    const enum kind kind = directions == OPPOSITE_MESSAGES ? OPPOSITE : directions == LEADS ? LEAD : CURVE;
    double time_ns = r->column[MPG_COLUMN_TIME_NS][i];
    double bytes = messages * size_bytes * (kind == CURVE ? pairs * directions : 1);
    if (pairs < 1 || pairs > INT32_MAX)
        return mpg_error_set(err, "%.15g pairs at once", pairs);
    if (kind == CURVE && directions != ONE_DIRECTION && directions != BOTH_DIRECTIONS)
        return mpg_error_set(err, "%.15g directions", directions);
    if (!(bytes > 0) || !(kind == LEAD ? time_ns >= 0 : time_ns > 0))
        return mpg_error_set(err, "%.15g bytes in %.15g ns", bytes, time_ns);
    const struct point key = {.key = {.path = path, .both = directions == BOTH_DIRECTIONS, .size_bytes = (int64_t)size_bytes,
                                      .pairs = (int)pairs},
                              .kind = kind};
    struct point *point = find(list, &key, err);
    return point ? append(point, kind == LEAD ? time_ns : 1e9 * bytes / time_ns, list->files, err) : -1;
}

int mpg_collect_add_sharing(struct mpg_collect *c, const struct mpg_results *r, enum mpg_path_class path,
                            struct mpg_error *err)
{
    if (!c->sharing && !(c->sharing = calloc(1, sizeof *c->sharing)))
        return mpg_collect_no_memory(err);
    c->sharing->files++;
    for (size_t i = 0; i < r->samples; i++)
        if (add_sample(c->sharing, r, i, path, err) < 0)
            return mpg_error_prefix(err, "%s: sample %zu", r->path, i);
    return 0;
}

int mpg_collect_put_sharing(struct mpg_collect *c, struct mpg_error *err)
{
    struct mpg_signature *sig = c->sig;
    struct mpg_collect_sharing *list = c->sharing;
    if (!list)
        return 0;
    qsort(list->point, list->n, sizeof *list->point, compare);
    sig->sharing = calloc(list->n + 1, sizeof *sig->sharing);
    sig->opposite = calloc(list->n + 1, sizeof *sig->opposite);
    sig->lead = calloc(list->n + 1, sizeof *sig->lead);
    if (!sig->sharing || !sig->opposite || !sig->lead)
        return mpg_collect_no_memory(err);
    for (size_t i = 0; i < list->n; i++) {
        const struct point *from = &list->point[i];
        struct mpg_sharing_point *to = from->kind == LEAD       ? &sig->lead[sig->leads++]
                                       : from->kind == OPPOSITE ? &sig->opposite[sig->opposites++]
                                                                : &sig->sharing[sig->sharings++];
        const struct mpg_samples samples = {.n = from->n, .value = from->value, .launch = from->launch};
        *to = from->key;
        if (mpg_collect_samples(&samples, false, &to->value, err) < 0)
            return mpg_error_prefix(err, "sharing");
    }
    return 0;
}
