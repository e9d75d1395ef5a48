/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides conditions on the parameters of two signatures. */
#include "signature/diff/conditions.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

int diff_fit_condition(struct mpg_condition *c, struct mpg_error *err)
{
    if (c->limit == 0)
        c->unit = MPG_CONDITION_RATIO;
    return c->unit == MPG_CONDITION_RATIO ? 0 : mpg_error_set(err, "'%s': the limit is a ratio, in %%", c->text);
}

static bool is_meant(const struct mpg_parameter *item, const struct mpg_condition *c)
{
    return strstr(item->name, c->name) != NULL;
}

/* Returns whether ITEM has an interval, or is 0 in one signature or both. */
static bool is_comparable(const struct mpg_parameter *item)
{
    return item->verdict != MPG_VERDICT_NONE &&
           (!isnan(item->log_variance) || !isnan(item->log_above_zero) || item->ratio == 1);
}

/* Sets the change of ITEM from a to b, and its interval of CONFIDENCE, in R. */
static void find_change(struct mpg_condition_result *r, const struct mpg_parameter *item)
{
    const double p = 1 - r->confidence;
    r->about = item->name;
    r->change = item->ratio - 1;
    if (!isnan(item->log_above_zero)) { /* the ratio is infinite or 0, if chance did not make it so */
        const bool is_certain = item->p_beyond <= p;
        r->change = item->b > 0 ? INFINITY : -1;
        r->low = is_certain ? r->change : -1;
        r->high = is_certain ? r->change : INFINITY;
    } else if (isnan(item->log_variance)) {
        r->low = r->high = r->change; /* 0 in both signatures */
    } else {
        const double t = isfinite(item->freedom) ? gsl_cdf_tdist_Qinv(p / 2, item->freedom) : gsl_cdf_ugaussian_Qinv(p / 2);
        const double width = t * sqrt(item->log_variance), middle = log(item->ratio);
        r->low = expm1(middle - width);
        r->high = expm1(middle + width);
    }
    mpg_condition_decide(r);
}

/* Returns whether X says more than Y about their condition: a failed parameter more than an undecided one, then the change
 * farther on the side of the limit. */
static bool says_more(const struct mpg_condition_result *x, const struct mpg_condition_result *y)
{
    static const int weight[] = {[MPG_CONDITION_PASSED] = 0, [MPG_CONDITION_UNDECIDED] = 1, [MPG_CONDITION_FAILED] = 2};
    if (weight[x->verdict] != weight[y->verdict])
        return weight[x->verdict] > weight[y->verdict];
    return x->condition->above ? x->low > y->low : x->high < y->high;
}

int diff_judge(const struct mpg_difference *d, size_t measurements, const struct mpg_condition *condition, size_t n,
               struct mpg_condition_result *result, struct mpg_error *err)
{
    size_t tests = 0;
    for (size_t i = 0; i < n; i++) {
        size_t found = 0;
        for (size_t k = 0; k < d->n; k++)
            if (is_meant(&d->item[k], &condition[i])) {
                found++;
                tests += is_comparable(&d->item[k]);
            }
        if (found == 0)
            return mpg_error_set(err, "--fail-if: '%s': no parameter's name contains '%s' ('sigdiff --all' shows the names)",
                                 condition[i].text, condition[i].name);
    }
    for (size_t i = 0; i < n; i++) {
        struct mpg_condition_result x = {.condition = &condition[i], .before = measurements, .after = 1,
                                         .confidence = mpg_condition_confidence(tests > 0 ? tests : 1)};
        result[i] = x;
        result[i].change = result[i].low = result[i].high = NAN;
        result[i].why = "no parameter of this name can be compared ('sigdiff --all' says why)";
        result[i].verdict = MPG_CONDITION_UNDECIDED;
        bool is_first = true;
        for (size_t k = 0; k < d->n; k++)
            if (is_meant(&d->item[k], &condition[i]) && is_comparable(&d->item[k])) {
                find_change(&x, &d->item[k]);
                if (is_first || says_more(&x, &result[i]))
                    result[i] = x;
                is_first = false;
            }
    }
    return 0;
}
