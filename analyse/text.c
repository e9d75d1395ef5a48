/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wait states for people: what was read, the totals, the table. */
#include <inttypes.h>
#include <string.h>

#include "analyse/report.h"
#include "common/printable.h"
#include "common/units.h"

static const struct {
    const char *name, *key;
} words[MPG_MATTERS] = {
    [MPG_MATTER_POINT] = {"Point-to-point", "point_to_point"},
    [MPG_MATTER_COLLECTIVE] = {"Collective", "collective"},
    [MPG_MATTER_SYNCHRONIZATION] = {"Synchronization", "synchronization"},
    [MPG_MATTER_ONE_SIDED] = {"One-sided", "one_sided"},
    [MPG_MATTER_OTHER] = {"Other MPI", "other"},
};

const char *mpg_matter_name(enum mpg_matter matter)
{
    return words[matter].name;
}

const char *mpg_matter_key(enum mpg_matter matter)
{
    return words[matter].key;
}

struct mpg_wait_sum mpg_waits_of_all(const struct mpg_waits *waits)
{
    struct mpg_wait_sum all = {.calls = 0};
    for (int m = 0; m < MPG_MATTERS; m++) {
        const struct mpg_wait_sum one = mpg_waits_of_matter(waits, (enum mpg_matter)m);
        mpg_wait_add(&all, &one);
    }
    return all;
}

double mpg_waits_total(const struct mpg_waits *waits, int32_t ranks)
{
    double total_ns = 0;
    for (int32_t r = 0; r < ranks; r++)
        total_ns += mpg_waits_run(waits, r);
    return total_ns;
}

static double total_of(const struct mpg_waits_report *r, size_t world)
{
    return mpg_waits_total(r->world[world], mpg_trace_ranks(r->trace));
}

/* ---- what was read ---- */

static void print_limit(const struct mpg_waits_report *r, FILE *out)
{
    const bool found = r->limit == MPG_WAITS_LIMIT_FOUND;
    if (r->limit_bytes == INT64_MAX)
        fputs("eager limit unlimited", out);
    else if (r->limit_bytes < 0)
        fputs("eager limit none", out);
    else
        fprintf(out, "eager limit %" PRId64 " %s", r->limit_bytes,
                mpg_units_word((uint64_t)r->limit_bytes, "byte", "bytes"));
    fprintf(out, found ? " (as the trace shows: no %sstandard send left before its receive was posted)\n"
                       : "%s (--eager-limit)\n",
            !found || r->limit_bytes < 0 ? "" : "larger ");
}

static void print_head(const struct mpg_waits_report *r, FILE *out)
{
    static const char *const clocks[] = {[MPG_CLOCK_NONE] = "one rank's",
                                         [MPG_CLOCK_SHARED] = "shared by all ranks",
                                         [MPG_CLOCK_MEASURED] = "offsets measured",
                                         [MPG_CLOCK_BOUNDED] = "offsets bounded by the messages"};
    const struct mpg_graph_counts *c = r->counts;
    char text[32];
    fputs("trace       ", out);
    mpg_printable_put(out, mpg_trace_path(r->trace));
    fprintf(out, "\nranks       %" PRId32 "\nclocks      %s\n", mpg_trace_ranks(r->trace),
            clocks[r->clocks]);
    print_limit(r, out);
    if (c->backward)
        fprintf(out, "attention   %" PRIu64 " %s left by these clocks, by up to %s: waits are that uncertain\n",
                c->backward,
                mpg_units_word(c->backward, "message arrives before it", "messages arrive before they"),
                mpg_units_format_time(text, sizeof text, c->backward_ns));
    if (c->threads)
        fprintf(out, "attention   several threads of a rank made calls: their times are added up, and may be "
                     "more than its run\n");
    if (c->unmatched || c->incomplete_ranks)
        fprintf(out, "attention   %" PRIu64 " %s without partner, %" PRIu64 " %s without "
                     "MPI_Finalize: what they waited for is not in it\n", c->unmatched,
                mpg_units_word(c->unmatched, "operation", "operations"), c->incomplete_ranks,
                mpg_units_word(c->incomplete_ranks, "rank", "ranks"));
    if (c->truncated)
        fprintf(out, "attention   %" PRIu64 " %s received into: %s taken whole\n", c->truncated,
                mpg_units_word(c->truncated, "message is longer than what it is", "messages are longer than what they are"),
                c->truncated == 1 ? "it is" : "they are");
    if (c->unknown)
        fprintf(out, "attention   what %" PRIu64 " %s is not in it\n", c->unknown,
                mpg_units_word(c->unknown, "call that the tracer does not know communicates",
                               "calls that the tracer does not know communicate"));
}

/* ---- totals ---- */

static void print_total(const struct mpg_waits_report *r, const char *name, const double *ns, FILE *out)
{
    char time[32];
    fprintf(out, "%-24s", name);
    for (size_t w = 0; w < r->worlds; w++) {
        const double total_ns = total_of(r, w);
        fprintf(out, " %12s %8.2f %%", mpg_units_format_time(time, sizeof time, ns[w]),
                total_ns > 0 ? 100 * ns[w] / total_ns : 0);
    }
    putc('\n', out);
}

static void print_matter(const struct mpg_waits_report *r, enum mpg_matter matter, FILE *out)
{
    struct mpg_wait_sum sum[MPG_WAITS_WORLDS] = {{.calls = 0}};
    double ns[MPG_WAITS_WORLDS] = {0};
    bool any = matter <= MPG_MATTER_SYNCHRONIZATION;
    for (size_t w = 0; w < r->worlds; w++) {
        sum[w] = mpg_waits_of_matter(r->world[w], matter);
        ns[w] = sum[w].time_ns;
        any = any || sum[w].calls > 0;
    }
    if (!any)
        return;
    print_total(r, words[matter].name, ns, out);
    for (int k = 0; k < MPG_WAIT_KINDS; k++) {
        char name[32];
        any = false;
        for (size_t w = 0; w < r->worlds; w++) {
            ns[w] = sum[w].wait_ns[k];
            any = any || ns[w] > 0;
        }
        snprintf(name, sizeof name, "  %s", mpg_wait_name((enum mpg_wait)k));
        if (any)
            print_total(r, name, ns, out);
    }
}

/* Time in MPI that is neither waiting nor MPI's own. */
static void print_off_cpu(const struct mpg_waits_report *r, const struct mpg_wait_sum *all, FILE *out)
{
    double ns[MPG_WAITS_WORLDS] = {0};
    bool any = false;
    for (size_t w = 0; w < r->worlds; w++) {
        ns[w] = all[w].off_cpu_ns;
        any = any || ns[w] > 0;
    }
    if (any)
        print_total(r, "  off the CPU", ns, out);
}

static void print_totals(const struct mpg_waits_report *r, FILE *out)
{
    static const char *const worlds[MPG_WAITS_WORLDS] = {"traced", "predicted"};
    double total_ns[MPG_WAITS_WORLDS], mpi_ns[MPG_WAITS_WORLDS];
    struct mpg_wait_sum all[MPG_WAITS_WORLDS];
    fprintf(out, "%-24s", "time, all ranks");
    for (size_t w = 0; w < r->worlds; w++) {
        all[w] = mpg_waits_of_all(r->world[w]);
        total_ns[w] = total_of(r, w);
        mpi_ns[w] = all[w].time_ns;
        fprintf(out, " %12s   of total", r->worlds > 1 ? worlds[w] : "");
    }
    putc('\n', out);
    print_total(r, "Total", total_ns, out);
    print_total(r, "MPI", mpi_ns, out);
    print_off_cpu(r, all, out);
    for (int m = 0; m < MPG_MATTERS; m++)
        print_matter(r, (enum mpg_matter)m, out);
}

/* ---- the table ---- */

/* Whether a row has calls whose threads were off their CPUs. */
static bool has_off_cpu(const struct mpg_waits_report *r)
{
    bool any = false;
    for (size_t i = 0; i < r->table->n; i++)
        any = any || r->table->row[i].sum[0].off_cpu_ns > 0;
    return any;
}

/* Which waits any row has. */
static void find_kinds(const struct mpg_waits_report *r, bool *has)
{
    for (int k = 0; k < MPG_WAIT_KINDS; k++) {
        has[k] = false;
        for (size_t i = 0; i < r->table->n; i++)
            for (size_t w = 0; w < r->worlds; w++)
                has[k] = has[k] || r->table->row[i].sum[w].wait_ns[k] > 0;
    }
}

static void print_columns(const struct mpg_waits_report *r, const bool *has, int width, FILE *out)
{
    const enum mpg_waits_by by = r->table->by;
    fprintf(out, "\n%-*s %10s", width, by == MPG_WAITS_BY_CALLSITE ? "call" : mpg_waits_by_word(by), "number");
    if (r->worlds == 1) {
        fprintf(out, " %10s %10s %8s %10s", "waited", "time", "of total", "wait");
        for (int k = 0; k < MPG_WAIT_KINDS; k++)
            if (has[k])
                fprintf(out, " %15s", mpg_wait_name((enum mpg_wait)k));
        if (has_off_cpu(r))
            fprintf(out, " %12s", "off the CPU");
    } else
        fprintf(out, " %11s %11s %11s %11s", "traced time", "wait", "pred. time", "wait");
    fputs(by == MPG_WAITS_BY_CALLSITE ? "  from\n" : "\n", out);
}

static void name_row(const struct mpg_waits_report *r, const struct mpg_waits_row *row, char *text, size_t size)
{
    switch (r->table->by) {
    case MPG_WAITS_BY_RANK:
        snprintf(text, size, "%" PRId32, row->rank);
        break;
    case MPG_WAITS_BY_REGION:
        mpg_printable(text, size, row->name ? row->name : "(none)");
        break;
    default:
        snprintf(text, size, "%s%s", mpg_call_prefix(row->call), mpg_call_name(row->call));
        break;
    }
}

/* PLACES, one below the other, in the last column. */
static void print_places(const char *place, int before, FILE *out)
{
    fputs("  ", out);
    for (const char *end; (end = strchr(place, '\n')); place = end + 1)
        fprintf(out, "%.*s\n%*s", (int)(end - place), place, before + 2, "");
    fputs(place, out);
}

static void print_row(const struct mpg_waits_report *r, const struct mpg_waits_row *row, const bool *has,
                      int width, FILE *out)
{
    char name[4 * 4096 + 1], time[32], wait[32];
    const double total_ns = total_of(r, 0);
    name_row(r, row, name, sizeof name);
    int before = fprintf(out, "%-*s %10" PRIu64, width, name, row->sum[0].calls);
    if (r->worlds == 1) {
        const struct mpg_wait_sum *s = &row->sum[0];
        before += fprintf(out, " %10" PRIu64 " %10s %6.2f %% %10s", s->waited,
                          mpg_units_format_time(time, sizeof time, s->time_ns),
                          total_ns > 0 ? 100 * s->time_ns / total_ns : 0,
                          mpg_units_format_time(wait, sizeof wait, mpg_wait_all(s)));
        for (int k = 0; k < MPG_WAIT_KINDS; k++)
            if (has[k])
                before += fprintf(out, " %15s",
                                  s->wait_ns[k] > 0 ? mpg_units_format_time(time, sizeof time, s->wait_ns[k]) : "");
        if (has_off_cpu(r))
            before += fprintf(out, " %12s",
                              s->off_cpu_ns > 0 ? mpg_units_format_time(time, sizeof time, s->off_cpu_ns) : "");
    } else
        for (size_t w = 0; w < r->worlds; w++)
            before += fprintf(out, " %11s %11s", mpg_units_format_time(time, sizeof time, row->sum[w].time_ns),
                              mpg_units_format_time(wait, sizeof wait, mpg_wait_all(&row->sum[w])));
    if (r->table->by == MPG_WAITS_BY_CALLSITE)
        print_places(row->name, before, out);
    putc('\n', out);
}

void mpg_waits_print_tables(const struct mpg_waits_report *r, FILE *out)
{
    bool has[MPG_WAIT_KINDS];
    int width = 16;
    const size_t rows = r->top > 0 && r->top < r->table->n ? r->top : r->table->n;
    for (size_t i = 0; i < rows; i++) {
        char name[64];
        name_row(r, &r->table->row[i], name, sizeof name);
        width = (int)strlen(name) > width ? (int)strlen(name) : width;
    }
    print_totals(r, out);
    find_kinds(r, has);
    print_columns(r, has, width, out);
    for (size_t i = 0; i < rows; i++)
        print_row(r, &r->table->row[i], has, width, out);
    if (rows < r->table->n)
        fprintf(out, "... and %zu more\n", r->table->n - rows);
}

void mpg_waits_print_text(const struct mpg_waits_report *r, FILE *out)
{
    print_head(r, out);
    putc('\n', out);
    mpg_waits_print_tables(r, out);
}
