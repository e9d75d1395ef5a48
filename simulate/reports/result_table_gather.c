/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sends rows between processes as bytes: struct numbers as in memory, then strings, each with its NUL. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/text_stream.h"
#include "simulate/reports/result_table.h"

/* Number of lists of notes in a row. Rows are sent in units of UNIT_BYTES, because MPI counts with an int, too small for
 * bytes. */
enum { LISTS = 4, UNIT_BYTES = 1 << 16 };

/* The numbers sent for a row. */
struct numbers {
    struct mpg_summary run;
    struct mpg_run_account account;
    double traced_ns, recorded_ns, any_speed_90[2];
    uint64_t synchronous;
    uint32_t replicas, lines[LISTS], has_options;
};

static void list_lines(struct mpg_result_row *row, struct mpg_notes *list[LISTS])
{
    list[0] = &row->head;
    list[1] = &row->answer.warnings;
    list[2] = &row->answer.assumed;
    list[3] = &row->answer.reliability;
}

/* --- conversion to bytes --- */

static void write_word(const char *word, FILE *out)
{
    fwrite(word, 1, strlen(word) + 1, out);
}

static void write_row(struct mpg_result_row *row, FILE *out)
{
    struct mpg_notes *list[LISTS];
    struct numbers numbers;
    memset(&numbers, 0, sizeof numbers);
    numbers.run = row->answer.run;
    numbers.account = row->answer.account;
    numbers.traced_ns = row->traced_ns;
    numbers.recorded_ns = row->recorded_ns;
    memcpy(numbers.any_speed_90, row->answer.any_speed_90, sizeof numbers.any_speed_90);
    numbers.synchronous = row->synchronous;
    numbers.replicas = row->answer.replicas;
    numbers.has_options = row->options != NULL;
    list_lines(row, list);
    for (int i = 0; i < LISTS; i++)
        numbers.lines[i] = (uint32_t)list[i]->n;
    fwrite(&numbers, sizeof numbers, 1, out);
    fwrite(row->answer.run_ns, sizeof *row->answer.run_ns, row->answer.replicas, out);
    for (int i = 0; i < LISTS; i++)
        for (size_t k = 0; k < list[i]->n; k++) {
            write_word(list[i]->line[k].topic, out);
            write_word(list[i]->line[k].text, out);
        }
    if (row->options)
        write_word(row->options, out);
}

/* Writes the rows of group PART to a new array *BYTES of *UNITS units, which the caller frees. */
static int pack(const struct mpg_result_table *rows, int part, char **bytes, size_t *units, struct mpg_error *err)
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

/* --- conversion from bytes --- */

/* Returns the string at *AT, and moves *AT to the byte after the string. */
static const char *next_word(const char **at)
{
    const char *word = *at;
    *at += strlen(word) + 1;
    return word;
}

/* Reads ROW at *AT, and moves *AT to the byte after the row. Topics of notes point into the bytes. */
static int read_row(struct mpg_result_row *row, const char **at, struct mpg_error *err)
{
    struct mpg_notes *list[LISTS];
    struct numbers n;
    memcpy(&n, *at, sizeof n);
    const size_t runs_bytes = n.replicas * sizeof *row->answer.run_ns;
    row->answer.run = n.run;
    row->answer.account = n.account;
    row->traced_ns = n.traced_ns;
    row->recorded_ns = n.recorded_ns;
    memcpy(row->answer.any_speed_90, n.any_speed_90, sizeof n.any_speed_90);
    row->synchronous = n.synchronous;
    row->answer.replicas = n.replicas;
    if (!(row->answer.run_ns = malloc(runs_bytes)))
        return mpg_error_set(err, "out of memory");
    memcpy(row->answer.run_ns, *at + sizeof n, runs_bytes);
    *at += sizeof n + runs_bytes;
    list_lines(row, list);
    for (int i = 0; i < LISTS; i++)
        for (uint32_t k = 0; k < n.lines[i]; k++) {
            const char *topic = next_word(at);
            mpg_notes_add(list[i], topic, "%s", next_word(at));
        }
    if (n.has_options && !(row->options = strdup(next_word(at))))
        return mpg_error_set(err, "out of memory");
    int status = 0;
    for (int i = 0; i < LISTS; i++)
        status |= mpg_notes_end(list[i], err);
    return status;
}

/* --- between processes --- */

uint64_t mpg_result_table_digest(const struct mpg_result_table *rows)
{
    for (size_t i = 0; i < rows->n; i++)
        if (rows->row[i].answer.run_ns)
            return mpg_processes_digest(0, &rows->row[i].recorded_ns, sizeof rows->row[i].recorded_ns);
    return 0;
}

/* Receives the rows of group PART from process FROM into BYTES, which must be large enough. */
static int receive(struct mpg_result_table *rows, int part, int from, char *bytes, const struct mpg_messenger *m,
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

int mpg_result_table_gather(struct mpg_result_table *rows, int part, int parts, struct mpg_processes *p,
                     struct mpg_error *err)
{
    char *bytes = NULL;
    size_t units = 0;
    if (parts == 1)
        return 0;
    const bool sends = part > 0 && p->rank == mpg_processes_first_of(p, part, parts);
    int status = sends ? pack(rows, part, &bytes, &units, err) : 0;
    const size_t max = (size_t)-p->messenger->min(-(int)units) * UNIT_BYTES;
    if (status == 0 && p->rank == 0 && !(rows->received = malloc((size_t)parts * max + 1)))
        status = mpg_error_set(err, "out of memory for rows of a table");
    status = mpg_processes_agree(p, status, 0, err);
    if (status == 0 && sends) {
        const uint64_t sent_units = units;
        p->messenger->send(&sent_units, 1, sizeof sent_units);
        p->messenger->send(bytes, units, UNIT_BYTES);
    }
    const bool gathers = status == 0 && p->rank == 0;
    for (int i = 1; i < parts && gathers; i++) { /* receives even after an error, because the senders wait */
        struct mpg_error other;
        char *room = rows->received + (size_t)(i - 1) * max;
        if (receive(rows, i, mpg_processes_first_of(p, i, parts), room, p->messenger, &other) == 0)
            continue;
        status = -1;
        *err = other;
    }
    free(bytes);
    return status;
}
