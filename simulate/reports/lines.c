/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/reports/lines.h"

#include <string.h>

#include "common/printable.h"
#include "simulate/reports/report.h"

/* Maximum number of different notes printed about one topic. */
enum { MAX_VARIANTS = 4 };
/* printf formats for a topic: in the answer's head, in a section, above the answer. */
#define HEAD "%s: "
#define TOPIC "  %-13s "
#define ANSWER "%-16s"

static const struct mpg_notes *of_row(const struct mpg_lines *x, size_t i)
{
    return (const struct mpg_notes *)((const char *)x->first + i * x->stride);
}

static bool has_line(const struct mpg_notes *list, size_t n, const struct mpg_note *line)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list->line[i].topic, line->topic) == 0 && strcmp(list->line[i].text, line->text) == 0)
            return true;
    return false;
}

/* Returns whether note K of row I is also in an earlier row, or earlier in row I. */
static bool is_reported(const struct mpg_lines *x, size_t i, size_t k)
{
    const struct mpg_notes *list = of_row(x, i);
    for (size_t r = 0; r < i; r++)
        if (has_line(of_row(x, r), of_row(x, r)->n, &list->line[k]))
            return true;
    return has_line(list, k, &list->line[k]);
}

/* Returns the number of different notes about TOPIC; rows are counted only until the number exceeds MAX_VARIANTS. */
static size_t count_variants(const struct mpg_lines *x, const char *topic)
{
    size_t n = 0;
    for (size_t i = 0; i < x->n && n <= MAX_VARIANTS; i++)
        for (size_t k = 0; k < of_row(x, i)->n; k++)
            n += strcmp(of_row(x, i)->line[k].topic, topic) == 0 && !is_reported(x, i, k);
    return n;
}

/* Prints the numbers of the rows with the note LINE, " (rows 1-3, 5)"; nothing if all rows have LINE. */
static void print_rows(const struct mpg_lines *x, const struct mpg_note *line, FILE *out)
{
    size_t have = 0;
    for (size_t i = 0; i < x->n; i++)
        have += has_line(of_row(x, i), of_row(x, i)->n, line);
    const char *before = have == 1 ? " (row " : " (rows ";
    for (size_t i = 0, last; i < x->n && have < x->n; i = last + 1) {
        last = i;
        if (!has_line(of_row(x, i), of_row(x, i)->n, line))
            continue;
        while (last + 1 < x->n && has_line(of_row(x, last + 1), of_row(x, last + 1)->n, line))
            last++;
        fprintf(out, "%s%zu", before, i + 1);
        if (last > i)
            fprintf(out, "-%zu", last + 1);
        before = ", ";
    }
    fputs(have < x->n ? ")\n" : "\n", out);
}

void mpg_lines_put_head(const char *topic, const char *text, FILE *out)
{
    fprintf(out, "%s: ", topic);
    mpg_printable_put(out, text);
    fputc('\n', out);
}

bool mpg_lines_is_quality(const struct mpg_note *note)
{
    return strcmp(note->topic, MPG_TOPIC_QUALITY) == 0;
}

/* Prints the notes of X about quality if QUALITY, else all other notes. FORMAT: a printf format for the topic. */
static void print_notes(const struct mpg_lines *x, bool quality, const char *format, FILE *out)
{
    for (size_t i = 0; i < x->n; i++)
        for (size_t k = 0; k < of_row(x, i)->n; k++) {
            const struct mpg_note *line = &of_row(x, i)->line[k];
            if (mpg_lines_is_quality(line) != quality || is_reported(x, i, k))
                continue;
            const bool many = count_variants(x, line->topic) > MAX_VARIANTS;
            if (many && i > 0)
                continue;
            fprintf(out, format, line->topic);
            mpg_printable_put(out, many ? "differs from row to row (--json says how)" : line->text);
            if (many)
                fputc('\n', out);
            else
                print_rows(x, line, out);
        }
}

void mpg_lines_heads(const struct mpg_lines *x, FILE *out)
{
    print_notes(x, false, HEAD, out);
}

void mpg_lines_reliability(const struct mpg_lines *x, FILE *out)
{
    size_t n = 0;
    for (size_t i = 0; i < x->n; i++)
        n += of_row(x, i)->n;
    if (n > 0)
        fputc('\n', out);
    print_notes(x, false, ANSWER, out);
}

void mpg_lines_warnings(const struct mpg_lines *x, FILE *out)
{
    bool any = false;
    for (size_t i = 0; i < x->n; i++)
        for (size_t k = 0; k < of_row(x, i)->n; k++)
            any = any || !mpg_lines_is_quality(&of_row(x, i)->line[k]);
    if (!any)
        return;
    fputs("Attention\n", out);
    print_notes(x, false, TOPIC, out);
    fputc('\n', out);
}

void mpg_lines_assumed(const struct mpg_lines *warnings, const struct mpg_lines *assumed, FILE *out)
{
    fputs("\nAssumed\n", out);
    print_notes(warnings, true, TOPIC, out);
    print_notes(assumed, false, TOPIC, out);
}
