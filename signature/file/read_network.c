/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading the paths, collectives and compute rates of a signature. */
#include <stdlib.h>
#include <string.h>

#include "signature/file/json.h"

static int parse_launches(const json_t *object, struct mpg_launches *launches,
                          struct mpg_error *err)
{
    struct mpg_json_list list;
    if (mpg_json_get_list(object, "launches", MPG_SIGNATURE_MAX_LAUNCHES, sizeof *launches->ns,
                          &list, err) < 0)
        return -1;
    launches->ns = list.memory;
    while (launches->n < list.n) {
        size_t i = launches->n++;
        if (mpg_json_to_distribution(json_array_get(list.array, i), &launches->ns[i], err) < 0)
            return mpg_error_prefix(err, "launches[%zu]", i);
    }
    return 0;
}

static int parse_rows(const json_t *object, struct mpg_rows *rows, struct mpg_error *err)
{
    const json_t *member, *text;
    int length = 0;
    if (mpg_json_get(object, "rows", JSON_OBJECT, &member, err) < 0)
        return -1;
    if (!member)
        return 0;
    if (mpg_json_need_count(member, "length", 1, &length, err) < 0 ||
        mpg_json_get(member, "classes", JSON_STRING, &text, err) < 0)
        return mpg_error_prefix(err, "rows");
    size_t n = json_string_length(text);
    const char *letter = json_string_value(text);
    if (n == 0 || n > MPG_SIGNATURE_MAX_ROWS || n % (size_t)length != 0)
        return mpg_error_set(err, "rows: classes has %zu letters, not a multiple of %d up to %d",
                             n, length, (int)MPG_SIGNATURE_MAX_ROWS);
    for (size_t i = 0; i < n; i++)
        if (mpg_rows_class(letter[i]) < 0)
            return mpg_error_set(err, "rows: classes[%zu] is not base64", i);
    if (!(rows->classes = malloc(n)))
        return mpg_error_set(err, "out of memory for %zu samples in a row", n);
    memcpy(rows->classes, letter, n);
    rows->length = (size_t)length;
    rows->blocks = n / (size_t)length;
    return mpg_rows_expand(rows, err);
}

static int parse_sizes(const json_t *path, const char *key, const char *times_key,
                       struct mpg_network_sizes *sizes, struct mpg_error *err)
{
    struct mpg_json_list list;
    if (mpg_json_get_list(path, key, MPG_SIGNATURE_MAX_SIZES, sizeof *sizes->size, &list, err) < 0)
        return -1;
    sizes->size = list.memory;
    while (sizes->n < list.n) {
        size_t i = sizes->n++;
        const json_t *object = json_array_get(list.array, i);
        struct mpg_network_size *size = &sizes->size[i];
        if (mpg_json_need_integer(object, "size_bytes", &size->size_bytes, err) < 0 ||
            mpg_json_need_distribution(object, times_key, &size->time_ns, err) < 0 ||
            parse_launches(object, &size->launches, err) < 0 ||
            parse_rows(object, &size->rows, err) < 0)
            return mpg_error_prefix(err, "%s[%zu]", key, i);
    }
    return 0;
}

static int parse_one_sided(const json_t *path, struct mpg_network_path *p, struct mpg_error *err)
{
    const json_t *all, *times;
    if (mpg_json_get(path, "one_sided", JSON_OBJECT, &all, err) < 0)
        return -1;
    for (int o = 0; o < MPG_ONE_SIDED_OPERATIONS && all; o++) {
        const char *name = mpg_one_sided_name((enum mpg_one_sided)o);
        if (mpg_json_get(all, name, JSON_OBJECT, &times, err) < 0)
            return mpg_error_prefix(err, "one_sided");
        if (times && (parse_sizes(times, "call", "call_ns", &p->one_sided[o].call, err) < 0 ||
                      parse_sizes(times, "complete", "complete_ns", &p->one_sided[o].complete, err) < 0))
            return mpg_error_prefix(err, "one_sided: %s", name);
    }
    return 0;
}

static int parse_overlap(const json_t *path, struct mpg_network_path *p, struct mpg_error *err)
{
    const json_t *all, *one;
    if (mpg_json_get(path, "overlap", JSON_OBJECT, &all, err) < 0)
        return -1;
    for (int side = 0; side < MPG_OVERLAP_SIDES && all; side++) {
        const char *name = mpg_overlap_name((enum mpg_overlap_side)side);
        if (mpg_json_get(all, name, JSON_OBJECT, &one, err) < 0)
            return mpg_error_prefix(err, "overlap");
        if (one && (parse_sizes(one, "alone", "alone_ns", &p->overlap[side].alone, err) < 0 ||
                    parse_sizes(one, "share", "share", &p->overlap[side].share, err) < 0))
            return mpg_error_prefix(err, "overlap: %s", name);
    }
    return 0;
}

static int parse_segment(const json_t *object, struct mpg_loggp_segment *s, struct mpg_error *err)
{
    if (mpg_json_need_integer(object, "from_bytes", &s->from_bytes, err) < 0 ||
        mpg_json_need_integer(object, "to_bytes", &s->to_bytes, err) < 0 ||
        mpg_json_need_number(object, "latency_ns", &s->latency_ns, err) < 0 ||
        mpg_json_get_number(object, "latency_error_ns", &s->latency_error_ns, err) < 0 ||
        mpg_json_need_number(object, "gap_per_byte_ns", &s->gap_per_byte_ns, err) < 0 ||
        mpg_json_get_number(object, "gap_per_byte_error_ns", &s->gap_per_byte_error_ns, err) < 0 ||
        mpg_json_get_number(object, "residual_sd_ns", &s->residual_sd_ns, err) < 0)
        return -1;
    return mpg_json_get_number(object, "worst_relative", &s->worst_relative, err);
}

static int parse_loggp(const json_t *path, struct mpg_loggp *loggp, struct mpg_error *err)
{
    const json_t *object;
    struct mpg_json_list segments;
    loggp->overhead_ns = loggp->gap_ns = -1;
    if (mpg_json_get(path, "loggp", JSON_OBJECT, &object, err) < 0)
        return -1;
    if (mpg_json_get_number(object, "overhead_ns", &loggp->overhead_ns, err) < 0 ||
        mpg_json_get_number(object, "gap_ns", &loggp->gap_ns, err) < 0 ||
        mpg_json_get_list(object, "segments", MPG_SIGNATURE_MAX_SIZES, sizeof *loggp->segment,
                          &segments, err) < 0)
        return mpg_error_prefix(err, "loggp");
    loggp->segment = segments.memory;
    while (loggp->segments < segments.n) {
        size_t i = loggp->segments++;
        if (parse_segment(json_array_get(segments.array, i), &loggp->segment[i], err) < 0)
            return mpg_error_prefix(err, "loggp: segments[%zu]", i);
    }
    return 0;
}

static int parse_groups(const json_t *path, const char *key, struct mpg_network_group **group,
                        size_t *n, struct mpg_error *err)
{
    struct mpg_json_list list;
    if (mpg_json_get_list(path, key, MPG_SIGNATURE_MAX_LIST, sizeof **group, &list, err) < 0)
        return -1;
    *group = list.memory;
    while (*n < list.n) {
        size_t i = (*n)++;
        const json_t *object = json_array_get(list.array, i);
        struct mpg_network_group *g = &(*group)[i];
        int64_t samples = 0;
        if (mpg_json_need_text(object, "name", &g->name, err) < 0 ||
            mpg_json_need_integer(object, "n", &samples, err) < 0 ||
            mpg_json_need_integer(object, "size_bytes", &g->size_bytes, err) < 0 ||
            mpg_json_need_number(object, "median_ns", &g->median_ns, err) < 0 ||
            mpg_json_get_number(object, "score", &g->score, err) < 0 ||
            mpg_json_get_count(object, "outlier", 0, &g->outlier, err) < 0)
            return mpg_error_prefix(err, "%s[%zu]", key, i);
        g->n = samples > 0 ? (size_t)samples : 0;
    }
    return 0;
}

/* Stores P's eager limit, where the protocol changes and times jump, in all size lists of P. */
static void set_protocols(struct mpg_network_path *p)
{
    struct mpg_network_sizes *const lists[] = {&p->latency,       &p->round_trip,       &p->bandwidth, &p->sender,
                                               &p->send_overhead, &p->receive_overhead, &p->streaming,
                                               &p->overlap[MPG_OVERLAP_SEND].share, &p->overlap[MPG_OVERLAP_RECEIVE].share};
    for (size_t i = 0; i < sizeof lists / sizeof *lists && p->eager_limit_bytes > 0; i++)
        lists[i]->eager_bytes = p->eager_limit_bytes;
}

/* Reads the members common to a path of version 2 and the network of version 1. */
static int parse_path(const json_t *object, struct mpg_network_path *p, struct mpg_error *err)
{
    p->eager_limit_bytes = MPG_EAGER_LIMIT_UNKNOWN;
    if (mpg_json_get_integer(object, "eager_limit_bytes", &p->eager_limit_bytes, err) < 0)
        return -1;
    if (json_object_get(object, "eager_limit_bytes") && p->eager_limit_bytes < -1)
        return mpg_error_set(err, "eager_limit_bytes is %lld, less than -1",
                             (long long)p->eager_limit_bytes);
    if (mpg_json_get_text(object, "one_way", &p->one_way, err) < 0 ||
        mpg_json_get_number(object, "one_way_error_ns", &p->one_way_error_ns, err) < 0 ||
        mpg_json_get_number(object, "one_way_misfit", &p->one_way_misfit, err) < 0 ||
        mpg_json_get_integer(object, "window_messages", &p->window, err) < 0 ||
        parse_sizes(object, "latency", "one_way_ns", &p->latency, err) < 0 ||
        parse_sizes(object, "round_trip", "round_trip_ns", &p->round_trip, err) < 0 ||
        parse_sizes(object, "bandwidth", "transfer_ns", &p->bandwidth, err) < 0 ||
        parse_sizes(object, "sender", "send_ns", &p->sender, err) < 0 ||
        parse_sizes(object, "send_overhead", "send_ns", &p->send_overhead, err) < 0 ||
        parse_sizes(object, "receive_overhead", "receive_ns", &p->receive_overhead, err) < 0 ||
        parse_sizes(object, "streaming", "message_ns", &p->streaming, err) < 0 ||
        parse_one_sided(object, p, err) < 0 || parse_overlap(object, p, err) < 0 ||
        parse_loggp(object, &p->loggp, err) < 0 ||
        parse_groups(object, "launches", &p->launch, &p->launches, err) < 0)
        return -1;
    set_protocols(p);
    return parse_groups(object, "pairs", &p->pair, &p->pairs, err);
}

/* Reads a version 1 file, which has a single path; the header contains the path class and the method for one-way times. */
static int read_network_1(const json_t *root, struct mpg_signature *sig, struct mpg_error *err)
{
    const json_t *network;
    const char *class = mpg_fact_find(sig->fact, sig->facts, "path");
    const char *one_way = mpg_fact_find(sig->fact, sig->facts, "one_way");
    if (mpg_json_get(root, "network", JSON_OBJECT, &network, err) < 0)
        return -1;
    if (!network)
        return 0;
    if (!(sig->network = calloc(1, sizeof *sig->network)))
        return mpg_error_set(err, "out of memory");
    struct mpg_network_path *p = &sig->network[sig->paths++];
    p->path = class ? mpg_path_find(class) : MPG_PATH_NODE;
    if (p->path == MPG_PATHS)
        return mpg_error_set(err, "header: path: '%.100s' is not a path class", class);
    if (parse_path(network, p, err) < 0)
        return mpg_error_prefix(err, "network");
    if (one_way && !p->one_way && p->latency.n > 0 && !(p->one_way = strdup(one_way)))
        return mpg_error_set(err, "out of memory");
    return 0;
}

/* Reads list KEY of ROOT into *PATHS, an array of *N elements. */
static int read_paths(const json_t *root, const char *key, struct mpg_network_path **paths, size_t *n, struct mpg_error *err)
{
    struct mpg_json_list list;
    if (mpg_json_get_list(root, key, MPG_PATHS, sizeof **paths, &list, err) < 0)
        return -1;
    *paths = list.memory;
    while (*n < list.n) {
        size_t i = (*n)++;
        const json_t *object = json_array_get(list.array, i);
        const char *name = json_string_value(json_object_get(object, "path"));
        struct mpg_network_path *p = &(*paths)[i];
        p->path = name ? mpg_path_find(name) : MPG_PATHS;
        if (p->path == MPG_PATHS)
            return mpg_error_set(err, "%s[%zu]: path is %s%.100s%s", key, i, name ? "'" : "",
                                 name ? name : "missing or no text",
                                 name ? "', not a path class" : "");
        if (parse_path(object, p, err) < 0)
            return mpg_error_prefix(err, "%s: %s", key, name);
    }
    return 0;
}

int mpg_read_network(const json_t *root, int major, struct mpg_signature *sig,
                     struct mpg_error *err)
{
    if (major == 1)
        return read_network_1(root, sig, err);
    if (read_paths(root, "network", &sig->network, &sig->paths, err) < 0)
        return -1;
    return read_paths(root, "device", &sig->device, &sig->device_paths, err);
}

/* Reads list KEY of ROOT into *TIMES, an array of *N elements. */
static int read_times(const json_t *root, const char *key, struct mpg_collective_time **times,
                      size_t *n, struct mpg_error *err)
{
    struct mpg_json_list list;
    if (mpg_json_get_list(root, key, MPG_SIGNATURE_MAX_LIST, sizeof **times, &list, err) < 0)
        return -1;
    *times = list.memory;
    while (*n < list.n) {
        size_t i = (*n)++;
        const json_t *object = json_array_get(list.array, i);
        struct mpg_collective_time *c = &(*times)[i];
        if (mpg_json_need_text(object, "operation", &c->operation, err) < 0 ||
            mpg_json_need_count(object, "processes", 1, &c->processes, err) < 0 ||
            mpg_json_need_integer(object, "size_bytes", &c->size_bytes, err) < 0 ||
            mpg_json_need_distribution(object, "time_ns", &c->time_ns, err) < 0 ||
            parse_launches(object, &c->launches, err) < 0)
            return mpg_error_prefix(err, "%s[%zu]", key, i);
    }
    return 0;
}

int mpg_read_collectives(const json_t *root, struct mpg_signature *sig, struct mpg_error *err)
{
    if (read_times(root, "collectives", &sig->collective, &sig->collectives, err) < 0)
        return -1;
    return read_times(root, "reductions", &sig->reduction, &sig->reductions, err);
}

/* A list of points: its key, whether they have a direction, and the key of their values. */
struct points {
    const char *key;
    bool directed;
    const char *value;
};

/* Reads point P, element I of list LIST, from OBJECT. */
static int read_point(const json_t *object, const struct points *list, size_t i, struct mpg_sharing_point *p,
                      struct mpg_error *err)
{
    const json_t *placement, *direction = NULL;
    if (mpg_json_get(object, "placement", JSON_STRING, &placement, err) < 0 ||
        (list->directed && mpg_json_get(object, "direction", JSON_STRING, &direction, err) < 0))
        return mpg_error_prefix(err, "%s[%zu]", list->key, i);
    const char *name = placement ? json_string_value(placement) : "", *way = direction ? json_string_value(direction) : "";
    p->path = mpg_path_find(name);
    p->both = strcmp(way, "both") == 0;
    if (p->path == MPG_PATHS)
        return mpg_error_set(err, "%s[%zu]: placement is '%.100s', not a path class", list->key, i, name);
    if (list->directed && !p->both && strcmp(way, "one") != 0)
        return mpg_error_set(err, "%s[%zu]: direction is '%.100s', not 'one' or 'both'", list->key, i, way);
    if (mpg_json_need_integer(object, "bytes", &p->size_bytes, err) < 0 ||
        mpg_json_need_count(object, "pairs", 1, &p->pairs, err) < 0 ||
        mpg_json_need_distribution(object, list->value, &p->value, err) < 0)
        return mpg_error_prefix(err, "%s[%zu]", list->key, i);
    return 0;
}

/* Reads the list OF of N POINTS. */
static int read_points(const json_t *root, struct points of, struct mpg_sharing_point **points, size_t *n, struct mpg_error *err)
{
    struct mpg_json_list list;
    if (mpg_json_get_list(root, of.key, MPG_SIGNATURE_MAX_LIST, sizeof **points, &list, err) < 0)
        return -1;
    *points = list.memory;
    while (*n < list.n) {
        const size_t i = (*n)++;
        if (read_point(json_array_get(list.array, i), &of, i, &(*points)[i], err) < 0)
            return -1;
    }
    return 0;
}

int mpg_read_sharing(const json_t *root, struct mpg_signature *sig, struct mpg_error *err)
{
    if (read_points(root, (struct points){"sharing", true, "bandwidth"}, &sig->sharing, &sig->sharings, err) < 0 ||
        read_points(root, (struct points){"opposite", false, "bandwidth"}, &sig->opposite, &sig->opposites, err) < 0)
        return -1;
    return read_points(root, (struct points){"leads", false, "lead_ns"}, &sig->lead, &sig->leads, err);
}

int mpg_read_compute(const json_t *root, struct mpg_signature *sig, struct mpg_error *err)
{
    struct mpg_json_list list;
    if (mpg_json_get_list(root, "compute", MPG_SIGNATURE_MAX_LIST, sizeof *sig->rate, &list,
                          err) < 0)
        return -1;
    sig->rate = list.memory;
    while (sig->rates < list.n) {
        size_t i = sig->rates++;
        const json_t *object = json_array_get(list.array, i);
        struct mpg_compute_rate *r = &sig->rate[i];
        if (mpg_json_need_text(object, "kernel", &r->kernel, err) < 0 ||
            mpg_json_need_text(object, "unit", &r->unit, err) < 0 ||
            mpg_json_get_text(object, "host", &r->host, err) < 0 ||
            mpg_json_need_count(object, "core", 0, &r->core, err) < 0 ||
            mpg_json_need_count(object, "cores_at_once", 1, &r->cores_at_once, err) < 0 ||
            mpg_json_need_distribution(object, "rate_per_s", &r->rate, err) < 0 ||
            mpg_json_get_numbers(object, "launch_means_per_s", MPG_SIGNATURE_MAX_LAUNCHES, &r->launch_mean, &r->launches,
                                 err) < 0)
            return mpg_error_prefix(err, "compute[%zu]", i);
    }
    return 0;
}
