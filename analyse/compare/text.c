/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The comparison as text, by default in at most 20 lines. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/compare/compare.h"
#include "common/printable.h"
#include "common/table/table.h"
#include "common/units.h"

enum { CELL = 64, MAX_TRACES = 3 };

/* ---- cells ---- */

/* Writes NS with a unit to TEXT, and returns TEXT. IS_CHANGE: a positive value gets a "+". */
static char *format_time(char *text, double ns, bool is_change)
{
    text[0] = '+';
    mpg_units_format_time(text + (is_change && ns > 0), CELL - 1, ns);
    return text;
}

static void put_ratio(struct mpg_table *t, double ratio, const char *format)
{
    char text[CELL];
    snprintf(text, sizeof text, format, ratio);
    mpg_table_text(t, isnan(ratio) ? NULL : text);
}

/* Adds two cells: the confidence interval and the verdict of the change X. IS_TIME: the interval is in % of the value before.
 * Without several runs on each side the interval is missing. */
static void put_chance(struct mpg_table *t, const struct compare_change *x, bool is_time)
{
    const double before = x->side[COMPARE_BEFORE];
    if (x->verdict == COMPARE_UNKNOWN || (is_time && before <= 0))
        mpg_table_missing(t);
    else if (is_time)
        mpg_table_printf(t, "%+.1f to %+.1f %%", 100 * x->low / before, 100 * x->high / before);
    else
        mpg_table_printf(t, "%+.3f to %+.3f", x->low, x->high);
    mpg_table_text(t, x->verdict == COMPARE_NO_DIFFERENCE ? "no evidence" : mpg_compare_verdict_name(x->verdict));
}

/* Adds four cells: the times of X before and after, the change, and the change in %. BEFORE, AFTER: whether this side has
 * a value. */
static void put_times(struct mpg_table *t, const struct compare_change *x, bool before, bool after)
{
    char text[CELL];
    mpg_table_text(t, before ? format_time(text, x->side[COMPARE_BEFORE], false) : NULL);
    mpg_table_text(t, after ? format_time(text, x->side[COMPARE_AFTER], false) : NULL);
    mpg_table_text(t, format_time(text, x->change, true));
    if (before && after && x->side[COMPARE_BEFORE] > 0)
        mpg_table_printf(t, "%+.1f %%", 100 * x->change / x->side[COMPARE_BEFORE]);
    else
        mpg_table_missing(t);
}

/* ---- head ---- */

static void print_side(const char *label, const struct compare_runs *side, FILE *out)
{
    const int32_t ranks = side->run[0].ranks;
    fprintf(out, "%-21s  ", label);
    for (size_t i = 0; i < side->n && i < MAX_TRACES; i++) {
        fputs(i > 0 ? ", " : "", out);
        mpg_printable_put(out, side->run[i].path);
    }
    if (side->n > MAX_TRACES)
        fprintf(out, " and %zu more", side->n - MAX_TRACES);
    fprintf(out, " (%" PRId32 " %s)\n", ranks, mpg_units_word((uint64_t)ranks, "rank", "ranks"));
}

/* Warns if both sides have hardly anything in common: recordings of two programs. Returns the number of lines. */
static size_t print_programs(const struct comparison *c, FILE *out)
{
    static const double MIN_SHARED = 0.1;
    const double shared = mpg_compare_shared(c);
    const char *before = c->side[COMPARE_BEFORE].run[0].program, *after = c->side[COMPARE_AFTER].run[0].program;
    if (shared >= MIN_SHARED)
        return 0;
    fprintf(out, "Programs               only %.1f %% of the time is in callsites of both: two programs?", 100 * shared);
    if (before && after && strcmp(before, after) != 0) {
        fputs(" Before: ", out);
        mpg_printable_put(out, before);
        fputs("; after: ", out);
        mpg_printable_put(out, after);
    }
    putc('\n', out);
    return 1;
}

/* Prints warnings about the recordings. Returns the number of lines. */
static size_t print_warnings(const struct comparison *c, FILE *out)
{
    const struct compare_run *worst = NULL;
    size_t lines = print_programs(c, out);
    bool has_threads = false;
    for (int side = 0; side < COMPARE_SIDES; side++)
        for (size_t i = 0; i < c->side[side].n; i++) {
            const struct compare_run *run = &c->side[side].run[i];
            has_threads = has_threads || run->has_threads;
            if (run->knows_recording && !run->recording.is_good &&
                (!worst || run->recording.max_share > worst->recording.max_share))
                worst = run;
        }
    if (!mpg_compare_knows_chance(c)) {
        fputs("Intervals              not known: record each version several times\n", out);
        lines++;
    }
    if (has_threads) {
        fputs("Threads                several per rank call MPI: MPI time is summed over them; "
              "computation: MPI_Init's thread only\n", out);
        lines++;
    }
    if (worst) {
        fprintf(out, "Recording              %s: in ", mpg_stat_recording_verdict(&worst->recording));
        mpg_printable_put(out, worst->path);
        fprintf(out, " rank %" PRId32 " was off its CPU for %.1f %% of its run\n", worst->recording.max_rank,
                100 * worst->recording.max_share);
        lines++;
    }
    return lines;
}

/* Prints a table of run time and efficiencies. Returns the number of lines, or -1 with ERR: out of memory. */
static int print_quantities(const struct comparison *c, FILE *out, struct mpg_error *err)
{
    const bool known = mpg_compare_knows_chance(c);
    const struct mpg_table_column columns[] = {{.heading = "", .width = 21, .left = true},
                                               {.heading = "before", .width = 10},
                                               {.heading = "after", .width = 10},
                                               {.heading = "change", .width = 10},
                                               {.heading = "", .width = 8},
                                               {.heading = known ? "95 % interval" : NULL, .width = 18},
                                               {.heading = known ? "" : NULL, .left = true}};
    struct mpg_table t = {MPG_TABLE_COLUMNS(columns), .trims = true, .missing = "-"};
    int lines = 1;
    mpg_table_begin(&t, MPG_TABLE_TEXT, out);
    for (int q = 0; q < COMPARE_QUANTITIES; q++) {
        const struct compare_change *x = &c->quantity[q];
        const bool is_time = mpg_compare_is_time((enum compare_quantity)q);
        if ((q == COMPARE_OFF_CPU || q == COMPARE_POLLING) && x->side[COMPARE_BEFORE] <= 0 && x->side[COMPARE_AFTER] <= 0)
            continue;
        mpg_table_text(&t, mpg_compare_quantity_name((enum compare_quantity)q));
        if (is_time) {
            put_times(&t, x, true, true);
        } else {
            put_ratio(&t, x->side[COMPARE_BEFORE], "%.3f");
            put_ratio(&t, x->side[COMPARE_AFTER], "%.3f");
            put_ratio(&t, fabs(x->change) < 0.0005 ? 0 : x->change, "%+.3f"); /* avoids -0.000 */
            mpg_table_text(&t, "");
        }
        put_chance(&t, x, is_time);
        lines++;
    }
    return mpg_table_end(&t, err) < 0 ? -1 : lines;
}

/* ---- rows ---- */

static void put_row(struct mpg_table *t, const struct compare_row *row)
{
    const char *name = row->name[COMPARE_AFTER] ? row->name[COMPARE_AFTER] : row->name[COMPARE_BEFORE];
    const char *call = row->kind == COMPARE_REGION ? "" : mpg_call_name(row->call);
    const char *prefix = row->kind == COMPARE_REGION ? "" : mpg_call_prefix(row->call);
    static const char *const kinds[] = {"", "computation before ", "region "};
    const bool is_same = row->match == COMPARE_SAME, is_unknown = row->kind != COMPARE_REGION && strcmp(name, "unknown") == 0;
    put_times(t, &row->time, row->match != COMPARE_APPEARED, row->match != COMPARE_DISAPPEARED);
    put_chance(t, &row->time, true);
    const size_t size = strlen(name) + 4 * CELL;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s%s%s%s%s%s%s", kinds[row->kind], prefix, call, *call && !is_unknown ? ", " : "",
                 is_unknown ? "" : name, is_same ? "" : ", ", is_same ? "" : mpg_compare_match_name(row->match));
    else
        t->failed = true;
    mpg_table_lines(t, text);
    free(text);
}

static int print_rows(const struct comparison *c, size_t rows, FILE *out, struct mpg_error *err)
{
    const bool known = mpg_compare_knows_chance(c);
    const struct mpg_table_column columns[] = {{.heading = "before", .width = 10},
                                               {.heading = "after", .width = 10},
                                               {.heading = "change", .width = 10},
                                               {.heading = "", .width = 8},
                                               {.heading = known ? "95 % interval" : NULL, .width = 18},
                                               {.heading = known ? "" : NULL, .width = 11, .left = true},
                                               {.heading = "mean time per rank in", .left = true}};
    struct mpg_table t = {MPG_TABLE_COLUMNS(columns), .trims = true, .missing = "-"};
    fputc('\n', out);
    mpg_table_begin(&t, MPG_TABLE_TEXT, out);
    for (size_t i = 0; i < rows; i++)
        put_row(&t, &c->row[i]);
    return mpg_table_end(&t, err);
}

/* Returns the number of rows with a change. Changed rows come first, since rows are sorted by the size of the change. */
static size_t count_changed(const struct comparison *c)
{
    size_t n = 0;
    while (n < c->n && c->row[n].time.change != 0)
        n++;
    return n;
}

int mpg_compare_print_text(const struct comparison *c, const struct compare_results *results, size_t top, FILE *out,
                           struct mpg_error *err)
{
    enum { FRAME_LINES = 6 }; /* lines around the tables: both sides, two blank lines, headings of the rows, "... and more" */
    print_side("Before", &c->side[COMPARE_BEFORE], out);
    print_side("After", &c->side[COMPARE_AFTER], out);
    const size_t warnings = print_warnings(c, out) + results->n;
    mpg_condition_print_text(results->result, results->n, out);
    fputc('\n', out);
    const int lines = print_quantities(c, out, err);
    if (lines < 0)
        return -1;
    const size_t used = FRAME_LINES + warnings + (size_t)lines, left = top > used ? top - used : 1;
    const size_t n = top == 0 ? c->n : count_changed(c), rows = top == 0 || n <= left ? n : left;
    const int status = rows > 0 ? print_rows(c, rows, out, err) : 0;
    if (rows < c->n)
        fprintf(out, "... and %zu more (--all)\n", c->n - rows);
    return status;
}
