/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The signature file: JSON, read by jansson into a tree, written as a stream
 * with one line an array, so that it stays readable and compares by line. */
#include "signature/signature.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_NAME "mpgkit-signature"

/* ---- reading ---- */

/* OBJECT's member KEY, which must be of TYPE; *MEMBER is NULL when it is absent. */
static int get_member(const json_t *object, const char *key, json_type type,
                      const json_t **member, struct mpg_error *err)
{
    static const char *const names[] = {[JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array",
                                        [JSON_STRING] = "a string"};
    *member = json_object_get(object, key);
    if (*member && json_typeof(*member) != type)
        return mpg_error_set(err, "%s is not %s", key, names[type]);
    return 0;
}

/* A finite number, or 0 when it is absent. */
static int get_number(const json_t *object, const char *key, double *value, struct mpg_error *err)
{
    const json_t *member = json_object_get(object, key);
    *value = 0;
    if (member && !json_is_number(member))
        return mpg_error_set(err, "%s is not a number", key);
    if (member)
        *value = json_number_value(member);
    return 0;
}

static int get_integer(const json_t *object, const char *key, int64_t *value,
                       struct mpg_error *err)
{
    const json_t *member = json_object_get(object, key);
    if (!json_is_integer(member))
        return mpg_error_set(err, "%s is %s", key, member ? "not a whole number" : "missing");
    *value = json_integer_value(member);
    return 0;
}

/* The numbers of array KEY, at most MOST of them, in memory the caller frees. */
static int get_numbers(const json_t *object, const char *key, size_t most, double **values,
                       size_t *n, struct mpg_error *err)
{
    const json_t *array;
    if (get_member(object, key, JSON_ARRAY, &array, err) < 0)
        return -1;
    size_t count = json_array_size(array);
    if (count > most)
        return mpg_error_set(err, "%s has %zu values, more than %zu", key, count, most);
    double *numbers = malloc((count + 1) * sizeof *numbers);
    if (!numbers)
        return mpg_error_set(err, "out of memory for %zu values of %s", count, key);
    for (size_t i = 0; i < count; i++) {
        const json_t *element = json_array_get(array, i);
        if (!json_is_number(element)) {
            free(numbers);
            return mpg_error_set(err, "%s[%zu] is not a number", key, i);
        }
        numbers[i] = json_number_value(element);
    }
    *values = numbers;
    *n = count;
    return 0;
}

static int parse_distribution(const json_t *object, struct mpg_distribution *d,
                              struct mpg_error *err)
{
    int64_t n = 0;
    if (get_integer(object, "n", &n, err) < 0 || get_number(object, "mean", &d->mean, err) < 0 ||
        get_number(object, "sd", &d->sd, err) < 0 || get_number(object, "lag1", &d->lag1, err) < 0)
        return -1;
    if (n < 1)
        return mpg_error_set(err, "n is %lld, less than 1", (long long)n);
    if (!json_object_get(object, "mean"))
        return mpg_error_set(err, "mean is missing");
    d->n = (size_t)n;
    return get_numbers(object, "quantiles", MPG_DISTRIBUTION_MAX_KNOTS, &d->quantiles, &d->knots,
                       err);
}

/* The distribution under KEY; *DISTRIBUTION stays as it is when it is absent. */
static int get_distribution(const json_t *object, const char *key,
                            struct mpg_distribution **distribution, struct mpg_error *err)
{
    const json_t *member;
    if (get_member(object, key, JSON_OBJECT, &member, err) < 0)
        return -1;
    if (!member)
        return 0;
    struct mpg_distribution *d = calloc(1, sizeof *d);
    if (!d)
        return mpg_error_set(err, "out of memory");
    if (parse_distribution(member, d, err) < 0 || mpg_distribution_check(d, err) < 0) {
        mpg_distribution_free(d);
        return mpg_error_prefix(err, "%s", key);
    }
    *distribution = d;
    return 0;
}

/* The members of object KEY, all strings, in the file's order. */
static int get_facts(const json_t *object, const char *key, size_t most, struct mpg_fact **fact,
                     size_t *n, struct mpg_error *err)
{
    const json_t *member;
    if (get_member(object, key, JSON_OBJECT, &member, err) < 0)
        return -1;
    if (json_object_size(member) > most)
        return mpg_error_set(err, "%s has more than %zu entries", key, most);
    for (void *i = json_object_iter((json_t *)member); i;
         i = json_object_iter_next((json_t *)member, i)) {
        const char *text = json_string_value(json_object_iter_value(i));
        if (mpg_fact_add(fact, n, json_object_iter_key(i), text ? text : "", err) < 0)
            return mpg_error_prefix(err, "%s", key);
        if (!text)
            return mpg_error_set(err, "%s: %.80s is not a string", key, json_object_iter_key(i));
    }
    return 0;
}

static int parse_detours(const json_t *object, struct mpg_noise_core *c, struct mpg_error *err)
{
    size_t durations;
    if (get_numbers(object, "start_ns", MPG_SIGNATURE_MAX_DETOURS, &c->start_ns, &c->detours,
                    err) < 0 ||
        get_numbers(object, "duration_ns", MPG_SIGNATURE_MAX_DETOURS, &c->duration_ns,
                    &durations, err) < 0)
        return -1;
    if (durations != c->detours)
        return mpg_error_set(err, "start_ns has %zu values, duration_ns has %zu", c->detours,
                             durations);
    return 0;
}

/* What the file may leave out because it follows from the detours is computed;
 * a fraction that contradicts them is damage. */
static int derive_core(const json_t *object, struct mpg_noise_core *c, struct mpg_error *err)
{
    double said;
    if (get_number(object, "fraction_lost", &said, err) < 0 ||
        mpg_noise_core_check(c, err) < 0 || mpg_noise_core_derive(c, err) < 0)
        return -1;
    if (json_object_get(object, "fraction_lost") && !(fabs(said - c->fraction_lost) <= 1e-6))
        return mpg_error_set(err, "fraction_lost is %g, the detours say %g", said,
                             c->fraction_lost);
    return 0;
}

static int parse_core(const json_t *object, struct mpg_noise_core *c, struct mpg_error *err)
{
    int64_t core = 0;
    const json_t *detours, *ftq;
    if (get_integer(object, "core", &core, err) < 0 ||
        get_number(object, "threshold_ns", &c->threshold_ns, err) < 0 ||
        get_number(object, "span_ns", &c->span_ns, err) < 0 ||
        get_distribution(object, "gap_ns", &c->gap_ns, err) < 0 ||
        get_distribution(object, "duration_ns", &c->length_ns, err) < 0 ||
        get_member(object, "detours", JSON_OBJECT, &detours, err) < 0 ||
        get_member(object, "ftq", JSON_OBJECT, &ftq, err) < 0)
        return -1;
    if (core < 0 || core > INT32_MAX)
        return mpg_error_set(err, "core is %lld, not a core's number", (long long)core);
    c->core = (int)core;
    if (detours && parse_detours(detours, c, err) < 0)
        return mpg_error_prefix(err, "detours");
    if (ftq && (get_number(ftq, "quantum_ns", &c->ftq.quantum_ns, err) < 0 ||
                get_distribution(ftq, "lost_ns", &c->ftq.lost_ns, err) < 0))
        return mpg_error_prefix(err, "ftq");
    return derive_core(object, c, err);
}

static int parse_noise(const json_t *root, struct mpg_signature *sig, struct mpg_error *err)
{
    const json_t *noise;
    if (get_member(root, "noise", JSON_ARRAY, &noise, err) < 0)
        return -1;
    size_t n = json_array_size(noise);
    if (n > MPG_SIGNATURE_MAX_CORES)
        return mpg_error_set(err, "noise has %zu cores, more than %d", n,
                             (int)MPG_SIGNATURE_MAX_CORES);
    if (!(sig->core = calloc(n + 1, sizeof *sig->core)))
        return mpg_error_set(err, "out of memory for %zu cores", n);
    while (sig->cores < n) {
        size_t i = sig->cores++;
        if (parse_core(json_array_get(noise, i), &sig->core[i], err) < 0)
            return mpg_error_prefix(err, "noise[%zu]", i);
    }
    return 0;
}

static int parse_sizes(const json_t *network, const char *key, const char *times_key,
                       struct mpg_network_sizes *sizes, struct mpg_error *err)
{
    const json_t *array;
    if (get_member(network, key, JSON_ARRAY, &array, err) < 0)
        return -1;
    size_t n = json_array_size(array);
    if (n > MPG_SIGNATURE_MAX_SIZES)
        return mpg_error_set(err, "%s has %zu sizes, more than %d", key, n,
                             (int)MPG_SIGNATURE_MAX_SIZES);
    if (!(sizes->size = calloc(n + 1, sizeof *sizes->size)))
        return mpg_error_set(err, "out of memory for %zu sizes", n);
    while (sizes->n < n) {
        size_t i = sizes->n++;
        struct mpg_network_size *size = &sizes->size[i];
        const json_t *object = json_array_get(array, i);
        if (get_integer(object, "size_bytes", &size->size_bytes, err) < 0 ||
            get_distribution(object, times_key, &size->time_ns, err) < 0)
            return mpg_error_prefix(err, "%s[%zu]", key, i);
        if (!size->time_ns)
            return mpg_error_set(err, "%s[%zu]: %s is missing", key, i, times_key);
    }
    return 0;
}

/* What a path of version 2, and the whole network of version 1, have in common. */
static int parse_path(const json_t *object, struct mpg_network_path *path, struct mpg_error *err)
{
    int64_t limit = MPG_EAGER_LIMIT_UNKNOWN;
    if (parse_sizes(object, "latency", "one_way_ns", &path->latency, err) < 0 ||
        parse_sizes(object, "bandwidth", "transfer_ns", &path->bandwidth, err) < 0 ||
        (json_object_get(object, "eager_limit_bytes") &&
         get_integer(object, "eager_limit_bytes", &limit, err) < 0))
        return -1;
    if (json_object_get(object, "eager_limit_bytes") && limit < -1)
        return mpg_error_set(err, "eager_limit_bytes is %lld, less than -1", (long long)limit);
    path->eager_limit_bytes = limit;
    return 0;
}

/* Version 1 had one path, whose class the header said. */
static int parse_network_1(const json_t *root, struct mpg_signature *sig, struct mpg_error *err)
{
    const json_t *network;
    const char *class = mpg_fact_find(sig->fact, sig->facts, "path");
    if (get_member(root, "network", JSON_OBJECT, &network, err) < 0)
        return -1;
    if (!network)
        return 0;
    if (!(sig->network = calloc(1, sizeof *sig->network)))
        return mpg_error_set(err, "out of memory");
    sig->paths = 1;
    sig->network[0].path = class ? mpg_path_find(class) : MPG_PATH_NODE;
    if (sig->network[0].path == MPG_PATHS)
        return mpg_error_set(err, "header: path: '%.100s' is not a path class", class);
    return parse_path(network, &sig->network[0], err) < 0 ? mpg_error_prefix(err, "network") : 0;
}

static int parse_network(const json_t *root, struct mpg_signature *sig, struct mpg_error *err)
{
    const json_t *network;
    if (get_member(root, "network", JSON_ARRAY, &network, err) < 0)
        return -1;
    size_t n = json_array_size(network);
    if (n > MPG_PATHS)
        return mpg_error_set(err, "network has %zu paths, more than %d", n, (int)MPG_PATHS);
    if (!(sig->network = calloc(n + 1, sizeof *sig->network)))
        return mpg_error_set(err, "out of memory");
    while (sig->paths < n) {
        struct mpg_network_path *path = &sig->network[sig->paths];
        const json_t *object = json_array_get(network, sig->paths++);
        const char *name = json_string_value(json_object_get(object, "path"));
        path->path = name ? mpg_path_find(name) : MPG_PATHS;
        if (path->path == MPG_PATHS)
            return mpg_error_set(err, "network[%zu]: path is not a path class", sig->paths - 1);
        if (parse_path(object, path, err) < 0)
            return mpg_error_prefix(err, "network: %s", name);
    }
    return 0;
}

/* Major version 1 or 2; the caller's, by return value. */
static int check_version(const json_t *root, struct mpg_error *err)
{
    const char *format = json_string_value(json_object_get(root, "format"));
    const json_t *version = json_object_get(root, "version");
    const json_t *major = json_array_get(version, 0), *minor = json_array_get(version, 1);
    if (!format || strcmp(format, FORMAT_NAME) != 0)
        return mpg_error_set(err, "not a signature (format is not \"%s\")", FORMAT_NAME);
    if (json_array_size(version) != 2 || !json_is_integer(major) || !json_is_integer(minor))
        return mpg_error_set(err, "version is not an array of two whole numbers");
    if (json_integer_value(major) < 1 || json_integer_value(major) > MPG_SIGNATURE_VERSION)
        return mpg_error_set(err, "version is %lld.%lld; this mpgkit reads versions 1 to %d",
                             (long long)json_integer_value(major),
                             (long long)json_integer_value(minor), (int)MPG_SIGNATURE_VERSION);
    return (int)json_integer_value(major);
}

static int parse_signature(const json_t *root, struct mpg_signature *sig, struct mpg_error *err)
{
    int major = check_version(root, err);
    if (major < 0 ||
        get_facts(root, "header", MPG_SIGNATURE_MAX_FACTS, &sig->fact, &sig->facts, err) < 0 ||
        get_facts(root, "results", MPG_SIGNATURE_MAX_SOURCES, &sig->source, &sig->sources,
                  err) < 0 ||
        parse_noise(root, sig, err) < 0 ||
        (major == 1 ? parse_network_1 : parse_network)(root, sig, err) < 0)
        return -1;
    return mpg_signature_check(sig, err);
}

/* The JSON in PATH; the errors of opening and reading tell why. */
static json_t *read_json(const char *path, struct mpg_error *err)
{
    json_error_t why;
    int standard_input = strcmp(path, "-") == 0;
    const char *name = standard_input ? "standard input" : path;
    FILE *stream = standard_input ? stdin : fopen(path, "r");
    if (!stream) {
        mpg_error_errno(err, errno, "%s", name);
        return NULL;
    }
    errno = 0;
    json_t *root = json_loadf(stream, JSON_REJECT_DUPLICATES, &why);
    int saved = errno;
    if (ferror(stream)) {
        json_decref(root);
        root = NULL;
        mpg_error_errno(err, saved ? saved : EIO, "%s", name);
    } else if (!root) {
        mpg_error_set(err, "%s: line %d: %s", name, why.line, why.text);
    }
    if (!standard_input)
        fclose(stream);
    return root;
}

struct mpg_signature *mpg_signature_load(const char *path, struct mpg_error *err)
{
    json_t *root = read_json(path, err);
    if (!root)
        return NULL;
    struct mpg_signature *sig = calloc(1, sizeof *sig);
    if (!sig || !(sig->path = strdup(path))) {
        mpg_error_set(err, "%s: out of memory", path);
        goto fail;
    }
    if (parse_signature(root, sig, err) < 0) {
        mpg_error_prefix(err, "%s", strcmp(path, "-") == 0 ? "standard input" : path);
        goto fail;
    }
    json_decref(root);
    return sig;
fail:
    mpg_signature_free(sig);
    json_decref(root);
    return NULL;
}

/* ---- writing ---- */

/* VALUE in the fewest digits that read back as the same double. */
static void put_number(FILE *stream, double value)
{
    char text[32];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value + 0.0);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, stream);
}

static void put_numbers(FILE *stream, const char *key, const double *values, size_t n)
{
    fprintf(stream, "\"%s\": [", key);
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            putc(',', stream);
        put_number(stream, values[i]);
    }
    putc(']', stream);
}

static void put_member(FILE *stream, const char *key, double value)
{
    fprintf(stream, "\"%s\": ", key);
    put_number(stream, value);
}

static void put_distribution(FILE *stream, const char *key, const struct mpg_distribution *d)
{
    fprintf(stream, "\"%s\": {\"n\": %zu, ", key, d->n);
    put_member(stream, "mean", d->mean);
    fputs(", ", stream);
    put_member(stream, "sd", d->sd);
    fputs(", ", stream);
    put_member(stream, "lag1", d->lag1);
    fputs(",\n      ", stream);
    put_numbers(stream, "quantiles", d->quantiles, d->knots);
    putc('}', stream);
}

static int put_text(FILE *stream, const char *text, struct mpg_error *err)
{
    json_t *string = json_string(text);
    char *quoted = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    json_decref(string);
    if (!quoted)
        return mpg_error_set(err, "out of memory");
    fputs(quoted, stream);
    free(quoted);
    return 0;
}

static int put_facts(FILE *stream, const char *key, const struct mpg_fact *fact, size_t n,
                     struct mpg_error *err)
{
    fprintf(stream, "  \"%s\": {", key);
    for (size_t i = 0; i < n; i++) {
        fputs(i > 0 ? ",\n    " : "\n    ", stream);
        if (put_text(stream, fact[i].key, err) < 0)
            return -1;
        fputs(": ", stream);
        if (put_text(stream, fact[i].value, err) < 0)
            return -1;
    }
    fputs(n > 0 ? "\n  },\n" : "},\n", stream);
    return 0;
}

static void put_core(FILE *stream, const struct mpg_noise_core *c)
{
    fprintf(stream, "{\"core\": %d, ", c->core);
    put_member(stream, "threshold_ns", c->threshold_ns);
    fputs(", ", stream);
    put_member(stream, "span_ns", c->span_ns);
    fputs(", ", stream);
    put_member(stream, "fraction_lost", c->fraction_lost);
    fputs(",\n    \"detours\": {\n      ", stream);
    put_numbers(stream, "start_ns", c->start_ns, c->detours);
    fputs(",\n      ", stream);
    put_numbers(stream, "duration_ns", c->duration_ns, c->detours);
    putc('}', stream);
    if (c->gap_ns) {
        fputs(",\n    ", stream);
        put_distribution(stream, "gap_ns", c->gap_ns);
    }
    if (c->length_ns) {
        fputs(",\n    ", stream);
        put_distribution(stream, "duration_ns", c->length_ns);
    }
    if (c->ftq.lost_ns) {
        fputs(",\n    \"ftq\": {", stream);
        put_member(stream, "quantum_ns", c->ftq.quantum_ns);
        fputs(", ", stream);
        put_distribution(stream, "lost_ns", c->ftq.lost_ns);
        putc('}', stream);
    }
    putc('}', stream);
}

static void put_sizes(FILE *stream, const char *key, const char *times_key,
                      const struct mpg_network_sizes *sizes)
{
    fprintf(stream, ",\n     \"%s\": [", key);
    for (size_t i = 0; i < sizes->n; i++) {
        fprintf(stream, "%s\n    {\"size_bytes\": %lld, ", i > 0 ? "," : "",
                (long long)sizes->size[i].size_bytes);
        put_distribution(stream, times_key, sizes->size[i].time_ns);
        putc('}', stream);
    }
    putc(']', stream);
}

static void put_path(FILE *stream, const struct mpg_network_path *path)
{
    fprintf(stream, "{\"path\": \"%s\"", mpg_path_name(path->path));
    if (path->eager_limit_bytes != MPG_EAGER_LIMIT_UNKNOWN)
        fprintf(stream, ", \"eager_limit_bytes\": %lld", (long long)path->eager_limit_bytes);
    put_sizes(stream, "latency", "one_way_ns", &path->latency);
    put_sizes(stream, "bandwidth", "transfer_ns", &path->bandwidth);
    putc('}', stream);
}

int mpg_signature_write(const struct mpg_signature *sig, FILE *stream, struct mpg_error *err)
{
    if (mpg_signature_check(sig, err) < 0)
        return -1;
    errno = 0;
    fprintf(stream, "{\n  \"format\": \"%s\",\n  \"version\": [%d, %d],\n", FORMAT_NAME,
            (int)MPG_SIGNATURE_VERSION, (int)MPG_SIGNATURE_MINOR);
    if (put_facts(stream, "header", sig->fact, sig->facts, err) < 0 ||
        put_facts(stream, "results", sig->source, sig->sources, err) < 0)
        return -1;
    fputs("  \"noise\": [", stream);
    for (size_t i = 0; i < sig->cores; i++) {
        fputs(i > 0 ? ",\n    " : "\n    ", stream);
        put_core(stream, &sig->core[i]);
    }
    fputs("],\n  \"network\": [", stream);
    for (size_t i = 0; i < sig->paths; i++) {
        fputs(i > 0 ? ",\n    " : "\n    ", stream);
        put_path(stream, &sig->network[i]);
    }
    fputs("]\n}\n", stream);
    if (ferror(stream))
        return mpg_error_errno(err, errno ? errno : EIO, "cannot write");
    return 0;
}
