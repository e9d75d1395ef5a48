/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/reports/hypothesis_shares.h"

#include <math.h>
#include <stdlib.h>

#include "common/printable.h"
#include "common/units.h"
#include "simulate/evaluate/driver/interval.h"
#include "simulate/reports/json_parts.h"

/* Returns the summary of VALUES, one for each replica. SCRATCH: memory for a double for each replica. */
static struct mpg_summary summarise(const struct mpg_hypothesis_shares *s, const double *values, double *scratch)
{
    struct mpg_summary summary = mpg_summarise(values, s->replicas, scratch);
    mpg_interval_widen(&summary, &s->resampling, values, scratch, s->replicas, s->first_replica);
    return summary;
}

struct mpg_summary mpg_hypothesis_shares_change(const struct mpg_hypothesis_shares *s, const double *from_ns,
                                        const double *to_ns, double *scratch)
{
    double *changes_ns = scratch + s->replicas;
    for (uint32_t w = 0; w < s->replicas; w++)
        changes_ns[w] = to_ns[w] - from_ns[w];
    return summarise(s, changes_ns, scratch);
}

static void print_range(const char *what, double low_ns, double high_ns, FILE *out)
{
    char low[32], high[32];
    fprintf(out, "%s%s to %s", what, mpg_units_format_time(low, sizeof low, low_ns),
            mpg_units_format_time(high, sizeof high, high_ns));
}

/* Prints, after the label WHAT, why a run was not simulated. NEEDS: the hypothesis whose balanced ranks would be scaled
 * differently; NULL: a collective would be dropped on some ranks only. */
static void print_no_share(const char *what, const struct mpg_hypothesis *needs, FILE *out)
{
    fprintf(out, "    %-22s not known: ", what);
    if (needs) {
        fputs("without it, the ranks of ", out);
        mpg_printable_put(out, needs->text);
        fputs(" would be scaled differently\n", out);
    } else
        fputs("a collective would be dropped on some of its ranks only\n", out);
}

static void print_change(const struct mpg_hypothesis_shares *s, const char *what, const double *from_ns,
                         const double *to_ns, double *scratch, FILE *out)
{
    char text[32];
    const double whole_ns = mpg_summarise(s->none_ns, s->replicas, scratch).median;
    const struct mpg_summary change = mpg_hypothesis_shares_change(s, from_ns, to_ns, scratch);
    fprintf(out, "    %-22s %12s", what, mpg_units_format_time(text, sizeof text, change.median));
    if (whole_ns > 0)
        fprintf(out, "  %+7.2f %%", 100 * change.median / whole_ns);
    if (s->replicas > 1)
        print_range("  (95 % confidence: ", change.low, change.high, out);
    if (s->replicas > 1) {
        print_range("; 5 % to 95 %: ", change.p5, change.p95, out);
        fputc(')', out);
    }
    fputc('\n', out);
}

/* Returns, among the hypotheses not REPORTED yet, the hypothesis that alone shortens the run most; hypotheses without a share
 * come last. */
static size_t find_next(const struct mpg_hypothesis_shares *s, const bool *reported, double *scratch)
{
    size_t best = s->list->n;
    double min_ns = 0;
    for (size_t i = 0; i < s->list->n; i++) {
        const double change_ns =
            s->alone_ns[i] ? mpg_hypothesis_shares_change(s, s->none_ns, s->alone_ns[i], scratch).median : INFINITY;
        if (!reported[i] && (best == s->list->n || change_ns < min_ns)) {
            best = i;
            min_ns = change_ns;
        }
    }
    return best;
}

int mpg_hypothesis_shares_text(const struct mpg_hypothesis_shares *s, FILE *out, struct mpg_error *err)
{
    double *scratch = malloc(2 * s->replicas * sizeof *scratch);
    char text[32];
    if (!scratch)
        return mpg_error_set(err, "out of memory");
    const struct mpg_summary none = summarise(s, s->none_ns, scratch);
    fputs("\nHypotheses: change of the run time, median over replicas\n  without hypotheses        ", out);
    fprintf(out, "%12s", mpg_units_format_time(text, sizeof text, none.median));
    if (s->replicas > 1) {
        print_range("            (95 % confidence: ", none.low, none.high, out);
        fputc(')', out);
    }
    fputc('\n', out);
    if (s->list->n > 1) {
        fputs("  all hypotheses\n", out);
        print_change(s, "together", s->none_ns, s->all_ns, scratch, out);
    }
    bool reported[MPG_HYPOTHESES_MAX] = {false};
    for (size_t k = 0; k < s->list->n; k++) {
        const size_t i = find_next(s, reported, scratch);
        reported[i] = true;
        fputs("  ", out);
        mpg_printable_put(out, s->list->item[i].text);
        fputc('\n', out);
        if (s->alone_ns[i])
            print_change(s, "alone", s->none_ns, s->alone_ns[i], scratch, out);
        else
            print_no_share("alone", NULL, out);
        if (s->list->n > 1 && s->rest_ns[i])
            print_change(s, "added to all others", s->rest_ns[i], s->all_ns, scratch, out);
        else if (s->list->n > 1)
            print_no_share("added to all others", s->needed_by[i], out);
    }
    free(scratch);
    return 0;
}

/* Puts the change from run times FROM_NS to run times TO_NS, and the median of RUN_NS; null if either is unknown. */
static void put_change(struct mpg_json *j, const char *key, const struct mpg_hypothesis_shares *s, const double *from_ns,
                       const double *to_ns, const double *run_ns, double *scratch)
{
    if (!from_ns || !to_ns) {
        mpg_json_null(j, key);
        return;
    }
    const struct mpg_summary change = mpg_hypothesis_shares_change(s, from_ns, to_ns, scratch);
    const struct mpg_summary run = summarise(s, run_ns, scratch);
    mpg_json_object(j, key);
    mpg_answer_summary(j, "change_ns", &change);
    mpg_answer_summary(j, "run_time_ns", &run);
    mpg_json_close(j);
}

int mpg_hypothesis_shares_json(struct mpg_json *j, const char *key, const struct mpg_hypothesis_shares *s, struct mpg_error *err)
{
    double *scratch = malloc(2 * s->replicas * sizeof *scratch);
    if (!scratch)
        return mpg_error_set(err, "out of memory");
    const struct mpg_summary none = summarise(s, s->none_ns, scratch);
    mpg_json_object(j, key);
    mpg_answer_summary(j, "without_any_ns", &none);
    put_change(j, "together", s, s->none_ns, s->all_ns, s->all_ns, scratch);
    mpg_json_array(j, "each");
    for (size_t i = 0; i < s->list->n; i++) {
        const struct mpg_hypothesis *h = &s->list->item[i], *needs = s->needed_by[i];
        mpg_json_object(j, NULL);
        mpg_json_string(j, "text", h->text);
        mpg_json_string(j, "where", h->where);
        put_change(j, "alone", s, s->none_ns, s->alone_ns[i], s->alone_ns[i], scratch);
        put_change(j, "on_top", s, s->rest_ns[i], s->all_ns, s->rest_ns[i], scratch);
        mpg_json_string(j, "needed_by", needs ? needs->text : NULL);
        mpg_json_close(j);
    }
    mpg_json_close(j);
    mpg_json_close(j);
    free(scratch);
    return 0;
}
