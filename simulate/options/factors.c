/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options --noise=xF, --call-noise=xF, --latency=xF and --byte=xF, which multiply the signature's values by F. */
#include <stdlib.h>
#include <string.h>

#include "simulate/models/corrections.h"
#include "simulate/models/factors.h"
#include "simulate/options/inputs.h"

static const double MAX_FACTOR = 1e6;

struct mpg_option_list *mpg_config_dists(struct mpg_perturbation_config *x, enum mpg_swept what)
{
    struct mpg_option_list *const lists[MPG_SWEPTS] = {[MPG_SWEPT_NOISE] = &x->noise,
                                                       [MPG_SWEPT_CALL_NOISE] = &x->call_noise,
                                                       [MPG_SWEPT_LATENCY] = &x->latency,
                                                       [MPG_SWEPT_BYTE] = &x->byte};
    return lists[what];
}

bool mpg_config_scales_messages(const struct mpg_config *c)
{
    return c->change.factor[MPG_SWEPT_LATENCY].given || c->change.factor[MPG_SWEPT_BYTE].given;
}

/* Sets FACTOR to the factor in TEXT, "xF". */
static int take(const char *text, struct mpg_factor *factor, struct mpg_error *err)
{
    double value;
    if (mpg_sweep_parse_factor(text, &value, err) < 0)
        return -1;
    if (value > MAX_FACTOR)
        return mpg_error_set(err, "'%s' is not from x0 to x1e6", text);
    if (factor->given)
        return mpg_error_set(err, "two factors, x%.17g and %s", factor->factor, text);
    *factor = (struct mpg_factor){true, value};
    return 0;
}

int mpg_config_check_factor(struct mpg_config *c, enum mpg_swept what, struct mpg_error *err)
{
    static const char *const parts[MPG_FACTORS] = {"noise", "noise", "message times", "message times"};
    const struct mpg_option_list *given = mpg_config_dists(&c->change, what);
    if (c->target.signatures.n == 0)
        return mpg_error_set(err, "xF multiplies a signature's %s, and there is no --signature", parts[what]);
    if (what == MPG_SWEPT_CALL_NOISE && c->target.predict)
        return mpg_error_set(err, "xF changes noise in recorded calls, and --predict does not use recorded calls");
    for (size_t i = 0; what == MPG_SWEPT_CALL_NOISE && i < given->n; i++)
        if (strcmp(given->item[i], "signature") == 0)
            return mpg_error_set(err, "xF and signature exclude each other: signature is x1");
    if (what != MPG_SWEPT_CALL_NOISE && given->n > 0)
        return mpg_error_set(err, "xF multiplies the signature's values, but '%s' replaces these values", given->item[0]);
    if (what >= MPG_SWEPT_LATENCY && (c->model.latency == MPG_TIME_FIT || c->model.byte == MPG_TIME_FIT))
        return mpg_error_set(err, "xF and --models=%s=fit exclude each other: families are fitted to the measured values",
                             c->model.byte == MPG_TIME_FIT ? "byte" : "latency");
    return 0;
}

int mpg_config_take_factors(struct mpg_config *c, struct mpg_error *err)
{
    for (int what = 0; what < MPG_FACTORS; what++) {
        struct mpg_option_list *list = mpg_config_dists(&c->change, (enum mpg_swept)what);
        struct mpg_factor *factor = &c->change.factor[what];
        const struct mpg_option_list given = *list;
        list->n = 0;
        for (size_t i = 0; i < given.n; i++)
            if (!mpg_sweep_is_factor(given.item[i]))
                list->item[list->n++] = given.item[i];
            else if (take(given.item[i], factor, err) < 0)
                return mpg_error_prefix(err, "--%s", mpg_swept_name((enum mpg_swept)what));
    }
    for (int what = 0; what < MPG_FACTORS; what++)
        if (c->change.factor[what].given && mpg_config_check_factor(c, (enum mpg_swept)what, err) < 0)
            return mpg_error_prefix(err, "--%s", mpg_swept_name((enum mpg_swept)what));
    return 0;
}

void mpg_setting_take_factors(struct mpg_setting *in, const struct mpg_config *c)
{
    const struct mpg_factor *x = c->change.factor;
    struct mpg_perturbation *p = &in->p;
    p->scales_noise = x[MPG_SWEPT_NOISE].given && x[MPG_SWEPT_NOISE].factor != 1;
    p->noise_factor = x[MPG_SWEPT_NOISE].factor;
    p->scales_call_noise = x[MPG_SWEPT_CALL_NOISE].given;
    p->call_noise_factor = x[MPG_SWEPT_CALL_NOISE].factor;
    p->call_noise_of_target = p->call_noise_of_target || p->scales_call_noise;
    p->latency_factor = x[MPG_SWEPT_LATENCY].given ? x[MPG_SWEPT_LATENCY].factor : 1;
    p->byte_factor = x[MPG_SWEPT_BYTE].given ? x[MPG_SWEPT_BYTE].factor : 1;
    p->scales_messages = p->latency_factor != 1 || p->byte_factor != 1;
}

int mpg_setting_scale_messages(struct mpg_setting *in, const struct mpg_signature *target, struct mpg_error *err)
{
    const struct mpg_perturbation *p = &in->p;
    const struct mpg_time_factors factors = {p->latency_factor, p->byte_factor};
    const char *option = p->latency_factor != 1 ? "latency" : "byte";
    if (!p->scales_messages)
        return 0;
    if (target->paths == 0)
        return mpg_error_set(err, "%s: --%s=x%.6g: the signature has no message times", target->path, option,
                             p->latency_factor != 1 ? p->latency_factor : p->byte_factor);
    if (!p->predicts && !in->source.signature)
        return mpg_error_set(err, "--%s=x%.6g: message times on the traced machine are unknown: give --source=FILE; "
                                  "--predict does not need it", option,
                             p->latency_factor != 1 ? p->latency_factor : p->byte_factor);
    in->scaled = mpg_factors_apply(target, &factors, err);
    if (!in->scaled || mpg_bound_overheads(in->scaled, err) < 0)
        return -1;
    in->target = in->scaled;
    return 0;
}

int mpg_setting_check_noise(const struct mpg_setting *in, const struct mpg_config *c, struct mpg_error *err)
{
    const struct mpg_factor *factor = &c->change.factor[MPG_SWEPT_NOISE];
    return factor->given && in->p.target_cores == 0
               ? mpg_error_set(err, "%s: --noise=x%.6g: the signature has no noise", in->target->path, factor->factor)
               : 0;
}
