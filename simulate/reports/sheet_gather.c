/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows that other processes have taken, as bytes: numbers as they are in memory, then words that each end
 * with a NUL. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/text_stream.h"
#include "simulate/reports/sheet.h"

/* Lists of lines that a row has; what is sent is a number of units, whose number an int holds. */
enum { LISTS = 3, UNIT_BYTES = 1 << 16 };

/* What comes first of a row. */
struct numbers {
    struct mpg_summary run;
    double traced_ns, recorded_ns;
    uint64_t synchronous;
    uint32_t replicas, lines[LISTS], has_options;
};

static void list_lines(struct mpg_row *row, struct mpg_attention *list[LISTS])
{
    list[0] = &row->head;
    list[1] = &row->attention;
    list[2] = &row->assumed;
}

/* --- as bytes --- */

static void write_word(const char *word, FILE *out)
{
    fwrite(word, 1, strlen(word) + 1, out);
}

static void write_row(struct mpg_row *row, FILE *out)
{
    struct mpg_attention *list[LISTS];
    struct numbers numbers;
    memset(&numbers, 0, sizeof numbers);
    numbers.run = row->run;
    numbers.traced_ns = row->traced_ns;
    numbers.recorded_ns = row->recorded_ns;
    numbers.synchronous = row->synchronous;
    numbers.replicas = row->replicas;
    numbers.has_options = row->options != NULL;
    list_lines(row, list);
    for (int i = 0; i < LISTS; i++)
        numbers.lines[i] = (uint32_t)list[i]->n;
    fwrite(&numbers, sizeof numbers, 1, out);
    fwrite(row->run_ns, sizeof *row->run_ns, row->replicas, out);
    for (int i = 0; i < LISTS; i++)
        for (size_t k = 0; k < list[i]->n; k++) {
            write_word(list[i]->line[k].topic, out);
            write_word(list[i]->line[k].text, out);
        }
    if (row->options)
        write_word(row->options, out);
}

/* Those of ROWS that are PART's in a new array of the caller's, of *UNITS; none if that is 0. */
static int pack(const struct mpg_sheet *rows, int part, char **bytes, size_t *units, struct mpg_error *err)
{
    static const char zeros[UNIT_BYTES];
    size_t size;
    FILE *out = open_memstream(bytes, &size);
    if (!out)
        return mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < rows->n; i++)
        if (rows->row[i].part == part && part > 0)
            write_row(&rows->row[i], out);
    *units = 0;
    if (fflush(out) == 0) {
        *units = (size + UNIT_BYTES - 1) / UNIT_BYTES;
        fwrite(zeros, 1, *units * UNIT_BYTES - size, out);
    }
    if (mpg_text_end(out, bytes) && *units <= INT_MAX)
        return 0;
    free(*bytes);
    *bytes = NULL;
    return mpg_error_set(err, "out of memory for rows of a table");
}

/* --- and back --- */

/* The next word from *AT on, which goes on behind it. */
static const char *next_word(const char **at)
{
    const char *word = *at;
    *at += strlen(word) + 1;
    return word;
}

/* ROW, of what begins at *AT, which goes on behind it; lines' topics stay there. */
static int read_row(struct mpg_row *row, const char **at, struct mpg_error *err)
{
    struct mpg_attention *list[LISTS];
    struct numbers n;
    memcpy(&n, *at, sizeof n);
    const size_t runs_bytes = n.replicas * sizeof *row->run_ns;
    row->run = n.run;
    row->traced_ns = n.traced_ns;
    row->recorded_ns = n.recorded_ns;
    row->synchronous = n.synchronous;
    row->replicas = n.replicas;
    if (!(row->run_ns = malloc(runs_bytes)))
        return mpg_error_set(err, "out of memory");
    memcpy(row->run_ns, *at + sizeof n, runs_bytes);
    *at += sizeof n + runs_bytes;
    list_lines(row, list);
    for (int i = 0; i < LISTS; i++)
        for (uint32_t k = 0; k < n.lines[i]; k++) {
            const char *topic = next_word(at);
            mpg_attention_add(list[i], topic, "%s", next_word(at));
        }
    if (n.has_options && !(row->options = strdup(next_word(at))))
        return mpg_error_set(err, "out of memory");
    return mpg_attention_end(list[0], err) | mpg_attention_end(list[1], err) | mpg_attention_end(list[2], err);
}

/* --- between processes --- */

uint64_t mpg_sheet_digest(const struct mpg_sheet *rows)
{
    for (size_t i = 0; i < rows->n; i++)
        if (rows->row[i].run_ns)
            return mpg_processes_digest(0, &rows->row[i].recorded_ns, sizeof rows->row[i].recorded_ns);
    return 0;
}

/* PART's rows, from its first process, by way of BYTES, which has room for them. */
static int receive(struct mpg_sheet *rows, int part, int from, char *bytes, const struct mpg_messenger *m,
                   struct mpg_error *err)
{
    const char *at = bytes;
    uint64_t units;
    int status = 0;
    m->receive(from, &units, 1, sizeof units, sizeof units);
    m->receive(from, bytes, units, UNIT_BYTES, UNIT_BYTES);
    for (size_t i = 0; i < rows->n && status == 0; i++)
        if (rows->row[i].part == part) {
            rows->row[i].place = i;
            status = read_row(&rows->row[i], &at, err);
        }
    return status;
}

int mpg_sheet_gather(struct mpg_sheet *rows, int part, int parts, struct mpg_processes *p,
                     struct mpg_error *err)
{
    char *bytes = NULL;
    size_t units = 0;
    if (parts == 1)
        return 0;
    const bool sends = part > 0 && p->rank == mpg_processes_first_of(p, part, parts);
    int status = sends ? pack(rows, part, &bytes, &units, err) : 0;
    const size_t most = (size_t)-p->messenger->least(-(int)units) * UNIT_BYTES;
    if (status == 0 && p->rank == 0 && !(rows->received = malloc((size_t)parts * most + 1)))
        status = mpg_error_set(err, "out of memory for rows of a table");
    status = mpg_processes_agree(p, status, 0, err);
    if (status == 0 && sends) {
        const uint64_t told = units;
        p->messenger->send(&told, 1, sizeof told);
        p->messenger->send(bytes, units, UNIT_BYTES);
    }
    const bool gathers = status == 0 && p->rank == 0;
    for (int i = 1; i < parts && gathers; i++) { /* all of them, or who sends would wait */
        struct mpg_error other;
        char *room = rows->received + (size_t)(i - 1) * most;
        if (receive(rows, i, mpg_processes_first_of(p, i, parts), room, p->messenger, &other) == 0)
            continue;
        status = -1;
        *err = other;
    }
    free(bytes);
    return status;
}
