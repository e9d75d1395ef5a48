/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages in words, as CSV and as JSON. */
#include "analyse/messages/report.h"

#include <inttypes.h>
#include <math.h>

#include "common/table/escape.h"
#include "common/printable.h"
#include "common/units.h"

enum { SHOWN_PAIRS = 20, BAR = 40 };

static const char *bytes_text(char *text, size_t size, double bytes)
{
    return mpg_units_format_size(text, size, (int64_t)bytes);
}

static void put_head(const struct mpg_messages_report *r, FILE *out)
{
    const struct mpg_messages *m = r->messages;
    char bytes[32];
    fputs("trace       ", out);
    mpg_printable_put(out, mpg_trace_path(r->trace));
    fprintf(out, "\nranks       %" PRId32 "\nmessages    %" PRIu64 ", %s, between %" PRIu32 " of %.0f pairs%s\n", m->ranks,
            m->all.messages, bytes_text(bytes, sizeof bytes, m->all.bytes), m->pairs,
            (double)m->ranks * m->ranks, r->with_collectives ? ", those of collectives among them" : "");
    if (m->transfers > 0)
        fprintf(out, "attention   %" PRIu64 " one-sided transfers are no messages, and in none of these tables\n",
                m->transfers);
}

static void put_collectives(const struct mpg_messages_report *r, FILE *out)
{
    const struct mpg_messages *m = r->messages;
    bool any = false;
    for (int i = 0; i < MPG_COLLECTIVES; i++) {
        char bytes[32];
        if (m->collective[i].number == 0)
            continue;
        if (!any)
            fprintf(out, "\n%-24s %12s %12s %12s\n", r->with_collectives ? "collectives (above)" : "collectives (apart)",
                    "number", "messages", "bytes");
        any = true;
        fprintf(out, "%-24s %12" PRIu64 " %12" PRIu64 " %12s\n", mpg_collective_name((enum mpg_collective)i),
                m->collective[i].number, m->collective[i].sum.messages,
                bytes_text(bytes, sizeof bytes, m->collective[i].sum.bytes));
    }
}

/* ---- who sends to whom ---- */

static const struct mpg_message_sum *find_pair(const struct mpg_messages *m, uint32_t *next, int32_t from, int32_t to)
{
    if (*next >= m->pairs || m->pair[*next].from != from || m->pair[*next].to != to)
        return NULL;
    return &m->pair[(*next)++].sum;
}

static void put_table(const struct mpg_messages *m, bool of_bytes, FILE *out)
{
    uint32_t next = 0;
    fprintf(out, "\n%-9s", of_bytes ? "bytes to" : "number to");
    for (int32_t to = 0; to < m->ranks; to++)
        fprintf(out, " %10" PRId32, to);
    for (int32_t from = 0; from < m->ranks; from++) {
        fprintf(out, "\nfrom %-4" PRId32, from);
        for (int32_t to = 0; to < m->ranks; to++) {
            const struct mpg_message_sum *sum = find_pair(m, &next, from, to);
            char text[32] = "-";
            if (sum && of_bytes)
                bytes_text(text, sizeof text, sum->bytes);
            else if (sum)
                snprintf(text, sizeof text, "%" PRIu64, sum->messages);
            fprintf(out, " %10s", text);
        }
    }
    putc('\n', out);
}

static size_t shown(const struct mpg_messages_report *r, size_t otherwise)
{
    const size_t top = r->top > 0 ? r->top : otherwise;
    return top < r->messages->pairs ? top : r->messages->pairs;
}

static void put_pairs(const struct mpg_messages_report *r, FILE *out)
{
    const struct mpg_message_pair *pair = r->messages->pair;
    const size_t n = shown(r, SHOWN_PAIRS);
    fprintf(out, "\n%8s %8s %12s %12s %12s\n", "from", "to", "messages", "bytes", "of all");
    for (size_t i = 0; i < n; i++) {
        char bytes[32];
        const double share = r->messages->all.bytes > 0 ? pair[i].sum.bytes / r->messages->all.bytes : 0;
        fprintf(out, "%8" PRId32 " %8" PRId32 " %12" PRIu64 " %12s %10.2f %%\n", pair[i].from, pair[i].to,
                pair[i].sum.messages, bytes_text(bytes, sizeof bytes, pair[i].sum.bytes), 100 * share);
    }
    if (n < r->messages->pairs)
        fprintf(out, "... and %zu more\n", r->messages->pairs - n);
}

void mpg_matrix_print_text(const struct mpg_messages_report *r, FILE *out)
{
    put_head(r, out);
    if (!r->largest_first && r->messages->pairs > 0) {
        put_table(r->messages, true, out);
        put_table(r->messages, false, out);
    } else if (r->messages->pairs > 0) {
        put_pairs(r, out);
    }
    put_collectives(r, out);
}

void mpg_matrix_print_csv(const struct mpg_messages_report *r, FILE *out)
{
    const struct mpg_message_pair *pair = r->messages->pair;
    const size_t n = shown(r, r->messages->pairs);
    fputs("from,to,messages,bytes\n", out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%" PRId32 ",%" PRId32 ",%" PRIu64 ",%.15g\n", pair[i].from, pair[i].to, pair[i].sum.messages,
                pair[i].sum.bytes);
}

/* ---- JSON ---- */

static void put_sum(const struct mpg_message_sum *sum, FILE *out)
{
    fprintf(out, "\"messages\": %" PRIu64 ", \"bytes\": ", sum->messages);
    mpg_json_write_number(out, sum->bytes);
}

static void put_json_head(const struct mpg_messages_report *r, FILE *out)
{
    fputs("{\n \"trace\": ", out);
    mpg_json_write_string(out, mpg_trace_path(r->trace));
    fprintf(out, ",\n \"ranks\": %" PRId32 ",\n \"with_collectives\": %s,\n \"one_sided_transfers\": %" PRIu64 ",\n ",
            r->messages->ranks, r->with_collectives ? "true" : "false", r->messages->transfers);
    put_sum(&r->messages->all, out);
}

void mpg_matrix_print_json(const struct mpg_messages_report *r, FILE *out)
{
    const struct mpg_messages *m = r->messages;
    const char *separator = "";
    put_json_head(r, out);
    fputs(",\n \"pairs\": [", out);
    for (uint32_t i = 0; i < m->pairs; i++) {
        fprintf(out, "%s\n  {\"from\": %" PRId32 ", \"to\": %" PRId32 ", ", i > 0 ? "," : "", m->pair[i].from, m->pair[i].to);
        put_sum(&m->pair[i].sum, out);
        putc('}', out);
    }
    fputs("\n ],\n \"collectives\": [", out);
    for (int i = 0; i < MPG_COLLECTIVES; i++) {
        if (m->collective[i].number == 0)
            continue;
        fprintf(out, "%s\n  {\"collective\": \"%s\", \"number\": %" PRIu64 ", ", separator,
                mpg_collective_name((enum mpg_collective)i), m->collective[i].number);
        put_sum(&m->collective[i].sum, out);
        putc('}', out);
        separator = ",";
    }
    fputs("\n ]\n}\n", out);
}

/* ---- sizes ---- */

static double least_of(int k)
{
    return k > 0 ? ldexp(1, k - 1) : 0;
}

/* A class before the first message's or after the last's. */
static bool is_outside(const struct mpg_messages *m, int k)
{
    bool before = true, after = true;
    for (int i = 0; i < MPG_MESSAGE_CLASSES; i++) {
        before = before && !(i <= k && m->size[i].messages > 0);
        after = after && !(i >= k && m->size[i].messages > 0);
    }
    return before || after;
}

void mpg_sizes_print_text(const struct mpg_messages_report *r, FILE *out)
{
    const struct mpg_messages *m = r->messages;
    uint64_t most = 1;
    put_head(r, out);
    for (int k = 0; k < MPG_MESSAGE_CLASSES; k++)
        most = m->size[k].messages > most ? m->size[k].messages : most;
    if (m->all.messages > 0)
        fprintf(out, "\n%12s %12s %8s %12s %8s\n", "size from", "messages", "of all", "bytes", "of all");
    for (int k = 0; k < MPG_MESSAGE_CLASSES; k++) {
        const struct mpg_message_sum *s = &m->size[k];
        char least[32], bytes[32];
        if (is_outside(m, k))
            continue;
        fprintf(out, "%12s %12" PRIu64 " %6.2f %% %12s %6.2f %%", bytes_text(least, sizeof least, least_of(k)), s->messages,
                100 * (double)s->messages / (double)m->all.messages, bytes_text(bytes, sizeof bytes, s->bytes),
                m->all.bytes > 0 ? 100 * s->bytes / m->all.bytes : 0);
        if (s->messages > 0)
            putc(' ', out);
        for (int bar = (int)ceil(BAR * (double)s->messages / (double)most); bar > 0; bar--)
            putc('#', out);
        putc('\n', out);
    }
    put_collectives(r, out);
}

void mpg_sizes_print_csv(const struct mpg_messages_report *r, FILE *out)
{
    fputs("least_bytes,most_bytes,messages,bytes\n", out);
    for (int k = 0; k < MPG_MESSAGE_CLASSES; k++)
        if (!is_outside(r->messages, k))
            fprintf(out, "%.0f,%.0f,%" PRIu64 ",%.15g\n", least_of(k), k > 0 ? 2 * least_of(k) - 1 : 0,
                    r->messages->size[k].messages, r->messages->size[k].bytes);
}

void mpg_sizes_print_json(const struct mpg_messages_report *r, FILE *out)
{
    const char *separator = "";
    put_json_head(r, out);
    fputs(",\n \"sizes\": [", out);
    for (int k = 0; k < MPG_MESSAGE_CLASSES; k++) {
        if (is_outside(r->messages, k))
            continue;
        fprintf(out, "%s\n  {\"least_bytes\": %.0f, \"most_bytes\": %.0f, ", separator, least_of(k),
                k > 0 ? 2 * least_of(k) - 1 : 0);
        put_sum(&r->messages->size[k], out);
        putc('}', out);
        separator = ",";
    }
    fputs("\n ]\n}\n", out);
}
