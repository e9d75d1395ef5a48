/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table as text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "simulate/designs/designs.h"
#include "simulate/reports/lines.h"
#include "simulate/reports/sheet.h"

enum { CELL = 512 };

/* Columns: then those of keys, then these. */
enum { ROW, TRACE, RANKS, PROCESSORS, TARGET, KEYS };
enum part { RUN, INTERVAL, PLACE, FASTER, SPEEDUP, AGAINST, EFFICIENCY, UTILISATION, WAIT, SERVICE, BARRIER, PROCESSOR, PARTS };

static bool has_part(const struct mpg_designs *x, enum part part)
{
    bool has = false;
    for (size_t i = 0; i < x->n; i++) {
        const struct mpg_design_row *r = &x->row[i];
        has = has || (part == AGAINST     ? r->against_ns > 0
                      : part == SERVICE   ? r->service_ns > 0
                      : part == BARRIER   ? r->barrier_ns > 0
                      : part == PROCESSOR ? r->processor_ns > 0
                                          : part != INTERVAL || r->replicas > 1);
    }
    return has && (part != PLACE || x->designs > 1) && (part != FASTER || (x->designs > 1 && has_part(x, INTERVAL)));
}

static const char *title_of(const struct mpg_designs *x, enum part part)
{
    static const char *const titles[] = {[RUN] = "run",
                                         [INTERVAL] = "95 % confidence",
                                         [PLACE] = "place",
                                         [FASTER] = "than the next",
                                         [SPEEDUP] = "speedup",
                                         [AGAINST] = "T(1)/T",
                                         [EFFICIENCY] = "efficiency",
                                         [UTILISATION] = "utilised",
                                         [WAIT] = "waiting",
                                         [SERVICE] = "serving",
                                         [BARRIER] = "barriers",
                                         [PROCESSOR] = "no processor"};
    return part == RUN && has_part(x, INTERVAL) ? "median run" : titles[part];
}

/* A rank's part of SUM_NS, in the mean. */
static void say_mean(const struct mpg_designs *x, const struct mpg_design_row *r, double sum_ns, char *text)
{
    mpg_units_format_time(text, CELL, sum_ns / x->trace[r->trace].ranks);
}

static void say_against(const struct mpg_design_row *r, double divisor, char *text)
{
    if (r->against_ns > 0)
        snprintf(text, CELL, "%.4g", mpg_design_speedup_against(r) / divisor);
    else
        snprintf(text, CELL, "-");
}

static void say_part(const struct mpg_designs *x, const struct mpg_design_row *r, enum part part, char *text)
{
    const struct mpg_design_row *next = mpg_design_next(x, r);
    char low[32], high[32];
    switch (part) {
    case RUN:
        mpg_units_format_time(text, CELL, r->run.median);
        break;
    case INTERVAL:
        snprintf(text, CELL, "%s to %s", mpg_units_format_time(low, sizeof low, r->run.low),
                 mpg_units_format_time(high, sizeof high, r->run.high));
        break;
    case PLACE:
        snprintf(text, CELL, "%zu", r->place);
        break;
    case FASTER:
        if (next)
            mpg_say_faster(text, CELL, mpg_design_faster(r, next));
        else
            snprintf(text, CELL, "-");
        break;
    case SPEEDUP:
        snprintf(text, CELL, "%.4g", mpg_design_speedup(r));
        break;
    case AGAINST:
        say_against(r, 1, text);
        break;
    case EFFICIENCY:
        if (has_part(x, AGAINST))
            say_against(r, r->processors, text);
        else
            snprintf(text, CELL, "%.4g", mpg_design_speedup(r) / r->processors);
        break;
    case UTILISATION:
        snprintf(text, CELL, "%.1f %%", 100 * mpg_design_utilisation(r));
        break;
    default:
        say_mean(x, r, part == WAIT ? r->wait_ns : part == SERVICE ? r->service_ns : part == BARRIER ? r->barrier_ns
                                                                                                     : r->processor_ns, text);
        break;
    }
}

static void say_head(const struct mpg_designs *x, size_t c, char *text)
{
    static const char *const titles[] = {"row", "trace", "ranks", "processors", "target"};
    if (c < KEYS)
        snprintf(text, CELL, "%s", titles[c]);
    else if (c < KEYS + x->keys->axes)
        snprintf(text, CELL, "%s", x->keys->axis[c - KEYS].key);
    else
        snprintf(text, CELL, "%s", title_of(x, (enum part)(c - KEYS - x->keys->axes)));
}

static void say_row(const struct mpg_designs *x, size_t i, size_t c, char *text)
{
    const struct mpg_design_row *r = &x->row[i];
    const struct mpg_design_trace *t = &x->trace[r->trace];
    if (c == ROW)
        snprintf(text, CELL, "%zu", i + 1);
    else if (c == TRACE)
        snprintf(text, CELL, "%s", t->path);
    else if (c == RANKS)
        snprintf(text, CELL, "%d", (int)t->ranks);
    else if (c == PROCESSORS)
        snprintf(text, CELL, "%d", (int)r->processors);
    else if (c == TARGET)
        snprintf(text, CELL, "%s", x->target[r->design]);
    else if (c < KEYS + x->keys->axes)
        mpg_design_value(x, c - KEYS, r->design, text, CELL);
    else
        say_part(x, r, (enum part)(c - KEYS - x->keys->axes), text);
}

/* Cell of column C, I = 0 being the titles; false: the table has no such column. */
static bool say_cell(const struct mpg_designs *x, size_t i, size_t c, char *text)
{
    if (c >= KEYS + x->keys->axes && !has_part(x, (enum part)(c - KEYS - x->keys->axes)))
        return false;
    if (i == 0)
        say_head(x, c, text);
    else
        say_row(x, i - 1, c, text);
    return true;
}

static int print_table(const struct mpg_designs *x, FILE *out, struct mpg_error *err)
{
    const size_t columns = KEYS + x->keys->axes + PARTS;
    size_t *width = calloc(columns, sizeof *width);
    char text[CELL];
    if (!width)
        return mpg_error_set(err, "out of memory");
    for (size_t c = 0; c < columns; c++)
        for (size_t i = 0; i <= x->n; i++)
            if (say_cell(x, i, c, text) && strlen(text) > width[c])
                width[c] = strlen(text);
    for (size_t i = 0; i <= x->n; i++) {
        for (size_t c = 0; c < columns; c++)
            if (say_cell(x, i, c, text))
                fprintf(out, c == TRACE || c == TARGET ? "  %-*s" : "  %*s", (int)width[c], text);
        fputc('\n', out);
    }
    free(width);
    return 0;
}

static const struct mpg_attention *attention_of(const void *x, size_t i)
{
    return &((const struct mpg_designs *)x)->row[i].attention;
}

static const struct mpg_attention *assumed_of(const void *x, size_t i)
{
    return &((const struct mpg_designs *)x)->row[i].assumed;
}

/* What columns mean. */
static void print_notes(const struct mpg_designs *x, FILE *out)
{
    fputs("\nspeedup: all ranks' work over the run; ", out);
    if (has_part(x, AGAINST))
        fprintf(out, "T(1): %s; efficiency: T(1)/T over processors; ",
                x->against_given ? "as --against says" : "the same program's trace of one rank on the same target");
    else
        fputs("efficiency: that over processors; ", out);
    fputs("utilised: part of the processors' time that is work; all further: of a rank, in the mean\n", out);
}

static void print_best(const struct mpg_designs *x, FILE *out)
{
    char name[CELL], run[32];
    fputc('\n', out);
    for (size_t t = 0; t < x->traces; t++) {
        const struct mpg_design_row *row = &x->row[t * x->designs], *best = row;
        size_t others = 0;
        for (size_t d = 0; d < x->designs; d++) {
            best = row[d].order == 1 ? &row[d] : best;
            others += row[d].place == 1 && row[d].order > 1;
        }
        mpg_design_name(x, best->design, name, sizeof name);
        fprintf(out, "  least for %s: %s on %s (row %zu)", x->trace[t].path,
                mpg_units_format_time(run, sizeof run, best->run.median), name, (size_t)(best - x->row) + 1);
        if (others > 0)
            fprintf(out, ", and %zu other%s as long", others, others == 1 ? "" : "s");
        fputc('\n', out);
    }
}

int mpg_designs_text(const struct mpg_designs *x, FILE *out, struct mpg_error *err)
{
    const struct mpg_lines attention = {x, x->n, attention_of}, assumed = {x, x->n, assumed_of};
    if (mpg_lines_any(&attention)) {
        fputs("Attention\n", out);
        mpg_lines_print(&attention, false, out);
        fputc('\n', out);
    }
    fputs("Assumed\n", out);
    mpg_lines_print(&assumed, false, out);
    fprintf(out, "\n%zu trace%s on %zu machine%s, seed %" PRIu64 "\n\n", x->traces, x->traces == 1 ? "" : "s", x->designs,
            x->designs == 1 ? "" : "s", x->seed);
    if (print_table(x, out, err) < 0)
        return -1;
    print_notes(x, out);
    if (x->designs > 1)
        print_best(x, out);
    return 0;
}
