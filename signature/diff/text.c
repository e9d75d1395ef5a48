/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sigdiff's text output. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/printable.h"
#include "common/units.h"
#include "signature/diff/report.h"
#include "signature/show/show.h"

enum {
    FACT_WIDTH = 90,
    MAX_UNIT_BYTES = 40,
    MAX_NAME_BYTES = 512,
    MAX_CHARS_PER_BYTE = 4, /* a byte can become four characters: "\x1b" */
};

static char *format_value(char *buf, const struct mpg_parameter *item, double value)
{
    char unit[MAX_UNIT_BYTES + 1]; /* a unit from the file may contain control characters */
    mpg_printable(unit, sizeof unit, item->unit ? item->unit : "");
    if (isnan(value))
        snprintf(buf, SHOW_TEXT, "-");
    else if (item->quantity == MPG_TIME_NS)
        mpg_units_format_time(buf, SHOW_TEXT, value);
    else if (item->quantity == MPG_PERCENT)
        snprintf(buf, SHOW_TEXT, "%.4g %%", value);
    else if (item->quantity == MPG_SIZE_BYTES)
        snprintf(buf, SHOW_TEXT, value < 0 ? "none" : "%.0f B", value);
    else if (unit[0] == '/') /* "/s": a prefix as in "k/s" would be no unit */
        snprintf(buf, SHOW_TEXT, "%.5g %s", value, unit);
    else
        show_rate(buf, value, unit);
    return buf;
}

static char *format_probability(char *buf, double p)
{
    if (isnan(p))
        snprintf(buf, SHOW_TEXT, "-");
    else if (p < 1e-9)
        snprintf(buf, SHOW_TEXT, "<1e-9");
    else if (p < 1e-3)
        snprintf(buf, SHOW_TEXT, "%.0e", p);
    else
        snprintf(buf, SHOW_TEXT, "%.3f", p);
    return buf;
}

static char *format_number(char *buf, const char *format, double value)
{
    if (isnan(value))
        snprintf(buf, SHOW_TEXT, "-");
    else
        snprintf(buf, SHOW_TEXT, format, value);
    return buf;
}

/* Writes ITEM's name, which contains text of the signature's file, in printable form to BUF of MAX_NAME_BYTES bytes. */
static char *format_name(char *buf, const struct mpg_parameter *item)
{
    return mpg_printable(buf, MAX_NAME_BYTES, item->name);
}

/* Widths of columns, in characters: the width of the widest cell. */
struct widths {
    int name, value;
};

static void show_item(const struct mpg_parameter *item, const struct widths *w, double tolerance)
{
    char a[SHOW_TEXT], b[SHOW_TEXT], ratio[SHOW_TEXT], distance[SHOW_TEXT], p[SHOW_TEXT];
    char interval[2 * SHOW_TEXT] = "-", name[MAX_NAME_BYTES];
    if (!isnan(item->low))
        snprintf(interval, sizeof interval, "%.4g to %.4g", item->low, item->high);
    printf("%-*s %*s %*s %8s %18s %6s %6s  ", w->name, format_name(name, item), w->value,
           format_value(a, item, item->a), w->value, format_value(b, item, item->b),
           format_number(ratio, "%.4g", item->ratio), interval, format_number(distance, "%.3f",
           item->distance), format_probability(p, item->p));
    if (item->verdict == MPG_VERDICT_BEYOND)
        printf("beyond %.4g %%\n", 100 * tolerance);
    else if (item->verdict == MPG_VERDICT_DIFFERS)
        puts("samples differ");
    else
        puts(item->why ? item->why : "no evidence");
}

static void show_fact(const char *label, const char *value)
{
    value = value ? value : "(unknown)";
    size_t n = strlen(value);
    for (size_t width = n; n > FACT_WIDTH; n = width)
        for (width = FACT_WIDTH; ((unsigned char)value[width] & 0xc0) == 0x80;)
            width--;
    char shown[MAX_CHARS_PER_BYTE * FACT_WIDTH + 1];
    printf("    %s  %s%s\n", label, mpg_printable_bytes(shown, sizeof shown, value, n),
           value[n] ? "..." : "");
}

static void show_facts(const struct mpg_difference *d)
{
    if (d->facts > 0)
        printf("\nDifferent header lines\n");
    for (size_t i = 0; i < d->facts; i++) {
        fputs("  ", stdout);
        mpg_printable_put(stdout, d->fact[i].key);
        putchar('\n');
        show_fact("a", d->fact[i].a);
        show_fact("b", d->fact[i].b);
    }
}

static void show_signature(const char *label, const struct mpg_signature *sig)
{
    char verdict[256];
    const char *host = mpg_fact_find(sig->fact, sig->facts, "host");
    const char *date = mpg_fact_find(sig->fact, sig->facts, "date");
    printf("%s  ", label);
    mpg_printable_put(stdout, strcmp(sig->path, "-") == 0 ? "standard input" : sig->path);
    fputs(host ? ": " : "", stdout);
    mpg_printable_put(stdout, host ? host : "");
    fputs(date ? ", " : "", stdout);
    mpg_printable_put(stdout, date ? date : "");
    putchar('\n');
    printf("   quality  %s\n", mpg_signature_verdict(sig, verdict, sizeof verdict));
}

static bool is_shown(const struct mpg_parameter *item, bool all)
{
    return all || (item->verdict == MPG_VERDICT_NONE && !item->detail) ||
           item->verdict == MPG_VERDICT_DIFFERS || item->verdict == MPG_VERDICT_BEYOND;
}

static int larger(int width, size_t length)
{
    return (int)length > width ? (int)length : width;
}

static void show_items(const struct mpg_difference *d, double tolerance, bool all)
{
    struct widths w = {0, 10};
    char text[SHOW_TEXT], name[MAX_NAME_BYTES];
    for (size_t i = 0; i < d->n; i++)
        if (is_shown(&d->item[i], all)) {
            w.name = larger(w.name, strlen(format_name(name, &d->item[i])));
            w.value = larger(w.value, strlen(format_value(text, &d->item[i], d->item[i].a)));
            w.value = larger(w.value, strlen(format_value(text, &d->item[i], d->item[i].b)));
        }
    if (w.name == 0)
        return;
    printf("\n%-*s %*s %*s %8s %18s %6s %6s\n", w.name, "", w.value, "a", w.value, "b", "b / a",
           "95 % interval", "KS", "p");
    for (size_t i = 0; i < d->n; i++)
        if (is_shown(&d->item[i], all))
            show_item(&d->item[i], &w, tolerance);
}

static void show_summary(const struct mpg_difference *d, const struct mpg_compare_options *options, bool all)
{
    const size_t *count = d->count;
    printf("\n%zu parameters compared: %zu beyond %.4g %%, %zu whose samples differ,"
           " %zu without evidence of a difference; %zu not comparable%s\n",
           d->n - count[MPG_VERDICT_NONE], count[MPG_VERDICT_BEYOND], 100 * options->tolerance,
           count[MPG_VERDICT_DIFFERS], count[MPG_VERDICT_SAME], count[MPG_VERDICT_NONE],
           all ? "" : " (--all shows them)");
    if (options->repeats > 0)
        printf("Spread of one machine: estimated from %zu measurements of a's machine.\n",
               options->repeats + 1);
    else
        printf("Spread of one machine: assumed to be %.4g %%, and %.4g %% for"
               " noise and 99th percentiles\n(--spread; --again estimates it from measurements).\n",
               100 * options->spread, 300 * options->spread);
    puts("The interval of b / a is about the machines, with this spread; KS and p are about the samples.\n"
         "False discovery rate at most 5 % (Benjamini-Yekutieli): measurements of one machine exceed"
         " the\ntolerance in at most 5 % of comparisons.");
    if (d->few_launches)
        printf("Fewer than 3 launches of a network benchmark: intervals do not"
               " cover differences between launches.\n");
}

void diff_report_text(const struct mpg_signature *a, const struct mpg_signature *b,
                      const struct mpg_difference *d, const struct mpg_compare_options *options, bool all)
{
    show_signature("a", a);
    show_signature("b", b);
    show_facts(d);
    show_items(d, options->tolerance, all);
    show_summary(d, options, all);
}
