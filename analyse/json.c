/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wait states for programs: JSON and CSV. */
#include <inttypes.h>
#include <string.h>

#include "analyse/report.h"
#include "common/table/escape.h"

static const char *const worlds[MPG_WAITS_WORLDS] = {"traced", "predicted"};

/* The members of SUM's object. */
static void put_sum(const struct mpg_wait_sum *s, FILE *out)
{
    const double wait_ns = mpg_wait_all(s);
    fprintf(out, "{\"calls\": %" PRIu64 ", \"waited\": %" PRIu64 ", \"time_ns\": ", s->calls, s->waited);
    mpg_json_write_number(out, s->time_ns);
    fputs(", \"wait_ns\": ", out);
    mpg_json_write_number(out, wait_ns);
    fputs(", \"off_cpu_ns\": ", out);
    mpg_json_write_number(out, s->off_cpu_ns);
    fputs(", \"transfer_ns\": ", out);
    mpg_json_write_number(out, s->time_ns - wait_ns - s->off_cpu_ns);
    for (int k = 0; k < MPG_WAIT_KINDS; k++) {
        fprintf(out, ", \"%s\": ", mpg_wait_key((enum mpg_wait)k));
        mpg_json_write_number(out, s->wait_ns[k]);
    }
    putc('}', out);
}

static void put_world(const struct mpg_waits_report *r, size_t w, FILE *out)
{
    const struct mpg_wait_sum all = mpg_waits_of_all(r->world[w]);
    fprintf(out, " \"%s\": {\n  \"total_ns\": ", worlds[w]);
    mpg_json_write_number(out, mpg_waits_total(r->world[w], mpg_trace_ranks(r->trace)));
    fputs(",\n  \"mpi\": ", out);
    put_sum(&all, out);
    for (int m = 0; m < MPG_MATTERS; m++) {
        const struct mpg_wait_sum sum = mpg_waits_of_matter(r->world[w], (enum mpg_matter)m);
        fprintf(out, ",\n  \"%s\": ", mpg_matter_key((enum mpg_matter)m));
        put_sum(&sum, out);
    }
    fputs("\n },\n", out);
}

/* The lines of PLACES, a string each. */
static void put_places(const char *places, FILE *out)
{
    putc('[', out);
    for (const char *p = places, *end; p; p = end ? end + 1 : NULL) {
        char line[4 * 4096 + 1];
        end = strchr(p, '\n');
        const size_t length = end ? (size_t)(end - p) : strlen(p);
        snprintf(line, sizeof line, "%.*s", (int)length, p);
        fputs(p > places ? ", " : "", out);
        mpg_json_write_string(out, line);
    }
    putc(']', out);
}

static void put_row(const struct mpg_waits_report *r, const struct mpg_waits_row *row, FILE *out)
{
    char name[128];
    snprintf(name, sizeof name, "%s%s", mpg_call_prefix(row->call), mpg_call_name(row->call));
    switch (r->table->by) {
    case MPG_WAITS_BY_RANK:
        fprintf(out, "  {\"rank\": %" PRId32, row->rank);
        break;
    case MPG_WAITS_BY_REGION:
        fputs("  {\"region\": ", out);
        if (row->name)
            mpg_json_write_string(out, row->name);
        else
            fputs("null", out);
        break;
    default:
        fputs("  {\"call\": ", out);
        mpg_json_write_string(out, name);
        break;
    }
    if (r->table->by == MPG_WAITS_BY_CALLSITE) {
        fputs(", \"callsite\": ", out);
        put_places(row->name, out);
    }
    for (size_t w = 0; w < r->worlds; w++) {
        fprintf(out, ", \"%s\": ", worlds[w]);
        put_sum(&row->sum[w], out);
    }
    putc('}', out);
}

static void put_head(const struct mpg_waits_report *r, FILE *out)
{
    static const char *const clocks[] = {[MPG_CLOCK_NONE] = "unknown",
                                         [MPG_CLOCK_SHARED] = "shared",
                                         [MPG_CLOCK_MEASURED] = "measured",
                                         [MPG_CLOCK_BOUNDED] = "bounded"};
    static const char *const from[] = {[MPG_WAITS_LIMIT_GIVEN] = "option",
                                       [MPG_WAITS_LIMIT_FOUND] = "trace"};
    fputs(" \"format\": \"mpgtrace-waits\",\n \"version\": 1,\n \"trace\": ", out);
    mpg_json_write_string(out, mpg_trace_path(r->trace));
    fprintf(out, ",\n \"ranks\": %" PRId32 ",\n \"clocks\": \"%s\",\n \"eager_limit_bytes\": ",
            mpg_trace_ranks(r->trace), clocks[r->clocks]);
    if (r->limit_bytes == INT64_MAX)
        fputs("null", out);
    else
        fprintf(out, "%" PRId64, r->limit_bytes);
    fprintf(out, ",\n \"eager_limit_from\": \"%s\",\n \"backward_messages\": %" PRIu64
                 ",\n \"backward_ns\": ", from[r->limit], r->counts->backward);
    mpg_json_write_number(out, r->counts->backward_ns);
    fprintf(out, ",\n \"threads\": %" PRIu64 ",\n \"unmatched\": %" PRIu64
                 ",\n \"truncated\": %" PRIu64 ",\n", r->counts->threads, r->counts->unmatched, r->counts->truncated);
}

void mpg_waits_print_json(const struct mpg_waits_report *r, bool whole, FILE *out)
{
    fputs("{\n", out);
    if (whole)
        put_head(r, out);
    for (size_t w = 0; w < r->worlds; w++)
        put_world(r, w, out);
    fprintf(out, " \"by\": \"%s\",\n \"rows\": [", mpg_waits_by_word(r->table->by));
    for (size_t i = 0; i < r->table->n; i++) {
        fputs(i > 0 ? ",\n" : "\n", out);
        put_row(r, &r->table->row[i], out);
    }
    fputs("\n ]\n}", out);
    if (whole)
        putc('\n', out);
}

/* ---- CSV ---- */

static void put_fields(const struct mpg_wait_sum *s, FILE *out)
{
    fprintf(out, ",%" PRIu64 ",%" PRIu64 ",", s->calls, s->waited);
    mpg_json_write_number(out, s->time_ns);
    putc(',', out);
    mpg_json_write_number(out, mpg_wait_all(s));
    for (int k = 0; k < MPG_WAIT_KINDS; k++) {
        putc(',', out);
        mpg_json_write_number(out, s->wait_ns[k]);
    }
    putc(',', out);
    mpg_json_write_number(out, s->off_cpu_ns);
}

static void put_columns(const struct mpg_waits_report *r, FILE *out)
{
    fputs(r->table->by == MPG_WAITS_BY_CALLSITE ? "call,callsite" : mpg_waits_by_word(r->table->by), out);
    for (size_t w = 0; w < r->worlds; w++) {
        const char *before = r->worlds == 1 ? "" : w == 0 ? "traced_" : "predicted_";
        fprintf(out, ",%scalls,%swaited,%stime_ns,%swait_ns", before, before, before, before);
        for (int k = 0; k < MPG_WAIT_KINDS; k++)
            fprintf(out, ",%s%s", before, mpg_wait_key((enum mpg_wait)k));
        fprintf(out, ",%soff_cpu_ns", before);
    }
    putc('\n', out);
}

/* Places, in one field. */
static void put_joined(const char *places, FILE *out)
{
    char text[4 * 4096 + 1];
    size_t used = 0;
    for (const char *p = places; *p && used + 4 < sizeof text; p++) {
        if (*p == '\n')
            used += (size_t)sprintf(text + used, " < ");
        else
            text[used++] = *p;
    }
    text[used] = '\0';
    mpg_csv_write_string(out, text);
}

void mpg_waits_print_csv(const struct mpg_waits_report *r, FILE *out)
{
    const size_t rows = r->top > 0 && r->top < r->table->n ? r->top : r->table->n;
    put_columns(r, out);
    for (size_t i = 0; i < rows; i++) {
        const struct mpg_waits_row *row = &r->table->row[i];
        switch (r->table->by) {
        case MPG_WAITS_BY_RANK:
            fprintf(out, "%" PRId32, row->rank);
            break;
        case MPG_WAITS_BY_REGION:
            mpg_csv_write_string(out, row->name ? row->name : "");
            break;
        default:
            fprintf(out, "%s%s", mpg_call_prefix(row->call), mpg_call_name(row->call));
            break;
        }
        if (r->table->by == MPG_WAITS_BY_CALLSITE) {
            putc(',', out);
            put_joined(row->name, out);
        }
        for (size_t w = 0; w < r->worlds; w++)
            put_fields(&row->sum[w], out);
        putc('\n', out);
    }
}
