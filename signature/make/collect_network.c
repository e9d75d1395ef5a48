/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collects network results: every exchange by path class and message size, with its launch and pair of ranks. */
#include "signature/make/collect_network.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_sizes(struct mpg_exchange_sizes *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->size[i].exchange);
    free(list->size);
}

void mpg_collect_free_path(struct mpg_collect_path *p)
{
    if (!p)
        return;
    free(p->eager_limit_bytes);
    for (size_t i = 0; i < p->pairs; i++)
        free(p->pair[i]);
    free(p->pair);
    free(p->overlap_launch);
    free(p->one_sided_launch);
    free(p->overhead_launch);
    free(p->transfer);
    free(p->launch);
    for (int o = 0; o < MPG_ONE_SIDED_OPERATIONS; o++)
        free_sizes(&p->one_sided[o]);
    for (int side = 0; side < MPG_OVERLAP_SIDES; side++)
        free_sizes(&p->overlap[side]);
    free_sizes(&p->overhead);
    free_sizes(&p->stream);
    free_sizes(&p->bandwidth);
    free_sizes(&p->pingpong);
    free(p);
}

/* Returns the exchanges of SIZE_BYTES in LIST, added empty if missing; NULL with ERR. */
static struct mpg_exchanges *find_size(struct mpg_exchange_sizes *list, int64_t size_bytes,
                                       struct mpg_error *err)
{
    size_t low = 0, high = list->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (list->size[middle].size_bytes < size_bytes)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < list->n && list->size[low].size_bytes == size_bytes)
        return &list->size[low];
    if (list->n >= MPG_SIGNATURE_MAX_SIZES) {
        mpg_error_set(err, "more than %d message sizes", (int)MPG_SIGNATURE_MAX_SIZES);
        return NULL;
    }
    struct mpg_exchanges *grown = realloc(list->size, (list->n + 1) * sizeof *grown);
    if (!grown) {
        mpg_collect_no_memory(err);
        return NULL;
    }
    list->size = grown;
    memmove(&grown[low + 1], &grown[low], (list->n - low) * sizeof *grown);
    grown[low] = (struct mpg_exchanges){.size_bytes = size_bytes};
    list->n++;
    return &grown[low];
}

static int append(struct mpg_exchange_sizes *list, double size_bytes,
                  const struct mpg_measured_exchange *exchange, struct mpg_error *err)
{
    struct mpg_exchanges *s = find_size(list, (int64_t)size_bytes, err);
    if (!s)
        return -1;
    if (s->n == s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : 256;
        struct mpg_measured_exchange *grown = realloc(s->exchange, capacity * sizeof *grown);
        if (!grown)
            return mpg_collect_no_memory(err);
        s->exchange = grown;
        s->capacity = capacity;
    }
    s->exchange[s->n++] = *exchange;
    return 0;
}

/* ---- launches and pairs ---- */

static int add_launch(struct mpg_exchange_launch **list, size_t *n, int64_t id,
                      const struct mpg_results *r, struct mpg_error *err)
{
    const char *clocks = mpg_collect_fact(r, "clocks");
    struct mpg_exchange_launch launch = {.id = id, .error_ns = NAN};
    if (clocks)
        launch.shared = strcmp(clocks, "shared") == 0;
    if (clocks && (launch.shared || strcmp(clocks, "synchronised") == 0) &&
        mpg_results_number(r, "one_way_error_ns", 0, MPG_DISTRIBUTION_LIMIT, &launch.error_ns,
                           err) < 0)
        return -1;
    struct mpg_exchange_launch *grown = realloc(*list, (*n + 1) * sizeof *grown);
    if (!grown)
        return mpg_collect_no_memory(err);
    *list = grown;
    grown[(*n)++] = launch;
    return 0;
}

/* Sets *INDEX to the index in P of the pair of ranks NAME (text of the pair's header line); a missing pair is added. */
static int find_pair(struct mpg_collect_path *p, const char *name, int32_t *index,
                     struct mpg_error *err)
{
    for (size_t i = 0; i < p->pairs; i++) {
        if (strcmp(p->pair[i], name) == 0) {
            *index = (int32_t)i;
            return 0;
        }
    }
    if (p->pairs >= MPG_SIGNATURE_MAX_LIST)
        return mpg_error_set(err, "more than %d pairs of ranks", (int)MPG_SIGNATURE_MAX_LIST);
    char **grown = realloc(p->pair, (p->pairs + 1) * sizeof *grown);
    if (!grown)
        return mpg_collect_no_memory(err);
    p->pair = grown;
    if (!(grown[p->pairs] = strdup(name)))
        return mpg_collect_no_memory(err);
    *index = (int32_t)p->pairs++;
    return 0;
}

/* Sets *MAP to an array for the caller to free: for each pair number 0, 1, ... of R the index of the pair in P; -1: R has no
 * sample of the pair. */
static int map_pairs(struct mpg_collect_path *p, const struct mpg_results *r, int32_t **map,
                     struct mpg_error *err)
{
    const double *pair = r->column[MPG_COLUMN_PAIR];
    double max = 0;
    for (size_t i = 0; pair && i < r->samples; i++)
        max = fmax(max, pair[i]);
    if (max >= MPG_SIGNATURE_MAX_LIST)
        return mpg_error_set(err, "more than %d pairs of ranks", (int)MPG_SIGNATURE_MAX_LIST);
    if (!(*map = malloc(((size_t)max + 1) * sizeof **map)))
        return mpg_collect_no_memory(err);
    for (size_t k = 0; k <= (size_t)max; k++)
        (*map)[k] = -1;
    for (size_t i = 0; i < r->samples; i++) {
        size_t k = pair ? (size_t)pair[i] : 0;
        char key[32];
        if ((*map)[k] >= 0)
            continue;
        snprintf(key, sizeof key, "pair %zu", k);
        const char *name = mpg_collect_fact(r, key);
        if (pair && !name)
            return mpg_error_set(err, "header line '# %s:' is missing", key);
        if (find_pair(p, name ? name : "ranks 0 and 1", &(*map)[k], err) < 0)
            return -1;
    }
    return 0;
}

/* ---- benchmarks ---- */

static double value(const struct mpg_results *r, enum mpg_column column, size_t i)
{
    return r->column[column] ? r->column[column][i] : NAN;
}

/* Pingpong's header line if the MPI library sends no message eagerly. */
static const char none_eager[] = "not detected (even an empty message waits)";

static int add_eager_limit(struct mpg_collect_path *p, const struct mpg_results *r,
                           struct mpg_error *err)
{
    const char *why = mpg_collect_fact(r, "eager_limit");
    bool detected = mpg_collect_fact(r, "eager_limit_bytes") != NULL;
    if (!detected && !(why && strcmp(why, none_eager) == 0))
        return 0;
    double *grown = realloc(p->eager_limit_bytes, (p->eager_limits + 1) * sizeof *grown);
    if (!grown)
        return mpg_collect_no_memory(err);
    p->eager_limit_bytes = grown;
    grown[p->eager_limits] = -1;
    if (detected &&
        mpg_results_number(r, "eager_limit_bytes", 0, 0x1p53, &grown[p->eager_limits], err) < 0)
        return -1;
    p->eager_limits++;
    return 0;
}

static int add_pingpong(struct mpg_collect_path *p, const struct mpg_results *r,
                        const int32_t *map, struct mpg_error *err)
{
    struct mpg_measured_exchange e = {.launch = (int32_t)p->launches - 1, .send_ns = NAN};
    for (size_t i = 0; i < r->samples; i++) {
        e.time_ns = r->column[MPG_COLUMN_RTT_NS][i];
        e.there_ns = value(r, MPG_COLUMN_FORWARD_NS, i);
        e.back_ns = value(r, MPG_COLUMN_BACKWARD_NS, i);
        e.pair = map[r->column[MPG_COLUMN_PAIR] ? (size_t)r->column[MPG_COLUMN_PAIR][i] : 0];
        if (append(&p->pingpong, r->column[MPG_COLUMN_SIZE_BYTES][i], &e, err) < 0)
            return mpg_error_prefix(err, "%s", r->path);
    }
    return 0;
}

static double window_of(const struct mpg_results *r, size_t i)
{
    return r->column[MPG_COLUMN_WINDOW] ? r->column[MPG_COLUMN_WINDOW][i] : 1;
}

/* Returns whether the acknowledgement's time can be found from R. Not needed by streams: many messages share an
 * acknowledgement. */
static bool has_acknowledgement(const struct mpg_results *r)
{
    bool single = false, empty = false;
    for (size_t i = 0; i < r->samples; i++)
        if (window_of(r, i) == 1) {
            single = true;
            empty = empty || r->column[MPG_COLUMN_SIZE_BYTES][i] == 0;
        }
    return !single || empty || r->column[MPG_COLUMN_ACK_NS] || r->column[MPG_COLUMN_TRANSFER_NS];
}

static int add_bandwidth(struct mpg_collect_path *p, const struct mpg_results *r,
                         const int32_t *map, struct mpg_error *err)
{
    struct mpg_measured_exchange e = {.launch = (int32_t)p->transfer_launches - 1};
    if (!has_acknowledgement(r))
        return mpg_error_set(err, "%s: the time of the acknowledgement is unknown: no samples of"
                                  " 0 bytes, and no column 'ack_ns' or 'transfer_ns'", r->path);
    for (size_t i = 0; i < r->samples; i++) {
        double window = window_of(r, i);
        if (window < 1)
            return mpg_error_set(err, "%s: sample %zu: no messages in flight", r->path, i);
        e.time_ns = r->column[MPG_COLUMN_TIME_NS][i] / window;
        e.send_ns = value(r, MPG_COLUMN_SEND_NS, i) / window;
        e.there_ns = value(r, MPG_COLUMN_TRANSFER_NS, i) / window;
        e.back_ns = value(r, MPG_COLUMN_ACK_NS, i);
        e.pair = map[r->column[MPG_COLUMN_PAIR] ? (size_t)r->column[MPG_COLUMN_PAIR][i] : 0];
        if (append(window > 1 ? &p->stream : &p->bandwidth, r->column[MPG_COLUMN_SIZE_BYTES][i],
                   &e, err) < 0)
            return mpg_error_prefix(err, "%s", r->path);
        if (window > 1 && (int64_t)window > p->window)
            p->window = (int64_t)window;
    }
    return 0;
}

static int add_overhead(struct mpg_collect_path *p, const struct mpg_results *r,
                        const int32_t *map, struct mpg_error *err)
{
    struct mpg_measured_exchange e = {.launch = (int32_t)p->overhead_launches - 1, .there_ns = NAN,
                             .back_ns = NAN};
    for (size_t i = 0; i < r->samples; i++) {
        e.time_ns = r->column[MPG_COLUMN_RECEIVE_NS][i];
        e.send_ns = r->column[MPG_COLUMN_SEND_NS][i];
        e.pair = map[r->column[MPG_COLUMN_PAIR] ? (size_t)r->column[MPG_COLUMN_PAIR][i] : 0];
        if (append(&p->overhead, r->column[MPG_COLUMN_SIZE_BYTES][i], &e, err) < 0)
            return mpg_error_prefix(err, "%s", r->path);
    }
    return 0;
}

/* Fills OPERATION with the operations that the numbers of R's column stand for: the words of its header line. Returns their
 * number. Errors: header line missing, a word that is no operation. */
static int find_operations(const struct mpg_results *r, enum mpg_one_sided operation[MPG_ONE_SIDED_OPERATIONS],
                           struct mpg_error *err)
{
    double last = 0;
    for (size_t i = 0; i < r->samples; i++)
        last = fmax(last, r->column[MPG_COLUMN_OPERATION][i]);
    if (last >= MPG_ONE_SIDED_OPERATIONS)
        return mpg_error_set(err, "operation %.15g is none of %d", last, (int)MPG_ONE_SIDED_OPERATIONS);
    for (size_t i = 0; i <= (size_t)last; i++) {
        char *word = mpg_collect_word(r, "operations", i, err);
        if (!word)
            return -1;
        operation[i] = mpg_one_sided_find(word);
        if (operation[i] == MPG_ONE_SIDED_OPERATIONS)
            mpg_error_set(err, "header line '# operations:': '%.40s' is no one-sided operation", word);
        free(word);
        if (operation[i] == MPG_ONE_SIDED_OPERATIONS)
            return -1;
    }
    return 0;
}

static int add_one_sided(struct mpg_collect_path *p, const struct mpg_results *r, const int32_t *map, struct mpg_error *err)
{
    struct mpg_measured_exchange e = {.launch = (int32_t)p->one_sided_launches - 1, .there_ns = NAN, .back_ns = NAN};
    enum mpg_one_sided operation[MPG_ONE_SIDED_OPERATIONS];
    if (find_operations(r, operation, err) < 0)
        return mpg_error_prefix(err, "%s", r->path);
    for (size_t i = 0; i < r->samples; i++) {
        e.send_ns = r->column[MPG_COLUMN_CALL_NS][i];
        e.time_ns = r->column[MPG_COLUMN_COMPLETE_NS][i];
        e.pair = map[r->column[MPG_COLUMN_PAIR] ? (size_t)r->column[MPG_COLUMN_PAIR][i] : 0];
        if (append(&p->one_sided[operation[(size_t)r->column[MPG_COLUMN_OPERATION][i]]],
                   r->column[MPG_COLUMN_SIZE_BYTES][i], &e, err) < 0)
            return mpg_error_prefix(err, "%s", r->path);
    }
    return 0;
}

/* Fills SIDE with the computing ranks that the numbers of R's column operation denote: the words of the header line. Errors:
 * header line missing, a number or a word that denotes no side. */
static int find_sides(const struct mpg_results *r, enum mpg_overlap_side side[MPG_OVERLAP_SIDES], struct mpg_error *err)
{
    double last = 0;
    for (size_t i = 0; i < r->samples; i++)
        last = fmax(last, r->column[MPG_COLUMN_OPERATION][i]);
    if (last >= MPG_OVERLAP_SIDES)
        return mpg_error_set(err, "operation %.15g is none of %d", last, (int)MPG_OVERLAP_SIDES);
    for (size_t i = 0; i <= (size_t)last; i++) {
        char *word = mpg_collect_word(r, "operations", i, err);
        if (!word)
            return -1;
        side[i] = mpg_overlap_find(word);
        if (side[i] == MPG_OVERLAP_SIDES)
            mpg_error_set(err, "header line '# operations:': '%.40s' is neither send nor receive", word);
        free(word);
        if (side[i] == MPG_OVERLAP_SIDES)
            return -1;
    }
    return 0;
}

static int add_overlap(struct mpg_collect_path *p, const struct mpg_results *r, const int32_t *map, struct mpg_error *err)
{
    struct mpg_measured_exchange e = {.launch = (int32_t)p->overlap_launches - 1, .there_ns = NAN, .back_ns = NAN};
    enum mpg_overlap_side side[MPG_OVERLAP_SIDES];
    if (find_sides(r, side, err) < 0)
        return mpg_error_prefix(err, "%s", r->path);
    for (size_t i = 0; i < r->samples; i++) {
        const double longer_ns = r->column[MPG_COLUMN_BOTH_NS][i] - r->column[MPG_COLUMN_WORK_NS][i];
        e.send_ns = r->column[MPG_COLUMN_ALONE_NS][i];
        e.time_ns = e.send_ns > 0 ? fmax(0, fmin(1, 1 - longer_ns / e.send_ns)) : 0;
        e.pair = map[r->column[MPG_COLUMN_PAIR] ? (size_t)r->column[MPG_COLUMN_PAIR][i] : 0];
        if (append(&p->overlap[side[(size_t)r->column[MPG_COLUMN_OPERATION][i]]], r->column[MPG_COLUMN_SIZE_BYTES][i], &e,
                   err) < 0)
            return mpg_error_prefix(err, "%s", r->path);
    }
    return 0;
}

/* Adds launch ID to the launches of R's benchmark. */
static int add_launch_of(struct mpg_collect_path *p, const struct mpg_results *r, int64_t id,
                         struct mpg_error *err)
{
    if (r->benchmark == MPG_BENCHMARK_PINGPONG)
        return add_launch(&p->launch, &p->launches, id, r, err);
    if (r->benchmark == MPG_BENCHMARK_OVERHEAD)
        return add_launch(&p->overhead_launch, &p->overhead_launches, id, r, err);
    if (r->benchmark == MPG_BENCHMARK_ONE_SIDED)
        return add_launch(&p->one_sided_launch, &p->one_sided_launches, id, r, err);
    if (r->benchmark == MPG_BENCHMARK_OVERLAP)
        return add_launch(&p->overlap_launch, &p->overlap_launches, id, r, err);
    return add_launch(&p->transfer, &p->transfer_launches, id, r, err);
}

int mpg_collect_add_network(struct mpg_collect *c, const struct mpg_results *r, int64_t id,
                            enum mpg_path_class path, struct mpg_error *err)
{
    int32_t *map = NULL;
    struct mpg_collect_path **place = mpg_collect_is_device(r) ? &c->device[path] : &c->network[path];
    if (!*place && !(*place = calloc(1, sizeof **place)))
        return mpg_collect_no_memory(err);
    struct mpg_collect_path *p = *place;
    int status = add_launch_of(p, r, id, err);
    if (status == 0 && (status = map_pairs(p, r, &map, err)) < 0)
        mpg_error_prefix(err, "%s", r->path);
    if (status == 0 && r->benchmark == MPG_BENCHMARK_PINGPONG)
        status = add_eager_limit(p, r, err);
    if (status == 0)
        status = (r->benchmark == MPG_BENCHMARK_PINGPONG    ? add_pingpong
                  : r->benchmark == MPG_BENCHMARK_BANDWIDTH ? add_bandwidth
                  : r->benchmark == MPG_BENCHMARK_ONE_SIDED ? add_one_sided
                  : r->benchmark == MPG_BENCHMARK_OVERLAP   ? add_overlap
                                                            : add_overhead)(p, r, map, err);
    free(map);
    return status;
}

/* Makes *MADE, an array of *N paths, of the paths FROM. */
static int put_paths(struct mpg_collect *c, struct mpg_collect_path *const from[MPG_PATHS], struct mpg_network_path **made,
                     size_t *n, struct mpg_error *err)
{
    if (!(*made = calloc(MPG_PATHS, sizeof **made)))
        return mpg_collect_no_memory(err);
    for (int path = 0; path < MPG_PATHS; path++) {
        if (!from[path])
            continue;
        struct mpg_network_path *out = &(*made)[(*n)++];
        out->path = (enum mpg_path_class)path;
        if (mpg_collect_make_path(c, from[path], out, err) < 0)
            return mpg_error_prefix(err, "%s", mpg_path_name(out->path));
    }
    return 0;
}

int mpg_collect_put_network(struct mpg_collect *c, struct mpg_error *err)
{
    struct mpg_signature *sig = c->sig;
    if (put_paths(c, c->network, &sig->network, &sig->paths, err) < 0)
        return -1;
    return put_paths(c, c->device, &sig->device, &sig->device_paths, err);
}
