/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The health of machines as text and JSON. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/printable.h"
#include "common/table/json.h"
#include "common/table/table.h"
#include "common/units.h"
#include "history/health/health.h"

enum { DAY = 10 }; /* bytes of "2026-11-22" */

static const char *const changes[] = {"slower", "faster", "noisier", "quieter", "other"};

/* Returns the parameter of E with CHANGE that changed most; NULL: none. */
static const struct mpg_parameter *most_changed(const struct health_entry *e, enum health_change change)
{
    const struct mpg_parameter *most = NULL;
    double largest = -1;
    for (size_t i = 0; i < e->since_first.n; i++) {
        const struct mpg_parameter *item = &e->since_first.item[i];
        if (item->verdict != MPG_VERDICT_BEYOND || mpg_health_change(item) != change)
            continue;
        const double size = isnan(item->ratio) ? INFINITY : fabs(log(item->ratio));
        if (size > largest) {
            largest = size;
            most = item;
        }
    }
    return most;
}

/* ---- text ---- */

static void print_change(const struct health_entry *e, enum health_change change, FILE *out)
{
    const struct mpg_parameter *most = most_changed(e, change);
    if (!most)
        return;
    fprintf(out, "  %-10s  %zu of %zu parameters, most: ", changes[change], e->count[change],
            e->since_first.n - e->since_first.count[MPG_VERDICT_NONE]);
    mpg_printable_put(out, most->name);
    if (isnan(most->ratio))
        fprintf(out, ", %s\n", most->b > 0 ? "0 before" : "0 now");
    else
        fprintf(out, ", x%.3g (95 %% interval x%.3g to x%.3g)\n", most->ratio, most->low, most->high);
}

/* Prints how large a change must be to be told from the machine's own variation. */
static int print_smallest(const struct health *h, const struct health_entry *last, FILE *out, struct mpg_error *err)
{
    struct health_smallest smallest;
    if (mpg_health_smallest(h, last, &smallest, err) < 0)
        return -1;
    const bool speed = !isnan(smallest.speed), noise = !isnan(smallest.noise);
    if (!speed && !noise)
        return 0;
    fputs("  visible     changes of at least ", out);
    if (speed)
        fprintf(out, "x%.3g in times and rates", smallest.speed);
    if (noise)
        fprintf(out, "%sx%.3g in noise", speed ? ", " : "", smallest.noise);
    fputs(" (medians of the parameters); smaller ones are within the variation\n", out);
    return 0;
}

/* Prints the header lines that describe the machine and differ between the first signature and LAST. */
static void print_headers(const struct health_entry *last, FILE *out)
{
    size_t printed = 0;
    for (size_t i = 0; i < last->since_first.facts; i++) {
        const struct mpg_header_difference *fact = &last->since_first.fact[i];
        if (strcmp(fact->key, "other_load") == 0) /* differs between any two measurements of a busy machine */
            continue;
        fputs(printed++ == 0 ? "  changed     since the first signature: " : ", ", out);
        mpg_printable_put(out, fact->key);
    }
    if (printed > 0)
        fputc('\n', out);
}

/* Prints which checks of sigmake LAST failed: a disturbed measurement looks like a slower or noisier machine. */
static void print_quality(const struct health_entry *last, FILE *out)
{
    char verdict[256];
    if (last->signature->failures == 0)
        return;
    fputs("  quality     of the last signature: ", out);
    mpg_printable_put(out, mpg_signature_verdict(last->signature, verdict, sizeof verdict));
    fputc('\n', out);
}

static int print_verdict(const struct health *h, const struct health_host *host, FILE *out, struct mpg_error *err)
{
    const struct health_entry *last = mpg_health_last(host);
    const bool is_known = last->baseline >= HEALTH_MIN_BASELINE;
    const size_t *count = last->count;
    fputs("Host ", out);
    mpg_printable_put(out, host->name);
    fprintf(out, ": %zu %s, %.*s to %.*s\n", host->n, mpg_units_word(host->n, "signature", "signatures"), DAY,
            host->entry[0].kept.measured, DAY, last->kept.measured);
    if (!is_known)
        fprintf(out, "undecided: the machine's own variation is not known; measure it by %d signatures before the last (now "
                     "%zu)\n", HEALTH_MIN_BASELINE, last->baseline);
    else
        fprintf(out, "%s than at first, beyond %.4g %% and the machine's own variation (measured by the first %zu signatures)\n",
                count[HEALTH_SLOWER] && count[HEALTH_NOISIER] ? "SLOWER and NOISIER"
                : count[HEALTH_SLOWER]                        ? "SLOWER"
                : count[HEALTH_NOISIER]                       ? "NOISIER"
                                                              : "no evidence that the last signature is slower or noisier",
                100 * h->options->tolerance, last->baseline);
    for (int c = 0; c < HEALTH_CHANGES; c++)
        print_change(last, (enum health_change)c, out);
    print_headers(last, out);
    print_quality(last, out);
    return is_known ? print_smallest(h, last, out, err) : 0;
}

static int print_signatures(const struct health_host *host, FILE *out, struct mpg_error *err)
{
    const struct mpg_table_column columns[] = {
        {.heading = "id", .width = 6}, {.heading = "measured (UTC)", .width = 20, .left = true}, {.heading = "n", .width = 3},
        {.heading = "slower", .width = 6}, {.heading = "faster", .width = 6}, {.heading = "noisier", .width = 7},
        {.heading = "quieter", .width = 7}, {.heading = "since last", .width = 10}, {.heading = "changed", .left = true}};
    struct mpg_table t = {MPG_TABLE_COLUMNS(columns), .trims = true, .missing = "-"};
    fputc('\n', out);
    mpg_table_begin(&t, MPG_TABLE_TEXT, out);
    for (size_t i = 0; i < host->n; i++) {
        const struct health_entry *e = &host->entry[i];
        mpg_table_printf(&t, "%" PRId64, e->kept.id);
        mpg_table_text(&t, e->kept.measured);
        for (int c = -1; c < HEALTH_OTHER; c++)
            if (i > 0)
                mpg_table_printf(&t, "%zu", c < 0 ? e->baseline : e->count[c]);
            else
                mpg_table_missing(&t);
        if (i > 0)
            mpg_table_printf(&t, "%zu", e->since_last);
        else
            mpg_table_missing(&t);
        mpg_table_text(&t, e->headers ? e->headers : "");
    }
    return mpg_table_end(&t, err);
}

int mpg_health_print_text(const struct health *h, FILE *out, struct mpg_error *err)
{
    for (size_t i = 0; i < h->hosts; i++) {
        if (i > 0)
            fputc('\n', out);
        if (h->host[i].n > 1) {
            if (print_verdict(h, &h->host[i], out, err) < 0)
                return -1;
        } else {
            fputs("Host ", out);
            mpg_printable_put(out, h->host[i].name);
            fputs(": one signature\n", out);
        }
        if (print_signatures(&h->host[i], out, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- JSON ---- */

static void put_parameters(struct mpg_json *j, const struct health_entry *e)
{
    mpg_json_array(j, "parameters");
    for (size_t i = 0; i < e->since_first.n; i++) {
        const struct mpg_parameter *item = &e->since_first.item[i];
        if (item->verdict != MPG_VERDICT_BEYOND)
            continue;
        mpg_json_object(j, NULL);
        mpg_json_string(j, "name", item->name);
        mpg_json_string(j, "change", changes[mpg_health_change(item)]);
        mpg_json_number(j, "first", item->a);
        mpg_json_number(j, "last", item->b);
        mpg_json_number(j, "ratio", item->ratio);
        mpg_json_number(j, "ratio_low", item->low);
        mpg_json_number(j, "ratio_high", item->high);
        mpg_json_close(j);
    }
    mpg_json_close(j);
}

static void put_signature(struct mpg_json *j, const struct health_entry *e)
{
    char verdict[256];
    mpg_json_object(j, NULL);
    mpg_json_integer(j, "id", e->kept.id);
    mpg_json_string(j, "measured_utc", e->kept.measured);
    mpg_json_string(j, "kept_utc", e->kept.time);
    mpg_json_string(j, "mpgkit_version", e->kept.version);
    mpg_json_string(j, "path", e->kept.path);
    mpg_json_string(j, "checksum", e->kept.sum);
    mpg_json_string(j, "checks", mpg_signature_verdict(e->signature, verdict, sizeof verdict));
    mpg_json_count(j, "baseline", e->baseline);
    for (int c = 0; c < HEALTH_CHANGES; c++)
        mpg_json_count(j, changes[c], e->count[c]);
    mpg_json_count(j, "since_last", e->since_last);
    mpg_json_string(j, "headers_changed", e->headers ? e->headers : "");
    mpg_json_close(j);
}

int mpg_health_print_json(const struct health *h, FILE *out, struct mpg_error *err)
{
    struct mpg_json j = mpg_json_to(out, MPG_JSON_LINES);
    mpg_json_object(&j, NULL);
    mpg_json_string(&j, "format", "mpghistory-health");
    mpg_json_integer(&j, "version", 1);
    mpg_json_number(&j, "tolerance", h->options->tolerance);
    mpg_json_array(&j, "hosts");
    for (size_t i = 0; i < h->hosts; i++) {
        const struct health_host *host = &h->host[i];
        const struct health_entry *last = mpg_health_last(host);
        const bool is_known = last->baseline >= HEALTH_MIN_BASELINE;
        mpg_json_object(&j, NULL);
        mpg_json_string(&j, "host", host->name);
        mpg_json_string(&j, "verdict", !is_known ? "undecided" : mpg_health_is_worse(host) ? "worse" : "no evidence");
        struct health_smallest smallest = {NAN, NAN};
        if (is_known && mpg_health_smallest(h, last, &smallest, err) < 0)
            return -1;
        mpg_json_number(&j, "smallest_visible_speed", smallest.speed);
        mpg_json_number(&j, "smallest_visible_noise", smallest.noise);
        put_parameters(&j, last);
        mpg_json_array(&j, "signatures");
        for (size_t k = 0; k < host->n; k++)
            put_signature(&j, &host->entry[k]);
        mpg_json_close(&j);
        mpg_json_close(&j);
    }
    mpg_json_close(&j);
    mpg_json_close(&j);
    putc('\n', out);
    return 0;
}
