/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses tables of algorithms, mpgcollectives(5), and looks up the algorithm of a collective. */
#include "graph/algorithms/table.h"

#include <stdlib.h>
#include <string.h>

#include "common/input.h"
#include "common/units.h"

/* The table shipped with mpgkit: the lines of openmpi.collectives. */
static const char *const built_in[] = {
#include "graph/algorithms/openmpi.inc"
};

enum { MAX_MIB = 1, WORDS = 6, RADIX_MAX = 1 << 16 };

struct row {
    enum mpg_collective operation;
    bool nonblocking; /* for the nonblocking variant of the operation */
    int64_t processes, bytes; /* smallest number of processes and smallest size, in bytes, to which the row applies */
    struct mpg_choice choice;
    uint32_t line;
};

struct mpg_collective_table {
    struct row *row; /* sorted by operation, processes, bytes */
    size_t n, capacity;
};

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

/* --- a line --- */

/* Parses WORD, an option of the row: `radix=N` or `segment=SIZE`, if the algorithm has this option, or `first=wait` if
 * NONBLOCKING. Returns 0, or -1 with ERR. */
static int parse_option(const char *word, bool nonblocking, struct mpg_choice *choice, struct mpg_error *err)
{
    int64_t value = 0;
    if (nonblocking && strcmp(word, "first=wait") == 0) {
        choice->waits = true;
        return 0;
    }
    if (strncmp(word, "radix=", 6) == 0 && mpg_algorithm_has(choice->algorithm, MPG_OPTION_RADIX)) {
        if (mpg_units_parse_int(word + 6, &value, err) < 0)
            return -1;
        if (value < 2 || value > RADIX_MAX)
            return mpg_error_set(err, "radix=%lld is not within 2 to %d", (long long)value,
                                 RADIX_MAX);
        choice->radix = (int)value;
        return 0;
    }
    if (strncmp(word, "segment=", 8) == 0 && mpg_algorithm_has(choice->algorithm, MPG_OPTION_SEGMENT)) {
        if (mpg_units_parse_size(word + 8, &value, err) < 0)
            return -1;
        if (value < 1)
            return mpg_error_set(err, "a segment has at least 1 byte");
        choice->segment_bytes = (double)value;
        return 0;
    }
    return mpg_error_set(err, "'%.40s' is no option of %s", word,
                         mpg_algorithm_name(choice->algorithm));
}

/* Parses the N >= 4 words of a line into ROW. Returns 0, or -1 with ERR. */
static int parse_row(char *const *word, size_t n, struct row *row, struct mpg_error *err)
{
    row->operation = mpg_collective_find(word[0]);
    row->nonblocking = row->operation == MPG_COLLECTIVES && word[0][0] == 'i';
    if (row->nonblocking)
        row->operation = mpg_collective_find(word[0] + 1);
    if (row->operation == MPG_COLLECTIVES)
        return mpg_error_set(err, "'%.40s' is no collective operation", word[0]);
    if (mpg_units_parse_int(word[1], &row->processes, err) < 0 ||
        mpg_units_parse_size(word[2], &row->bytes, err) < 0)
        return -1;
    if (row->processes < 1 || row->processes > INT32_MAX)
        return mpg_error_set(err, "the number of processes is not within 1 to %d", INT32_MAX);
    if (row->bytes < 0)
        return mpg_error_set(err, "bytes are 0 or more");
    row->choice = (struct mpg_choice){.algorithm = mpg_algorithm_find(word[3])};
    if (!row->choice.algorithm)
        return mpg_error_set(err, "'%.40s' is no algorithm", word[3]);
    if (!mpg_algorithm_serves(row->choice.algorithm, row->operation, row->nonblocking))
        return mpg_error_set(err, "%s is no algorithm for %s", word[3], word[0]);
    for (size_t i = 4; i < n; i++)
        if (parse_option(word[i], row->nonblocking, &row->choice, err) < 0)
            return -1;
    if (!mpg_algorithm_has(row->choice.algorithm, MPG_OPTION_RADIX))
        row->choice.radix = 2;
    else if (row->choice.radix == 0)
        return mpg_error_set(err, "%s needs radix=N", word[3]);
    return 0;
}

/* Adds the row in LINE, of LENGTH bytes and line number NUMBER, to T. Empty lines and comments have no row. */
static int add_line(struct mpg_collective_table *t, const char *line, size_t length, uint32_t number,
                    struct mpg_error *err)
{
    char *word[WORDS + 1], *rest, *copy = strndup(line, length);
    size_t n = 0;
    int status = -1;
    if (!copy)
        return out_of_memory(err);
    copy[strcspn(copy, "#")] = '\0';
    for (char *w = strtok_r(copy, " \t\r", &rest); w && n <= WORDS;
         w = strtok_r(NULL, " \t\r", &rest))
        word[n++] = w;
    if (n == 0) {
        status = 0;
        goto out;
    }
    if (n < 4 || n > WORDS) {
        mpg_error_set(err, "a row is OPERATION PROCESSES BYTES ALGORITHM [OPTION...]");
        goto out;
    }
    if (t->n == t->capacity) {
        size_t capacity = t->capacity ? 2 * t->capacity : 64;
        void *grown = realloc(t->row, capacity * sizeof *t->row);
        if (!grown) {
            out_of_memory(err);
            goto out;
        }
        t->row = grown;
        t->capacity = capacity;
    }
    t->row[t->n].line = number;
    if (parse_row(word, n, &t->row[t->n], err) < 0)
        goto out;
    t->n++;
    status = 0;
out:
    free(copy);
    return status;
}

/* --- whole tables --- */

static int compare(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->operation != y->operation)
        return x->operation < y->operation ? -1 : 1;
    if (x->nonblocking != y->nonblocking)
        return x->nonblocking ? 1 : -1;
    if (x->processes != y->processes)
        return x->processes < y->processes ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* Checks that the rows of each operation in T choose exactly one algorithm for any number of processes from 2 on and any
 * size. */
static int check(const struct mpg_collective_table *t, const char *name, struct mpg_error *err)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct row *r = &t->row[i], *last = i > 0 ? r - 1 : NULL;
        const char *operation = mpg_collective_name(r->operation), *prefix = r->nonblocking ? "i" : "";
        bool first = !last || last->operation != r->operation || last->nonblocking != r->nonblocking;
        bool first_of_processes = first || last->processes != r->processes;
        if (first && r->processes > 2)
            return mpg_error_set(err, "%s: line %u: %s%s has no row for 2 processes", name, r->line,
                                 prefix, operation);
        if (first_of_processes && r->bytes > 0)
            return mpg_error_set(err, "%s: line %u: %s%s from %lld processes on has no row for 0 "
                                 "bytes", name, r->line, prefix, operation, (long long)r->processes);
        if (!first_of_processes && last->bytes == r->bytes)
            return mpg_error_set(err, "%s: line %u: a second row for the processes and bytes of line %u",
                                 name, r->line, last->line);
    }
    return 0;
}

static bool has_operation(const struct mpg_collective_table *t, const struct row *row)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->row[i].operation == row->operation && t->row[i].nonblocking == row->nonblocking)
            return true;
    return false;
}

/* Adds to T the rows of BASE for operations that have no row in T. */
static int complete(struct mpg_collective_table *t, const struct mpg_collective_table *base, struct mpg_error *err)
{
    struct row *grown = realloc(t->row, (t->n + base->n) * sizeof *grown);
    size_t n = t->n;
    if (!grown)
        return out_of_memory(err);
    t->row = grown;
    t->capacity = t->n + base->n;
    for (size_t i = 0; i < base->n; i++)
        if (!has_operation(t, &base->row[i]))
            t->row[n++] = base->row[i];
    t->n = n;
    qsort(t->row, t->n, sizeof *t->row, compare);
    return 0;
}

struct mpg_collective_table *mpg_collective_table_default(struct mpg_error *err)
{
    struct mpg_collective_table *t = calloc(1, sizeof *t);
    if (!t) {
        out_of_memory(err);
        return NULL;
    }
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++)
        if (add_line(t, built_in[i], strlen(built_in[i]), (uint32_t)i + 1, err) < 0)
            goto fail;
    qsort(t->row, t->n, sizeof *t->row, compare);
    if (check(t, "built-in table", err) == 0)
        return t;
fail:
    mpg_collective_table_free(t);
    return NULL;
}

struct mpg_collective_table *mpg_collective_table_parse(const char *text, size_t length, const char *name,
                                  struct mpg_error *err)
{
    static const char magic[] = "#mpgcollectives 1";
    struct mpg_collective_table *base = NULL, *t = calloc(1, sizeof *t);
    uint32_t number = 0;
    if (!t) {
        out_of_memory(err);
        return NULL;
    }
    for (const char *line = text, *end = text + length, *next; line < end; line = next + 1) {
        next = memchr(line, '\n', (size_t)(end - line));
        next = next ? next : end;
        size_t n = (size_t)(next - line);
        if (memchr(line, '\0', n)) {
            mpg_error_set(err, "%s: line %u: not text", name, number + 1);
            goto fail;
        }
        if (number++ == 0) {
            n -= n > 0 && line[n - 1] == '\r';
            if (n == sizeof magic - 1 && memcmp(line, magic, n) == 0)
                continue;
            mpg_error_set(err, "%s: does not begin with %s", name, magic);
            goto fail;
        }
        if (add_line(t, line, n, number, err) < 0) {
            mpg_error_prefix(err, "%s: line %u", name, number);
            goto fail;
        }
    }
    if (number == 0) {
        mpg_error_set(err, "%s: does not begin with %s", name, magic);
        goto fail;
    }
    if (t->n > 0)
        qsort(t->row, t->n, sizeof *t->row, compare);
    base = check(t, name, err) < 0 ? NULL : mpg_collective_table_default(err);
    if (base && complete(t, base, err) == 0) {
        mpg_collective_table_free(base);
        return t;
    }
fail:
    mpg_collective_table_free(base);
    mpg_collective_table_free(t);
    return NULL;
}

struct mpg_collective_table *mpg_collective_table_read(const char *path, struct mpg_error *err)
{
    size_t n;
    char *text = mpg_input_read(strcmp(path, "-") == 0 ? stdin : mpg_input_open(path), path, MAX_MIB, &n, err);
    struct mpg_collective_table *t = text ? mpg_collective_table_parse(text, n, path, err) : NULL;
    free(text);
    return t;
}

static struct mpg_choice find(const struct mpg_collective_table *t, enum mpg_collective operation, bool nonblocking,
                              int32_t p, double bytes)
{
    const struct row *found = NULL;
    for (size_t i = 0; i < t->n; i++) {
        const struct row *r = &t->row[i];
        if (r->operation != operation || r->nonblocking != nonblocking || (found && r->processes > p))
            continue;
        if (!found || r->processes > found->processes || (double)r->bytes <= bytes)
            found = r;
    }
    return found->choice; /* complete() has given each operation rows */
}

struct mpg_choice mpg_collective_table_find(const struct mpg_collective_table *t, enum mpg_collective operation,
                                 int32_t p, double bytes)
{
    return find(t, operation, false, p, bytes);
}

struct mpg_choice mpg_collective_table_find_nonblocking(const struct mpg_collective_table *t, enum mpg_collective operation,
                                             int32_t p, double bytes)
{
    return find(t, operation, true, p, bytes);
}

uint64_t mpg_collective_table_sum(const struct mpg_collective_table *t)
{
    uint64_t sum = t->n;
    for (size_t i = 0; i < t->n; i++) {
        const struct row *row = &t->row[i];
        const uint64_t words[] = {row->operation, row->nonblocking, (uint64_t)row->processes, (uint64_t)row->bytes};
        sum = mpg_sum_choice(mpg_sum_words(sum, words, sizeof words / sizeof *words), &row->choice);
    }
    return sum;
}

void mpg_collective_table_free(struct mpg_collective_table *t)
{
    if (!t)
        return;
    free(t->row);
    free(t);
}
