/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collection of results files into a signature: consistency of files, dispatch by benchmark. */
#include "config.h"

#include "signature/make/collect_private.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "signature/make/shrink.h"

int mpg_collect_no_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

struct mpg_collect *mpg_collect_new(struct mpg_error *err)
{
    struct mpg_collect *c = calloc(1, sizeof *c);
    if (!c || !(c->sig = calloc(1, sizeof *c->sig))) {
        mpg_collect_no_memory(err);
        free(c);
        return NULL;
    }
    return c;
}

void mpg_collect_free(struct mpg_collect *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->warnings; i++)
        free(c->warning[i]);
    free(c->warning);
    mpg_fact_free(c->value, c->values);
    for (size_t i = 0; i < c->origins; i++) {
        free(c->origin[i].place);
        free(c->origin[i].path);
    }
    free(c->origin);
    mpg_collect_free_records(c);
    mpg_collect_free_rates(c->compute);
    mpg_collect_free_rates(c->collective);
    mpg_collect_free_sharing(c->sharing);
    for (int path = 0; path < MPG_PATHS; path++) {
        mpg_collect_free_path(c->network[path]);
        mpg_collect_free_path(c->device[path]);
    }
    mpg_signature_free(c->sig);
    free(c);
}

size_t mpg_collect_warnings(const struct mpg_collect *c, const char *const **line)
{
    *line = (const char *const *)c->warning;
    return c->warnings;
}

int mpg_collect_warn(struct mpg_collect *c, struct mpg_error *err, const char *format, ...)
{
    va_list args;
    char *line = NULL;
    char **grown = realloc(c->warning, (c->warnings + 1) * sizeof *grown);
    if (!grown)
        return mpg_collect_no_memory(err);
    c->warning = grown;
    va_start(args, format);
    int length = vasprintf(&line, format, args);
    va_end(args);
    if (length < 0)
        return mpg_collect_no_memory(err);
    c->warning[c->warnings++] = line;
    return 0;
}

const char *mpg_collect_fact(const struct mpg_results *r, const char *key)
{
    return mpg_fact_find(r->fact, r->facts, key);
}

char *mpg_collect_word(const struct mpg_results *r, const char *key, size_t item,
                       struct mpg_error *err)
{
    const char *text = mpg_collect_fact(r, key);
    if (!text) {
        mpg_error_set(err, "header line '# %s:' is missing", key);
        return NULL;
    }
    text += strspn(text, " ");
    for (size_t i = 0; i < item && *text; i++) {
        text += strcspn(text, " ");
        text += strspn(text, " ");
    }
    if (!*text) {
        mpg_error_set(err, "header line '# %s:' has no word number %zu, from 0", key, item);
        return NULL;
    }
    char *word = strndup(text, strcspn(text, " "));
    if (!word)
        mpg_collect_no_memory(err);
    return word;
}

/* ---- consistency of files ---- */

/* Checks that R has the CPU model of earlier files: a signature describes one kind of machine. Different hosts with equal CPU
 * models are allowed. */
static int check_machine(const struct mpg_collect *c, const struct mpg_results *r,
                         struct mpg_error *err)
{
    static const char *const keys[] = {"host", "cpu"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (!mpg_collect_fact(r, keys[k]))
            return mpg_error_set(err, "%s: header line '# %s:' is missing", r->path, keys[k]);
    const char *mine = mpg_collect_fact(r, "cpu");
    const char *before = mpg_fact_find(c->value, c->values, "cpu");
    if (before && strcmp(mine, before) != 0)
        return mpg_error_set(err, "%s: cpu is '%.100s', in %s it is '%.100s'; keep each kind of"
                                  " machine's results in a folder of its own", r->path, mine,
                             c->origin[0].path, before);
    return 0;
}

/* Sets *PATH to the path class in R's header. */
static int find_path_class(const struct mpg_results *r, enum mpg_path_class *path,
                           struct mpg_error *err)
{
    const char *text = mpg_collect_fact(r, "path");
    if (!text)
        return mpg_error_set(err, "%s: header line '# path:' is missing", r->path);
    *path = mpg_path_find(text);
    if (*path == MPG_PATHS)
        return mpg_error_set(err, "%s: '%.100s' is not a path class", r->path, text);
    return 0;
}

/* Returns whether R's core was measured at once with other cores. Measurements of a core together with other cores and alone are
 * separate. */
bool mpg_collect_is_device(const struct mpg_results *r)
{
    const char *memory = mpg_collect_fact(r, "memory");
    return memory && strncmp(memory, "device", 6) == 0;
}

bool mpg_collect_is_together(const struct mpg_results *r)
{
    const char *together = mpg_collect_fact(r, "together");
    return together && strcmp(together, "yes") == 0;
}

/* Records that R measures the core or launch with the number in header line KEY, and stores the number in *ID. PLACE: host or
 * path class. Errors: missing number; an earlier file of this benchmark has this number and place; out of memory. */
static int add_origin(struct mpg_collect *c, const struct mpg_results *r, const char *key,
                      const char *place, int64_t *id, struct mpg_error *err)
{
    double number;
    if (mpg_results_number(r, key, 0, INT32_MAX, &number, err) < 0)
        return -1;
    if (number != floor(number))
        return mpg_error_set(err, "%s: header line '# %s:' is not a whole number", r->path, key);
    *id = (int64_t)number;
    for (size_t i = 0; i < c->origins; i++)
        if (c->origin[i].benchmark == r->benchmark && c->origin[i].id == *id &&
            c->origin[i].together == mpg_collect_is_together(r) &&
            strcmp(c->origin[i].place, place) == 0)
            return mpg_error_set(err, "%s: %s %s %lld (%.100s) is in %s already; keep each run's"
                                      " results in a folder of its own", r->path,
                                 mpg_benchmark_name(r->benchmark), key, (long long)*id, place,
                                 c->origin[i].path);
    struct mpg_collect_origin *grown = realloc(c->origin, (c->origins + 1) * sizeof *grown);
    if (!grown)
        return mpg_collect_no_memory(err);
    c->origin = grown;
    struct mpg_collect_origin made = {r->benchmark, *id, mpg_collect_is_together(r), strdup(place),
                                      strdup(r->path)};
    if (!made.place || !made.path) {
        free(made.place);
        free(made.path);
        return mpg_collect_no_memory(err);
    }
    grown[c->origins++] = made;
    return 0;
}

/* ---- assembly ---- */

int mpg_collect_add(struct mpg_collect *c, const struct mpg_results *r, struct mpg_error *err)
{
    bool network = r->benchmark == MPG_BENCHMARK_PINGPONG ||
                   r->benchmark == MPG_BENCHMARK_BANDWIDTH ||
                   r->benchmark == MPG_BENCHMARK_OVERHEAD || r->benchmark == MPG_BENCHMARK_ONE_SIDED ||
                   r->benchmark == MPG_BENCHMARK_OVERLAP;
    bool paths = network || r->benchmark == MPG_BENCHMARK_SHARING;
    bool launches = paths || r->benchmark == MPG_BENCHMARK_COLLECTIVE;
    enum mpg_path_class path = MPG_PATHS;
    int64_t id = 0;
    if (r->samples == 0 && r->benchmark != MPG_BENCHMARK_DETOUR)
        return mpg_error_set(err, "%s: no samples", r->path);
    if (check_machine(c, r, err) < 0 || (paths && find_path_class(r, &path, err) < 0))
        return -1;
    const char *place = paths ? mpg_path_name(path) : mpg_collect_fact(r, "host");
    const char *launch = r->benchmark == MPG_BENCHMARK_COMPUTE ? mpg_collect_fact(r, "launch") : NULL;
    char whole_place[256];
    if (launch)
        snprintf(whole_place, sizeof whole_place, "%.200s, launch %.32s", place, launch);
    else if (mpg_collect_is_device(r))
        snprintf(whole_place, sizeof whole_place, "%.200s, memories of GPUs", place);
    if (launch || mpg_collect_is_device(r))
        place = whole_place;
    if (add_origin(c, r, launches ? "launch" : "core", place, &id, err) < 0 ||
        mpg_collect_add_facts(c, r, err) < 0)
        return -1;
    if (network)
        return mpg_collect_add_network(c, r, id, path, err);
    if (r->benchmark == MPG_BENCHMARK_SHARING)
        return mpg_collect_add_sharing(c, r, path, err);
    if (r->benchmark == MPG_BENCHMARK_COLLECTIVE)
        return mpg_collect_add_collective(c, r, err);
    if (r->benchmark == MPG_BENCHMARK_COMPUTE)
        return mpg_collect_add_compute(c, r, id, err);
    return mpg_collect_add_noise(c, r, id, err);
}

static int warn_missing(struct mpg_collect *c, struct mpg_error *err)
{
    static const char *const lacks[MPG_BENCHMARKS] = {
        [MPG_BENCHMARK_FTQ] = "time lost per quantum",
        [MPG_BENCHMARK_DETOUR] = "detours to replay",
        [MPG_BENCHMARK_PINGPONG] = "latencies and no eager limit",
        [MPG_BENCHMARK_BANDWIDTH] = "transfer times",
        [MPG_BENCHMARK_OVERHEAD] = "overheads of sends and receives",
    };
    bool there[MPG_BENCHMARKS] = {false};
    for (size_t i = 0; i < c->origins; i++)
        there[c->origin[i].benchmark] = true;
    for (int b = 0; b < MPG_BENCHMARKS; b++)
        if (!there[b] && lacks[b] &&
            mpg_collect_warn(c, err, "no %s results: the signature has no %s; mpgbench measures"
                                     " them",
                             mpg_benchmark_name((enum mpg_benchmark)b), lacks[b]) < 0)
            return -1;
    for (int path = 0; path < MPG_PATHS; path++) {
        const struct mpg_network_path *p =
            mpg_signature_path(c->sig, (enum mpg_path_class)path);
        if (p && p->latency.n > 0 && p->eager_limit_bytes == MPG_EAGER_LIMIT_UNKNOWN &&
            mpg_collect_warn(c, err, "%s: no eager limit was detected: every send counts as eager"
                                     " unless mpgsim is given --eager-limit",
                             mpg_path_name(p->path)) < 0)
            return -1;
    }
    return 0;
}

struct mpg_signature *mpg_collect_finish(struct mpg_collect *c, struct mpg_error *err)
{
    struct mpg_signature *sig = c->sig;
    size_t left;
    if (mpg_collect_put_network(c, err) < 0 || mpg_collect_put_facts(c, err) < 0 ||
        mpg_collect_put_compute(c, err) < 0 || mpg_collect_put_sharing(c, err) < 0 || mpg_shrink(sig, &left, err) < 0 ||
        mpg_collect_put_detours(c, left, err) < 0)
        return NULL;
    mpg_collect_put_noise(c);
    if (warn_missing(c, err) < 0 || mpg_signature_check(sig, err) < 0)
        return NULL;
    c->sig = NULL;
    return sig;
}
