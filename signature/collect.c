/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collecting results files into a signature: detours and quanta by core, times
 * by message size, header lines by key. */
#include "config.h"

#include "signature/collect.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"

/* Results files are text: the end of one detour and the start of the next were
 * rounded apart. This much is forgiven. */
#define ROUNDING_NS 1.0
/* Different values of one header line that are listed in full. */
#define LISTED_VALUES 8

/* The samples of one message size. */
struct series {
    int64_t size_bytes;
    double *value;
    size_t n, capacity;
};

struct series_list {
    struct series *series;
    size_t n;
};

/* A file that was added: which core or launch of which benchmark. */
struct origin {
    enum mpg_benchmark benchmark;
    int64_t id;
    char *path;
};

struct mpg_collect {
    struct mpg_signature *sig;
    struct series_list latency, bandwidth;
    struct origin *origin;
    size_t origins;
    struct mpg_fact *value;   /* every different (header key, value) seen */
    size_t values;
    char *network_path;       /* path class of the network results, and its file */
    char *network_file;
    double *eager_limit_bytes;
    size_t eager_limits;
    char **warning;
    size_t warnings;
};

static int no_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

struct mpg_collect *mpg_collect_new(struct mpg_error *err)
{
    struct mpg_collect *c = calloc(1, sizeof *c);
    if (!c || !(c->sig = calloc(1, sizeof *c->sig))) {
        no_memory(err);
        free(c);
        return NULL;
    }
    return c;
}

static void free_series(struct series_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->series[i].value);
    free(list->series);
}

void mpg_collect_free(struct mpg_collect *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->warnings; i++)
        free(c->warning[i]);
    free(c->warning);
    free(c->eager_limit_bytes);
    free(c->network_file);
    free(c->network_path);
    mpg_fact_free(c->value, c->values);
    for (size_t i = 0; i < c->origins; i++)
        free(c->origin[i].path);
    free(c->origin);
    free_series(&c->bandwidth);
    free_series(&c->latency);
    mpg_signature_free(c->sig);
    free(c);
}

size_t mpg_collect_warnings(const struct mpg_collect *c, const char *const **line)
{
    *line = (const char *const *)c->warning;
    return c->warnings;
}

static int warn(struct mpg_collect *c, struct mpg_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int warn(struct mpg_collect *c, struct mpg_error *err, const char *format, ...)
{
    va_list args;
    char *line = NULL;
    char **grown = realloc(c->warning, (c->warnings + 1) * sizeof *grown);
    if (!grown)
        return no_memory(err);
    c->warning = grown;
    va_start(args, format);
    int length = vasprintf(&line, format, args);
    va_end(args);
    if (length < 0)
        return no_memory(err);
    c->warning[c->warnings++] = line;
    return 0;
}

/* ---- one machine, each measurement once ---- */

static const char *fact(const struct mpg_results *r, const char *key)
{
    return mpg_fact_find(r->fact, r->facts, key);
}

/* Two files that name different machines do not make one signature. */
static int check_machine(const struct mpg_collect *c, const struct mpg_results *r,
                         struct mpg_error *err)
{
    static const char *const keys[] = {"host", "cpu"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const char *mine = fact(r, keys[k]);
        const char *before = mpg_fact_find(c->value, c->values, keys[k]);
        if (!mine)
            return mpg_error_set(err, "%s: header line '# %s:' is missing", r->path, keys[k]);
        if (before && strcmp(mine, before) != 0)
            return mpg_error_set(err, "%s: %s is '%.100s', in %s it is '%.100s'; keep each"
                                      " machine's results in a folder of its own", r->path,
                                 keys[k], mine, c->origin[0].path, before);
    }
    return 0;
}

static int check_path_class(struct mpg_collect *c, const struct mpg_results *r,
                            struct mpg_error *err)
{
    const char *path = fact(r, "path");
    if (!path)
        return mpg_error_set(err, "%s: header line '# path:' is missing", r->path);
    if (mpg_path_find(path) == MPG_PATHS)
        return mpg_error_set(err, "%s: '%.100s' is not a path class", r->path, path);
    if (c->network_path && strcmp(path, c->network_path) != 0)
        return mpg_error_set(err, "%s: path is '%.100s', in %s it is '%.100s'; keep each path's"
                                  " results in a folder of its own", r->path, path,
                             c->network_file, c->network_path);
    if (!c->network_path) {
        c->network_path = strdup(path);
        c->network_file = strdup(r->path);
    }
    return c->network_path && c->network_file ? 0 : no_memory(err);
}

/* Notes that R measures core or launch KEY of its benchmark, once. */
static int add_origin(struct mpg_collect *c, const struct mpg_results *r, const char *key,
                      int64_t *id, struct mpg_error *err)
{
    double number;
    if (mpg_results_number(r, key, 0, INT32_MAX, &number, err) < 0)
        return -1;
    if (number != floor(number))
        return mpg_error_set(err, "%s: header line '# %s:' is not a whole number", r->path, key);
    *id = (int64_t)number;
    for (size_t i = 0; i < c->origins; i++)
        if (c->origin[i].benchmark == r->benchmark && c->origin[i].id == *id)
            return mpg_error_set(err, "%s: %s %s %lld is in %s already; keep each run's results"
                                      " in a folder of its own", r->path,
                                 mpg_benchmark_name(r->benchmark), key, (long long)*id,
                                 c->origin[i].path);
    struct origin *grown = realloc(c->origin, (c->origins + 1) * sizeof *grown);
    if (!grown)
        return no_memory(err);
    c->origin = grown;
    char *path = strdup(r->path);
    if (!path)
        return no_memory(err);
    grown[c->origins++] = (struct origin){r->benchmark, *id, path};
    return 0;
}

/* ---- noise ---- */

static struct mpg_noise_core *find_core(struct mpg_signature *sig, int64_t id,
                                        struct mpg_error *err)
{
    size_t i = 0;
    while (i < sig->cores && sig->core[i].core < id)
        i++;
    if (i < sig->cores && sig->core[i].core == id)
        return &sig->core[i];
    struct mpg_noise_core *grown = realloc(sig->core, (sig->cores + 1) * sizeof *grown);
    if (!grown) {
        no_memory(err);
        return NULL;
    }
    sig->core = grown;
    memmove(&grown[i + 1], &grown[i], (sig->cores - i) * sizeof *grown);
    grown[i] = (struct mpg_noise_core){.core = (int)id};
    sig->cores++;
    return &grown[i];
}

/* Copies at most N detours, moving starts and ends that rounding pushed over
 * the previous end or the span by no more than ROUNDING_NS. */
static int copy_detours(const struct mpg_results *r, struct mpg_noise_core *core, size_t n,
                        struct mpg_error *err)
{
    core->start_ns = malloc((n + 1) * sizeof *core->start_ns);
    core->duration_ns = malloc((n + 1) * sizeof *core->duration_ns);
    if (!core->start_ns || !core->duration_ns)
        return no_memory(err);
    double end_ns = 0;
    for (size_t i = 0; i < n; i++) {
        double start = r->column[MPG_DETOUR_START_NS][i];
        double duration = r->column[MPG_DETOUR_DURATION_NS][i];
        if (start < end_ns && start >= end_ns - ROUNDING_NS) {
            duration = fmax(0, duration - (end_ns - start));
            start = end_ns;
        }
        if (start + duration > core->span_ns && start + duration <= core->span_ns + ROUNDING_NS)
            duration = nextafter(fmax(0, core->span_ns - start), 0); /* the sum may round up */
        core->start_ns[i] = start;
        core->duration_ns[i] = duration;
        end_ns = start + duration;
    }
    core->detours = n;
    return 0;
}

/* A core's record of detours. Of more than a signature holds, the first are
 * kept, and the record ends where the first one left out starts. */
static int add_detours(struct mpg_collect *c, const struct mpg_results *r, int64_t id,
                       struct mpg_error *err)
{
    struct mpg_noise_core *core = find_core(c->sig, id, err);
    size_t n = r->samples;
    if (!core)
        return -1;
    if (mpg_results_number(r, "threshold_ns", 0, MPG_DISTRIBUTION_LIMIT, &core->threshold_ns,
                           err) < 0 ||
        mpg_results_number(r, "span_ns", 1, MPG_DISTRIBUTION_LIMIT, &core->span_ns, err) < 0)
        return -1;
    if (n > MPG_SIGNATURE_MAX_DETOURS) {
        n = MPG_SIGNATURE_MAX_DETOURS;
        core->span_ns = r->column[MPG_DETOUR_START_NS][n];
        if (warn(c, err, "%s: the first %zu of %zu detours were kept, %.3f s of record", r->path,
                 n, r->samples, core->span_ns * 1e-9) < 0)
            return -1;
    }
    if (copy_detours(r, core, n, err) < 0 || mpg_noise_core_check(core, err) < 0 ||
        mpg_noise_core_derive(core, err) < 0)
        return mpg_error_prefix(err, "%s", r->path);
    return 0;
}

static int add_quanta(struct mpg_collect *c, const struct mpg_results *r, int64_t id,
                      struct mpg_error *err)
{
    struct mpg_noise_core *core = find_core(c->sig, id, err);
    if (!core)
        return -1;
    for (size_t i = 1; i < r->samples; i++)
        if (r->column[MPG_FTQ_START_NS][i] < r->column[MPG_FTQ_START_NS][i - 1])
            return mpg_error_set(err, "%s: quantum %zu starts before the one before it", r->path,
                                 i);
    if (mpg_results_number(r, "quantum_ns", 1, MPG_DISTRIBUTION_LIMIT, &core->ftq.quantum_ns, err) < 0)
        return -1;
    core->ftq.lost_ns = mpg_distribution_from_samples(r->column[MPG_FTQ_LOST_NS], r->samples,
                                                      MPG_DISTRIBUTION_KNOTS, err);
    return core->ftq.lost_ns ? 0 : mpg_error_prefix(err, "%s", r->path);
}

/* ---- network ---- */

/* The series of SIZE_BYTES in LIST, which ascends in size. */
static struct series *find_series(struct series_list *list, int64_t size_bytes,
                                  struct mpg_error *err)
{
    size_t low = 0, high = list->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (list->series[middle].size_bytes < size_bytes)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < list->n && list->series[low].size_bytes == size_bytes)
        return &list->series[low];
    if (list->n >= MPG_SIGNATURE_MAX_SIZES) {
        mpg_error_set(err, "more than %d message sizes", (int)MPG_SIGNATURE_MAX_SIZES);
        return NULL;
    }
    struct series *grown = realloc(list->series, (list->n + 1) * sizeof *grown);
    if (!grown) {
        no_memory(err);
        return NULL;
    }
    list->series = grown;
    memmove(&grown[low + 1], &grown[low], (list->n - low) * sizeof *grown);
    grown[low] = (struct series){.size_bytes = size_bytes};
    list->n++;
    return &grown[low];
}

static int append(struct series_list *list, double size_bytes, double value, struct mpg_error *err)
{
    struct series *s = find_series(list, (int64_t)size_bytes, err);
    if (!s)
        return -1;
    if (s->n == s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : 256;
        double *grown = realloc(s->value, capacity * sizeof *grown);
        if (!grown)
            return no_memory(err);
        s->value = grown;
        s->capacity = capacity;
    }
    s->value[s->n++] = value;
    return 0;
}

/* One way is half the round trip. */
static int add_pingpong(struct mpg_collect *c, const struct mpg_results *r, struct mpg_error *err)
{
    for (size_t i = 0; i < r->samples; i++)
        if (append(&c->latency, r->column[MPG_PINGPONG_SIZE_BYTES][i],
                   r->column[MPG_PINGPONG_RTT_NS][i] / 2, err) < 0)
            return mpg_error_prefix(err, "%s", r->path);
    if (!fact(r, "eager_limit_bytes"))
        return 0;
    double *grown = realloc(c->eager_limit_bytes, (c->eager_limits + 1) * sizeof *grown);
    if (!grown)
        return no_memory(err);
    c->eager_limit_bytes = grown;
    if (mpg_results_number(r, "eager_limit_bytes", 0, 0x1p53, &grown[c->eager_limits], err) < 0)
        return -1;
    c->eager_limits++;
    return 0;
}

/* A transfer is the time to the acknowledgement without the way back, half an
 * empty round trip. */
static int add_bandwidth(struct mpg_collect *c, const struct mpg_results *r, struct mpg_error *err)
{
    for (size_t i = 0; i < r->samples; i++)
        if (append(&c->bandwidth, r->column[MPG_BANDWIDTH_SIZE_BYTES][i],
                   fmax(0, r->column[MPG_BANDWIDTH_TIME_NS][i] -
                               r->column[MPG_BANDWIDTH_ACK_NS][i] / 2), err) < 0)
            return mpg_error_prefix(err, "%s", r->path);
    return 0;
}

/* ---- header ---- */

/* Header lines that have a place of their own, mean one file only, or are ours. */
static bool is_own_key(const char *key)
{
    static const char *const own[] = {"benchmark", "columns", "core", "launch", "threshold_ns",
                                      "span_ns", "quantum_ns", "unit_ns", "eager_limit_bytes",
                                      "one_way", "transfer", "sigmake"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(key, own[i]) == 0)
            return true;
    return false;
}

static int add_facts(struct mpg_collect *c, const struct mpg_results *r, struct mpg_error *err)
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

/* The different values of one header line, as one text. */
struct values {
    size_t n;
    bool all_listed, numbers;
    double least, most;            /* of numbers */
    const char *first, *last;      /* in the order of text, as dates have it */
    size_t used;
    char text[MPG_SIGNATURE_MAX_TEXT + 1];
};

static void add_value(struct values *v, const char *value)
{
    double number;
    v->numbers = v->numbers && mpg_units_parse_real(value, &number, NULL) == 0;
    if (v->numbers) {
        v->least = v->n == 0 ? number : fmin(v->least, number);
        v->most = v->n == 0 ? number : fmax(v->most, number);
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

/* Adds the header line KEY: one value as it is, numbers and dates from the least
 * to the greatest, others listed. */
static int put_fact(struct mpg_collect *c, const char *key, struct mpg_error *err)
{
    bool version = strcmp(key, "kernel") == 0 || strcmp(key, "clock") == 0;
    struct values v = {.all_listed = true, .numbers = !version};
    for (size_t i = 0; i < c->values; i++)
        if (strcmp(c->value[i].key, key) == 0)
            add_value(&v, c->value[i].value);
    if (v.n > 1 && v.numbers)
        snprintf(v.text, sizeof v.text, "%.15g to %.15g", v.least, v.most);
    else if (v.n > 1 && strcmp(key, "date") == 0)
        snprintf(v.text, sizeof v.text, "%.80s to %.80s", v.first, v.last);
    else if (!v.all_listed)
        snprintf(v.text + v.used, sizeof v.text - v.used, "; ...");
    if (v.n > 1 && version &&
        warn(c, err, "the %s differs between results files: %.300s", key, v.text) < 0)
        return -1;
    return mpg_fact_add(&c->sig->fact, &c->sig->facts, key, v.text, err);
}

static int put_facts(struct mpg_collect *c, struct mpg_error *err)
{
    struct mpg_signature *sig = c->sig;
    for (size_t i = 0; i < c->values; i++) {
        const char *key = c->value[i].key;
        if (!mpg_fact_find(sig->fact, sig->facts, key) && put_fact(c, key, err) < 0)
            return -1;
    }
    if (c->latency.n > 0 &&
        mpg_fact_add(&sig->fact, &sig->facts, "one_way", "half the round trip", err) < 0)
        return -1;
    if (c->bandwidth.n > 0 &&
        mpg_fact_add(&sig->fact, &sig->facts, "transfer",
                     "time to the acknowledgement minus half the empty round trip", err) < 0)
        return -1;
    return 0;
}

/* ---- the whole ---- */

int mpg_collect_add(struct mpg_collect *c, const struct mpg_results *r, struct mpg_error *err)
{
    bool network = r->benchmark == MPG_BENCHMARK_PINGPONG ||
                   r->benchmark == MPG_BENCHMARK_BANDWIDTH;
    int64_t id = 0;
    if (r->samples == 0 && r->benchmark != MPG_BENCHMARK_DETOUR)
        return mpg_error_set(err, "%s: no samples", r->path);
    if (check_machine(c, r, err) < 0 || (network && check_path_class(c, r, err) < 0) ||
        add_origin(c, r, network ? "launch" : "core", &id, err) < 0 || add_facts(c, r, err) < 0)
        return -1;
    switch (r->benchmark) {
    case MPG_BENCHMARK_FTQ:
        return add_quanta(c, r, id, err);
    case MPG_BENCHMARK_DETOUR:
        return add_detours(c, r, id, err);
    case MPG_BENCHMARK_PINGPONG:
        return add_pingpong(c, r, err);
    default:
        return add_bandwidth(c, r, err);
    }
}

static int make_sizes(const struct series_list *list, struct mpg_network_sizes *sizes,
                      struct mpg_error *err)
{
    if (!(sizes->size = calloc(list->n + 1, sizeof *sizes->size)))
        return no_memory(err);
    for (; sizes->n < list->n; sizes->n++) {
        const struct series *s = &list->series[sizes->n];
        struct mpg_network_size *made = &sizes->size[sizes->n];
        made->size_bytes = s->size_bytes;
        made->time_ns =
            mpg_distribution_from_samples(s->value, s->n, MPG_DISTRIBUTION_KNOTS, err);
        if (!made->time_ns)
            return mpg_error_prefix(err, "%lld bytes", (long long)s->size_bytes);
    }
    return 0;
}

static int make_path(struct mpg_collect *c, struct mpg_error *err)
{
    struct mpg_signature *sig = c->sig;
    if (!c->network_path)
        return 0;
    if (!(sig->network = calloc(1, sizeof *sig->network)))
        return no_memory(err);
    struct mpg_network_path *p = &sig->network[sig->paths++];
    *p = (struct mpg_network_path){.path = mpg_path_find(c->network_path),
                                   .eager_limit_bytes = MPG_EAGER_LIMIT_UNKNOWN};
    if (make_sizes(&c->latency, &p->latency, err) < 0)
        return -1;
    return make_sizes(&c->bandwidth, &p->bandwidth, err);
}

static int warn_missing(struct mpg_collect *c, struct mpg_error *err)
{
    static const char *const lacks[MPG_BENCHMARKS] = {
        [MPG_BENCHMARK_FTQ] = "time lost per quantum",
        [MPG_BENCHMARK_DETOUR] = "detours to replay",
        [MPG_BENCHMARK_PINGPONG] = "latencies and no eager limit",
        [MPG_BENCHMARK_BANDWIDTH] = "transfer times",
    };
    bool there[MPG_BENCHMARKS] = {false};
    for (size_t i = 0; i < c->origins; i++)
        there[c->origin[i].benchmark] = true;
    for (int b = 0; b < MPG_BENCHMARKS; b++)
        if (!there[b] &&
            warn(c, err, "no %s results: the signature has no %s; mpgbench measures them",
                 mpg_benchmark_name((enum mpg_benchmark)b), lacks[b]) < 0)
            return -1;
    if (there[MPG_BENCHMARK_PINGPONG] && c->eager_limits == 0)
        return warn(c, err, "no eager limit was detected: every send counts as eager unless"
                            " mpgsim is given --eager-limit");
    return 0;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct mpg_signature *mpg_collect_finish(struct mpg_collect *c, struct mpg_error *err)
{
    struct mpg_signature *sig = c->sig;
    if (make_path(c, err) < 0 || put_facts(c, err) < 0 || warn_missing(c, err) < 0)
        return NULL;
    if (c->eager_limits > 0) { /* the lower median: a limit that some launch had */
        qsort(c->eager_limit_bytes, c->eager_limits, sizeof *c->eager_limit_bytes,
              compare_doubles);
        sig->network[0].eager_limit_bytes = (int64_t)c->eager_limit_bytes[(c->eager_limits - 1) / 2];
    }
    if (mpg_signature_check(sig, err) < 0)
        return NULL;
    c->sig = NULL;
    return sig;
}
