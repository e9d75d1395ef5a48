/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a results file line by line. */
#include "signature/make/results.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "common/units.h"

#define MAGIC "#mpgresults "
#define VERSION 2
/* Longest line; the value of a header line may be a whole command line. */
#define MAX_LINE (2 * MPG_LINE_MAX_BYTES + 16)

/* A file with more columns is rejected. */
#define MAX_COLUMNS 64

static const struct {
    const char *name;
    const char *former;  /* name in version 1 of the format; NULL: the same */
    bool counts;         /* values must be whole numbers */
    bool may_be_negative;
} columns[MPG_COLUMNS] = {
    [MPG_COLUMN_START_NS] = {.name = "start_ns"},
    [MPG_COLUMN_WORK] = {.name = "work_units", .former = "work"},
    [MPG_COLUMN_LOST_NS] = {.name = "lost_ns"},
    [MPG_COLUMN_DURATION_NS] = {.name = "duration_ns"},
    [MPG_COLUMN_OFF_CPU_NS] = {.name = "off_cpu_ns"},
    [MPG_COLUMN_CAUSE] = {.name = "cause", .counts = true},
    [MPG_COLUMN_PAIR] = {.name = "pair", .counts = true},
    [MPG_COLUMN_SIZE_BYTES] = {.name = "size_bytes", .counts = true},
    [MPG_COLUMN_RTT_NS] = {.name = "rtt_ns"},
    [MPG_COLUMN_FORWARD_NS] = {.name = "forward_ns", .may_be_negative = true},
    [MPG_COLUMN_BACKWARD_NS] = {.name = "backward_ns", .may_be_negative = true},
    [MPG_COLUMN_WINDOW] = {.name = "messages_in_flight", .former = "window", .counts = true},
    [MPG_COLUMN_TIME_NS] = {.name = "time_ns"},
    [MPG_COLUMN_SEND_NS] = {.name = "send_ns"},
    [MPG_COLUMN_TRANSFER_NS] = {.name = "transfer_ns", .may_be_negative = true},
    [MPG_COLUMN_RECEIVE_NS] = {.name = "receive_ns"},
    [MPG_COLUMN_ACK_NS] = {.name = "ack_ns"},
    [MPG_COLUMN_OPERATION] = {.name = "operation", .counts = true},
    [MPG_COLUMN_PROCESSES] = {.name = "processes", .counts = true},
    [MPG_COLUMN_KERNEL] = {.name = "kernel", .counts = true},
    [MPG_COLUMN_CORES] = {.name = "cores_at_once", .former = "cores", .counts = true},
    [MPG_COLUMN_RATE] = {.name = "rate"},
    [MPG_COLUMN_PAIRS] = {.name = "pairs_at_once", .counts = true},
    [MPG_COLUMN_DIRECTIONS] = {.name = "directions", .counts = true},
    [MPG_COLUMN_MESSAGES] = {.name = "messages", .counts = true},
    [MPG_COLUMN_CALL_NS] = {.name = "call_ns"},
    [MPG_COLUMN_COMPLETE_NS] = {.name = "complete_ns"},
    [MPG_COLUMN_ALONE_NS] = {.name = "alone_ns"},
    [MPG_COLUMN_WORK_NS] = {.name = "work_ns"},
    [MPG_COLUMN_BOTH_NS] = {.name = "both_ns"},
};

/* Header keys with a different name in version 1 of the format. */
static const struct {
    const char *former, *now;
} keys[] = {
    {"dropped", "dropped_exchanges"}, {"epoch_ns", "start_monotonic_ns"}, {"filled", "ended_early"},
    {"invalid", "late_repetitions"},  {"late_ns", "late_limit_ns"},       {"loop_ns", "shortest_loop_ns"},
    {"machine_before", "load_before"}, {"sent_by", "send_call"},          {"speed_lost", "speed_below_best"},
    {"warmup", "warmup_repetitions"}, {"window", "messages_in_flight"},
};

#define BIT(column) (1u << MPG_COLUMN_##column)

static const struct {
    const char *name;
    uint32_t needs, may_have; /* columns, a bit for each (enum mpg_column): required, and optional */
} benchmarks[MPG_BENCHMARKS] = {
    [MPG_BENCHMARK_FTQ] = {"ftq", BIT(START_NS) | BIT(WORK) | BIT(LOST_NS), 0},
    [MPG_BENCHMARK_FWQ] = {"fwq", BIT(START_NS) | BIT(DURATION_NS), BIT(LOST_NS)},
    [MPG_BENCHMARK_DETOUR] = {"detour", BIT(START_NS) | BIT(DURATION_NS), BIT(OFF_CPU_NS) | BIT(CAUSE)},
    [MPG_BENCHMARK_PINGPONG] = {"pingpong", BIT(SIZE_BYTES) | BIT(RTT_NS),
                                BIT(PAIR) | BIT(FORWARD_NS) | BIT(BACKWARD_NS) | BIT(OFF_CPU_NS)},
    [MPG_BENCHMARK_BANDWIDTH] = {"bandwidth", BIT(SIZE_BYTES) | BIT(TIME_NS),
                                 BIT(PAIR) | BIT(WINDOW) | BIT(SEND_NS) | BIT(TRANSFER_NS) |
                                     BIT(ACK_NS) | BIT(OFF_CPU_NS)},
    [MPG_BENCHMARK_OVERHEAD] = {"overhead", BIT(SIZE_BYTES) | BIT(SEND_NS) | BIT(RECEIVE_NS),
                                BIT(PAIR) | BIT(OFF_CPU_NS)},
    [MPG_BENCHMARK_COLLECTIVE] = {"collective", BIT(OPERATION) | BIT(PROCESSES) |
                                                    BIT(SIZE_BYTES) | BIT(TIME_NS),
                                  BIT(OFF_CPU_NS)},
    [MPG_BENCHMARK_COMPUTE] = {"compute", BIT(KERNEL) | BIT(CORES) | BIT(RATE), 0},
    [MPG_BENCHMARK_SHARING] = {"sharing", BIT(PAIRS) | BIT(DIRECTIONS) | BIT(SIZE_BYTES) | BIT(MESSAGES) | BIT(TIME_NS),
                               BIT(WINDOW) | BIT(OFF_CPU_NS)},
    [MPG_BENCHMARK_ONE_SIDED] = {"onesided", BIT(OPERATION) | BIT(SIZE_BYTES) | BIT(CALL_NS) | BIT(COMPLETE_NS),
                                 BIT(PAIR) | BIT(OFF_CPU_NS)},
    [MPG_BENCHMARK_OVERLAP] = {"overlap", BIT(OPERATION) | BIT(SIZE_BYTES) | BIT(ALONE_NS) | BIT(WORK_NS) | BIT(BOTH_NS),
                               BIT(PAIR) | BIT(OFF_CPU_NS)},
};

/* State while reading a file. */
struct reader {
    FILE *stream;
    char line[MAX_LINE];
    size_t number;           /* line number, from 1 */
    int64_t version;         /* version of the file format, 1 .. VERSION */
    size_t capacity;         /* number of samples for which the columns have room */
    int count;               /* number of columns in the file */
    int column[MAX_COLUMNS]; /* enum mpg_column of each column of the file; MPG_COLUMNS: to be skipped */
    bool in_samples, ended;
    struct mpg_results *results;
};

const char *mpg_benchmark_name(enum mpg_benchmark benchmark)
{
    return benchmarks[benchmark].name;
}

void mpg_results_free(struct mpg_results *results)
{
    if (!results)
        return;
    for (int c = 0; c < MPG_COLUMNS; c++)
        free(results->column[c]);
    mpg_fact_free(results->fact, results->facts);
    free(results->path);
    free(results);
}

int mpg_results_number(const struct mpg_results *results, const char *key, double minimum,
                       double maximum, double *value, struct mpg_error *err)
{
    const char *text = mpg_fact_find(results->fact, results->facts, key);
    double number;
    if (!text)
        return mpg_error_set(err, "%s: header line '# %s:' is missing", results->path, key);
    if (mpg_units_parse_real(text, &number, err) < 0)
        return mpg_error_prefix(err, "%s: header line '# %s:'", results->path, key);
    if (!(number >= minimum && number <= maximum))
        return mpg_error_set(err, "%s: header line '# %s:': %s is not within %g to %g",
                             results->path, key, text, minimum, maximum);
    *value = number;
    return 0;
}

/* Reads the next line, without newline, into r->line; returns 0 at the end of the file. */
static int next_line(struct reader *r, struct mpg_error *err)
{
    errno = 0;
    if (!fgets(r->line, sizeof r->line, r->stream))
        return ferror(r->stream) ? mpg_error_errno(err, errno ? errno : EIO, "cannot read") : 0;
    size_t length = strlen(r->line);
    r->number++;
    if (length == sizeof r->line - 1 && r->line[length - 1] != '\n')
        return mpg_error_set(err, "line %zu: longer than %zu bytes", r->number, length);
    if (length == 0 || r->line[length - 1] != '\n')
        return mpg_error_set(err, "line %zu: %s", r->number,
                             feof(r->stream) ? "cut off; measure it again" : "not text");
    r->results->crc32 =
        (uint32_t)crc32(r->results->crc32, (const Bytef *)r->line, (uInt)length);
    r->line[length - 1] = '\0';
    return 1;
}

static int check_magic(struct reader *r, struct mpg_error *err)
{
    int status = next_line(r, err);
    if (status < 0)
        return -1;
    if (status == 0)
        return mpg_error_set(err, "empty file");
    if (strncmp(r->line, MAGIC, strlen(MAGIC)) != 0)
        return mpg_error_set(err, "line 1: not a results file (no '%s%d')", MAGIC, VERSION);
    const char *text = r->line + strlen(MAGIC);
    if (mpg_units_parse_int(text, &r->version, NULL) < 0 || r->version < 1 || r->version > VERSION)
        return mpg_error_set(err, "line 1: results version '%.20s'; this mpgkit reads versions 1 to %d",
                             text, VERSION);
    return 0;
}

static int find_benchmark(const char *name, enum mpg_benchmark *benchmark, struct mpg_error *err)
{
    for (int b = 0; b < MPG_BENCHMARKS; b++) {
        if (strcmp(name, benchmarks[b].name) == 0) {
            *benchmark = (enum mpg_benchmark)b;
            return 0;
        }
    }
    return mpg_error_set(err, "unknown benchmark '%.40s'", name);
}

/* Returns the present name of KEY, a key in the header of R's file. */
static const char *current_key(const struct reader *r, const char *key)
{
    for (size_t i = 0; r->version == 1 && i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i].former) == 0)
            return keys[i].now;
    return key;
}

/* Reads a line "# key: value". */
static int read_header_line(struct reader *r, struct mpg_error *err)
{
    struct mpg_results *results = r->results;
    const char *key = r->line + 2;
    char *colon = strchr(r->line + 2, ':');
    if (!colon || colon == key)
        return mpg_error_set(err, "not a header line '# key: value'");
    char *value = colon + 1 + (colon[1] == ' ');
    *colon = '\0';
    key = current_key(r, key);
    if (mpg_fact_find(results->fact, results->facts, key))
        return mpg_error_set(err, "header line '# %.80s:' appears twice", key);
    if (results->facts >= MPG_SIGNATURE_MAX_FACTS)
        return mpg_error_set(err, "more than %d header lines", (int)MPG_SIGNATURE_MAX_FACTS);
    if (strlen(key) > MPG_LINE_MAX_BYTES || strlen(value) > MPG_LINE_MAX_BYTES)
        return mpg_error_set(err, "header line longer than %d bytes",
                             (int)MPG_LINE_MAX_BYTES);
    if (strcmp(key, "benchmark") == 0 && find_benchmark(value, &results->benchmark, err) < 0)
        return -1;
    return mpg_fact_add(&results->fact, &results->facts, key, value, err);
}

/* Returns the name that column C has in R's version of the format. */
static const char *column_name(const struct reader *r, int c)
{
    return r->version == 1 && columns[c].former ? columns[c].former : columns[c].name;
}

/* Returns the column of R's benchmark with NAME, of LENGTH characters; MPG_COLUMNS: unknown. */
static int find_column(const struct reader *r, const char *name, size_t length)
{
    uint32_t known = benchmarks[r->results->benchmark].needs | benchmarks[r->results->benchmark].may_have;
    int c = 0;
    while (c < MPG_COLUMNS && !((known >> c & 1) && strlen(column_name(r, c)) == length &&
                                strncmp(column_name(r, c), name, length) == 0))
        c++;
    return c;
}

/* Sets r->column from NAMES, the names of the file's columns. Errors: a required column is missing, or a column is
 * there twice. */
static int set_columns(struct reader *r, const char *names, struct mpg_error *err)
{
    uint32_t there = 0;
    for (const char *name = names; *name; name += strspn(name, " ")) {
        size_t length = strcspn(name, " ");
        int c = find_column(r, name, length);
        if (r->count == MAX_COLUMNS)
            return mpg_error_set(err, "header line '# columns:': more than %d columns",
                                 MAX_COLUMNS);
        if (c < MPG_COLUMNS && (there >> c & 1))
            return mpg_error_set(err, "header line '# columns:': '%s' appears twice",
                                 column_name(r, c));
        if (c < MPG_COLUMNS)
            there |= 1u << c;
        r->column[r->count++] = c;
        name += length;
    }
    for (int c = 0; c < MPG_COLUMNS; c++)
        if ((benchmarks[r->results->benchmark].needs & ~there) >> c & 1)
            return mpg_error_set(err, "header line '# columns:' is '%.80s', without '%s'", names,
                                 column_name(r, c));
    return 0;
}

static int grow(struct reader *r, struct mpg_error *err)
{
    size_t capacity = r->capacity ? 2 * r->capacity : 1024;
    for (int i = 0; i < r->count; i++) {
        int c = r->column[i];
        if (c == MPG_COLUMNS)
            continue;
        double *column = realloc(r->results->column[c], capacity * sizeof *column);
        if (!column)
            return mpg_error_set(err, "out of memory for %zu samples", capacity);
        r->results->column[c] = column;
    }
    r->capacity = capacity;
    return 0;
}

/* Called at the first sample: checks that the header has all required lines, and allocates the columns. */
static int end_header(struct reader *r, struct mpg_error *err)
{
    const struct mpg_results *results = r->results;
    const char *names = mpg_fact_find(results->fact, results->facts, "columns");
    if (!mpg_fact_find(results->fact, results->facts, "benchmark"))
        return mpg_error_set(err, "header line '# benchmark:' is missing");
    if (!names)
        return mpg_error_set(err, "header line '# columns:' is missing");
    r->in_samples = true;
    return set_columns(r, names, err) < 0 ? -1 : grow(r, err);
}

/* Reads TEXT of LENGTH bytes as a value of column C. */
static int read_number(const char *text, size_t length, int c, double *value,
                       struct mpg_error *err)
{
    char *end;
    int shown = length > 40 ? 40 : (int)length;
    *value = strtod(text, &end);
    if (length == 0 || strspn(text, "0123456789+-.eE") < length || end != text + length ||
        !isfinite(*value))
        return mpg_error_set(err, "'%.*s' is not a number", shown, text);
    double min = columns[c].may_be_negative ? -MPG_DISTRIBUTION_LIMIT : 0;
    if (!(*value >= min && *value <= MPG_DISTRIBUTION_LIMIT))
        return mpg_error_set(err, "%.*s is out of range", shown, text);
    if (columns[c].counts && (*value != floor(*value) || *value > 0x1p53))
        return mpg_error_set(err, "%.*s is not a whole number", shown, text);
    return 0;
}

static int read_sample(struct reader *r, struct mpg_error *err)
{
    struct mpg_results *results = r->results;
    const char *text = r->line;
    if (results->samples == r->capacity && grow(r, err) < 0)
        return -1;
    for (int i = 0; i < r->count; i++) {
        size_t length = strcspn(text, " ");
        int c = r->column[i];
        if (length == 0)
            return mpg_error_set(err, "column %d: nothing there", i + 1);
        if (c < MPG_COLUMNS &&
            read_number(text, length, c, &results->column[c][results->samples], err) < 0)
            return mpg_error_prefix(err, "column %d", i + 1);
        text += length;
        if (*text && i + 1 < r->count)
            text++;
    }
    if (*text)
        return mpg_error_set(err, "more than %d columns", r->count);
    results->samples++;
    return 0;
}

static int read_end(struct reader *r, struct mpg_error *err)
{
    int64_t count;
    if (mpg_units_parse_int(r->line + strlen("# end "), &count, NULL) < 0 || count < 0 ||
        (uint64_t)count != r->results->samples)
        return mpg_error_set(err, "'%.40s' after %zu samples", r->line, r->results->samples);
    r->ended = true;
    return 0;
}

static int read_line(struct reader *r, struct mpg_error *err)
{
    bool is_end = strncmp(r->line, "# end ", strlen("# end ")) == 0;
    if (r->ended)
        return mpg_error_set(err, "text after '# end'");
    if (!r->in_samples && !is_end && strncmp(r->line, "# ", 2) == 0)
        return read_header_line(r, err);
    if (!r->in_samples && end_header(r, err) < 0)
        return -1;
    return is_end ? read_end(r, err) : read_sample(r, err);
}

static int read_all(struct reader *r, struct mpg_error *err)
{
    int status;
    if (check_magic(r, err) < 0)
        return -1;
    while ((status = next_line(r, err)) > 0)
        if (read_line(r, err) < 0)
            return mpg_error_prefix(err, "line %zu", r->number);
    if (status == 0 && !r->ended)
        return mpg_error_set(err, "line %zu: cut off (no '# end' at the end); measure it again",
                             r->number);
    return status;
}

/* Opens PATH; NULL with ERR unless it is a regular file, since opening a pipe would block. */
static FILE *open_regular(const char *path, struct mpg_error *err)
{
    struct stat st;
    FILE *stream = NULL;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        mpg_error_set(err, "%s: not a regular file", path);
    else if (!(stream = fopen(path, "r")))
        mpg_error_errno(err, errno, "%s", path);
    return stream;
}

struct mpg_results *mpg_results_read(const char *path, struct mpg_error *err)
{
    struct reader r = {.stream = open_regular(path, err)};
    if (!r.stream)
        return NULL;
    r.results = calloc(1, sizeof *r.results);
    if (!r.results || !(r.results->path = strdup(path))) {
        mpg_error_set(err, "%s: out of memory", path);
        goto fail;
    }
    r.results->crc32 = (uint32_t)crc32(0, NULL, 0);
    if (read_all(&r, err) < 0) {
        mpg_error_prefix(err, "%s", path);
        goto fail;
    }
    fclose(r.stream);
    return r.results;
fail:
    mpg_results_free(r.results);
    fclose(r.stream);
    return NULL;
}
