/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages in words, as CSV and as JSON. */
#include "analyse/messages/report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/printable.h"
#include "common/table/table.h"
#include "common/units.h"

enum { SHOWN_PAIRS = 20, BAR = 40 };

static void put_head(const struct mpg_messages_report *r, FILE *out)
{
    const struct mpg_messages *m = r->messages;
    char bytes[32];
    fputs("trace       ", out);
    mpg_printable_put(out, mpg_trace_path(r->trace));
    fprintf(out, "\nranks       %" PRId32 "\nmessages    %" PRIu64 ", %s, between %" PRIu32 " of %.0f pairs of ranks%s\n",
            m->ranks, m->all.messages, mpg_table_format_size(bytes, sizeof bytes, m->all.bytes), m->pairs,
            (double)m->ranks * m->ranks, r->with_collectives ? ", with the messages of collectives" : "");
    if (m->transfers > 0)
        fprintf(out, "attention   %" PRIu64 " one-sided transfers are not messages: these tables leave them out\n",
                m->transfers);
}

static void put_sum(struct mpg_table *t, const struct mpg_message_sum *sum)
{
    mpg_table_count(t, sum->messages);
    mpg_table_number(t, sum->bytes);
}

/* ---- collectives ---- */

/* Prints the table of collectives, if the trace has collectives; if J is not NULL, writes it as JSON. */
static int put_collectives(const struct mpg_messages_report *r, FILE *out, struct mpg_json *j, struct mpg_error *err)
{
    const struct mpg_table_column columns[] = {
        {.key = "collective", .heading = r->with_collectives ? "collectives (in above)" : "collectives (not above)", .width = 24,
         .left = true},
        {.key = "number", .heading = "number", .width = 12},
        {.key = "messages", .heading = "messages", .width = 12},
        {.key = "bytes", .heading = "bytes", .formatter = mpg_table_format_size, .width = 12}};
    const struct mpg_messages *m = r->messages;
    struct mpg_table t = {MPG_TABLE_COLUMNS(columns), .gap = 1};
    bool any = false;
    for (int i = 0; i < MPG_COLLECTIVES; i++) {
        if (m->collective[i].number == 0)
            continue;
        if (!any && j)
            mpg_table_begin_json(&t, j);
        else if (!any) {
            putc('\n', out);
            mpg_table_begin(&t, MPG_TABLE_TEXT, out);
        }
        any = true;
        mpg_table_text(&t, mpg_collective_name((enum mpg_collective)i));
        mpg_table_count(&t, m->collective[i].number);
        put_sum(&t, &m->collective[i].sum);
    }
    return mpg_table_end(&t, err);
}

/* ---- the matrix ---- */

static const struct mpg_message_sum *find_pair(const struct mpg_messages *m, uint32_t *next, int32_t from, int32_t to)
{
    if (*next >= m->pairs || m->pair[*next].from != from || m->pair[*next].to != to)
        return NULL;
    return &m->pair[(*next)++].sum;
}

/* Prints the matrix as text, with at most MPG_MATRIX_RANKS senders (rows) and receivers (columns). OF_BYTES: bytes;
 * otherwise numbers of messages. */
static int print_matrix(const struct mpg_messages *m, bool of_bytes, FILE *out, struct mpg_error *err)
{
    struct mpg_table_column columns[1 + MPG_MATRIX_RANKS] = {{.heading = of_bytes ? "bytes to" : "messages to", .width = 11,
                                                              .left = true}};
    char to_rank[MPG_MATRIX_RANKS][16];
    struct mpg_table t = {.column = columns, .columns = 1 + (size_t)m->ranks, .gap = 1, .missing = "-"};
    uint32_t next = 0;
    for (int32_t to = 0; to < m->ranks; to++) {
        snprintf(to_rank[to], sizeof to_rank[to], "%" PRId32, to);
        columns[1 + to] = (struct mpg_table_column){.heading = to_rank[to], .formatter = of_bytes ? mpg_table_format_size : NULL,
                                                    .width = 10};
    }
    putc('\n', out);
    mpg_table_begin(&t, MPG_TABLE_TEXT, out);
    for (int32_t from = 0; from < m->ranks; from++) {
        mpg_table_printf(&t, "from %" PRId32, from);
        for (int32_t to = 0; to < m->ranks; to++) {
            const struct mpg_message_sum *sum = find_pair(m, &next, from, to);
            if (!sum)
                mpg_table_missing(&t);
            else if (of_bytes)
                mpg_table_number(&t, sum->bytes);
            else
                mpg_table_count(&t, sum->messages);
        }
    }
    return mpg_table_end(&t, err);
}

/* Prints the first N pairs of ranks; if J is not NULL, writes them as JSON. */
static int put_pairs(const struct mpg_messages_report *r, size_t n, enum mpg_table_format format, FILE *out, struct mpg_json *j,
                     struct mpg_error *err)
{
    static const struct mpg_table_column columns[] = {
        {.key = "from", .heading = "from", .width = 8},
        {.key = "to", .heading = "to", .width = 8},
        {.key = "messages", .heading = "messages", .width = 12},
        {.key = "bytes", .heading = "bytes", .formatter = mpg_table_format_size, .digits = 15, .width = 12},
        {.heading = "of all", .formatter = mpg_table_format_percent, .width = 12}};
    struct mpg_table t = {MPG_TABLE_COLUMNS(columns), .gap = 1};
    const double all_bytes = r->messages->all.bytes;
    if (j)
        mpg_table_begin_json(&t, j);
    else
        mpg_table_begin(&t, format, out);
    for (size_t i = 0; i < n; i++) {
        const struct mpg_message_pair *pair = &r->messages->pair[i];
        mpg_table_integer(&t, pair->from);
        mpg_table_integer(&t, pair->to);
        put_sum(&t, &pair->sum);
        mpg_table_number(&t, all_bytes > 0 ? pair->sum.bytes / all_bytes : 0);
    }
    return mpg_table_end(&t, err);
}

static size_t shown(const struct mpg_messages_report *r, size_t otherwise)
{
    const size_t top = r->top > 0 ? r->top : otherwise;
    return top < r->messages->pairs ? top : r->messages->pairs;
}

static int print_list(const struct mpg_messages_report *r, FILE *out, struct mpg_error *err)
{
    const size_t n = shown(r, SHOWN_PAIRS);
    putc('\n', out);
    const int status = put_pairs(r, n, MPG_TABLE_TEXT, out, NULL, err);
    if (n < r->messages->pairs)
        fprintf(out, "... and %zu more\n", r->messages->pairs - n);
    return status;
}

/* Begins a JSON document with the members common to both commands. */
static void begin_json(struct mpg_json *j, const struct mpg_messages_report *r)
{
    mpg_json_object(j, NULL);
    mpg_json_string(j, "trace", mpg_trace_path(r->trace));
    mpg_json_integer(j, "ranks", r->messages->ranks);
    mpg_json_bool(j, "with_collectives", r->with_collectives);
    mpg_json_count(j, "one_sided_transfers", r->messages->transfers);
    mpg_json_count(j, "messages", r->messages->all.messages);
    mpg_json_same_line(j);
    mpg_json_number(j, "bytes", r->messages->all.bytes);
}

static int matrix_json(const struct mpg_messages_report *r, FILE *out, struct mpg_error *err)
{
    struct mpg_json j = mpg_json_to(out, MPG_JSON_ROWS);
    begin_json(&j, r);
    mpg_json_array(&j, "pairs");
    int status = put_pairs(r, r->messages->pairs, MPG_TABLE_JSON, out, &j, err);
    mpg_json_close(&j);
    mpg_json_array(&j, "collectives");
    if (status == 0)
        status = put_collectives(r, out, &j, err);
    mpg_json_close(&j);
    mpg_json_close(&j);
    putc('\n', out);
    return status;
}

static int matrix_text(const struct mpg_messages_report *r, FILE *out, struct mpg_error *err)
{
    int status = 0;
    put_head(r, out);
    if (!r->largest_first && r->messages->pairs > 0) {
        status = print_matrix(r->messages, true, out, err);
        if (status == 0)
            status = print_matrix(r->messages, false, out, err);
    } else if (r->messages->pairs > 0)
        status = print_list(r, out, err);
    return status < 0 ? -1 : put_collectives(r, out, NULL, err);
}

int mpg_matrix_print(const struct mpg_messages_report *r, enum mpg_table_format format, FILE *out, struct mpg_error *err)
{
    return format == MPG_TABLE_JSON  ? matrix_json(r, out, err)
           : format == MPG_TABLE_CSV ? put_pairs(r, shown(r, r->messages->pairs), format, out, NULL, err)
                                     : matrix_text(r, out, err);
}

/* ---- sizes ---- */

/* Returns whether size class K is below the class of the smallest message or above the class of the largest message. */
static bool is_outside(const struct mpg_messages *m, int k)
{
    bool before = true, after = true;
    for (int i = 0; i < MPG_MESSAGE_CLASSES; i++) {
        before = before && !(i <= k && m->size[i].messages > 0);
        after = after && !(i >= k && m->size[i].messages > 0);
    }
    return before || after;
}

static void put_class(struct mpg_table *t, const struct mpg_messages *m, int k, uint64_t max)
{
    const struct mpg_message_sum *s = &m->size[k];
    const uint64_t min = k > 0 ? UINT64_C(1) << (k - 1) : 0;
    char bar[BAR + 1] = "";
    memset(bar, '#', (size_t)ceil(BAR * (double)s->messages / (double)max));
    mpg_table_count(t, min);
    mpg_table_count(t, k > 0 ? min + (min - 1) : 0);
    mpg_table_count(t, s->messages);
    mpg_table_number(t, 100 * (double)s->messages / (double)m->all.messages);
    mpg_table_number(t, s->bytes);
    mpg_table_number(t, m->all.bytes > 0 ? 100 * s->bytes / m->all.bytes : 0);
    mpg_table_text(t, bar);
}

/* Prints the table of size classes; if J is not NULL, writes it as JSON. */
static int put_classes(const struct mpg_messages_report *r, enum mpg_table_format format, FILE *out, struct mpg_json *j,
                       struct mpg_error *err)
{
    static const struct mpg_table_column columns[] = {
        {.key = "least_bytes", .heading = "size from", .formatter = mpg_table_format_size, .width = 12},
        {.key = "most_bytes"},
        {.key = "messages", .heading = "messages", .width = 12},
        {.heading = "of all", .format = "%.2f %%", .width = 8},
        {.key = "bytes", .heading = "bytes", .formatter = mpg_table_format_size, .digits = 15, .width = 12},
        {.heading = "of all", .format = "%.2f %%", .width = 8},
        {.heading = "", .left = true}};
    const struct mpg_messages *m = r->messages;
    struct mpg_table t = {MPG_TABLE_COLUMNS(columns), .gap = 1, .trims = true};
    uint64_t max = 1;
    for (int k = 0; k < MPG_MESSAGE_CLASSES; k++)
        max = m->size[k].messages > max ? m->size[k].messages : max;
    if (j)
        mpg_table_begin_json(&t, j);
    else
        mpg_table_begin(&t, format, out);
    for (int k = 0; k < MPG_MESSAGE_CLASSES; k++)
        if (!is_outside(m, k))
            put_class(&t, m, k, max);
    return mpg_table_end(&t, err);
}

static int sizes_json(const struct mpg_messages_report *r, FILE *out, struct mpg_error *err)
{
    struct mpg_json j = mpg_json_to(out, MPG_JSON_ROWS);
    begin_json(&j, r);
    mpg_json_array(&j, "sizes");
    const int status = put_classes(r, MPG_TABLE_JSON, out, &j, err);
    mpg_json_close(&j);
    mpg_json_close(&j);
    putc('\n', out);
    return status;
}

static int sizes_text(const struct mpg_messages_report *r, FILE *out, struct mpg_error *err)
{
    put_head(r, out);
    if (r->messages->all.messages > 0) {
        putc('\n', out);
        if (put_classes(r, MPG_TABLE_TEXT, out, NULL, err) < 0)
            return -1;
    }
    return put_collectives(r, out, NULL, err);
}

int mpg_sizes_print(const struct mpg_messages_report *r, enum mpg_table_format format, FILE *out, struct mpg_error *err)
{
    return format == MPG_TABLE_JSON  ? sizes_json(r, out, err)
           : format == MPG_TABLE_CSV ? put_classes(r, format, out, NULL, err)
                                     : sizes_text(r, out, err);
}
