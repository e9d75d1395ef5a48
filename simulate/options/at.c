/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points of a sweep as command lines of their own. */
#include <string.h>

#include "simulate/options/arguments.h"

bool mpg_arguments_sweep(const struct mpg_arguments *a)
{
    return a->sweep.points > 1 || a->signatures.n > 1;
}

/* What an option that gives distributions has; NULL: WHAT is none. */
static struct mpg_option_list *dists_of(struct mpg_arguments *a, enum mpg_swept what)
{
    struct mpg_option_list *const lists[MPG_SWEPTS] = {[MPG_SWEPT_NOISE] = &a->noise,
                                                       [MPG_SWEPT_CALL_NOISE] = &a->call_noise,
                                                       [MPG_SWEPT_LATENCY] = &a->latency,
                                                       [MPG_SWEPT_BYTE] = &a->byte};
    return lists[what];
}

/* --- what does not go together --- */

static bool is_given(void *arguments, enum mpg_swept what)
{
    return dists_of(arguments, what)->n > 0;
}

int mpg_arguments_parse_sweep(struct mpg_arguments *a, struct mpg_error *err)
{
    if (a->target) { /* of which it is the keys */
        a->sweep.points = 1;
        return mpg_key_sweep_parse(&a->keys, &a->sweeps, err);
    }
    if (!a->tolerate)
        return mpg_sweep_parse(&a->sweep, &a->sweeps, err);
    if (a->sweeps.n > 0)
        return mpg_error_set(err, "--tolerate and --sweep exclude each other");
    if (a->predict && a->signatures.n == 0 && a->latency.n == 0)
        return mpg_error_set(err, "--predict: neither --signature nor --latency says what messages take, of which more "
                                  "is tolerated");
    return mpg_sweep_tolerate(&a->sweep, a->tolerate, &a->tolerated, is_given, a, err);
}

/* OF_MACHINE: there is a signature, whose noise has factors, too. */
static int check_dists(const struct mpg_axis *x, const struct mpg_option_list *given, bool of_machine,
                       struct mpg_error *err)
{
    const char *name = mpg_swept_name(x->what);
    if (x->unit == MPG_SWEEP_TIME && given->n > 0)
        return mpg_error_set(err, "%s: '%s': times are const:T, and there is --%s=%s (plain numbers "
                                  "are factors of that)", x->option, x->text, name, given->item[0]);
    if (x->unit == MPG_SWEEP_FACTOR && x->what == MPG_SWEPT_NOISE && of_machine)
        return 0;
    if (x->unit == MPG_SWEEP_FACTOR && given->n == 0)
        return mpg_error_set(err, "%s: '%s': plain numbers are factors, and there is no --%s that "
                                  "they could be factors of (times have a unit: 5us)", x->option, x->text,
                             name);
    for (size_t i = 0; i < given->n; i++)
        if (x->what == MPG_SWEPT_CALL_NOISE && strcmp(given->item[i], "signature") == 0)
            return mpg_error_set(err, "%s: '%s': --call-noise=signature has no factor", x->option,
                                 x->text);
    return 0;
}

/* What --NAME gives is swept. */
static int excludes(const struct mpg_axis *x, struct mpg_error *err)
{
    const char *name = mpg_swept_name(x->what);
    return mpg_error_set(err, "--%s and %s %s exclude each other", name, x->option, name);
}

static int check_axis(struct mpg_arguments *a, const struct mpg_axis *x, struct mpg_error *err)
{
    const struct mpg_option_list *dists = dists_of(a, x->what);
    if (dists)
        return check_dists(x, dists, a->signatures.n > 0, err);
    for (size_t i = 0; x->what == MPG_SWEPT_COMPUTE_RATIO && i < a->compute_ratio.n; i++)
        if (!strchr(a->compute_ratio.item[i], '@'))
            return excludes(x, err);
    if (x->what == MPG_SWEPT_COMPUTE_RATIO && a->compute_ratio.n == MPG_OPTION_LIST_MAX)
        return mpg_error_set(err, "--compute-ratio is given too often for --sweep compute-ratio");
    return (x->what == MPG_SWEPT_EAGER_LIMIT && a->given.eager_limit) ||
                   (x->what == MPG_SWEPT_ABSORB && a->absorb) || (x->what == MPG_SWEPT_MAP && a->map)
               ? excludes(x, err)
               : 0;
}

int mpg_arguments_check_sweep(const struct mpg_arguments *a, struct mpg_error *err)
{
    struct mpg_arguments x = *a;
    if (!mpg_arguments_sweep(a))
        return 0;
    for (size_t i = 0; i < a->sweep.axes; i++)
        if (check_axis(&x, &a->sweep.axis[i], err) < 0)
            return -1;
    if (a->per_rank || a->output_trace)
        return mpg_error_set(err, "--%s is about one scenario, and there are several",
                             a->per_rank ? "per-rank" : "output-trace");
    if (a->signatures.n > MPG_SWEEP_MOST / a->sweep.points)
        return mpg_error_set(err, "--sweep: a grid of more than %d points, with the signatures",
                             MPG_SWEEP_MOST);
    return 0;
}

/* --- a point --- */

static void add_item(struct mpg_option_list *list, const char *text)
{
    if (list->n < MPG_OPTION_LIST_MAX)
        list->item[list->n++] = text;
}

static void set_value(struct mpg_arguments *a, const struct mpg_axis *x, size_t place)
{
    char *text = a->swept[x->what];
    switch (x->unit) {
    case MPG_SWEEP_TIME:
        snprintf(text, sizeof a->swept[0], "const:%.17gns", x->value[place]);
        add_item(dists_of(a, x->what), text);
        break;
    case MPG_SWEEP_FACTOR:
        break;
    case MPG_SWEEP_RATIO:
        snprintf(text, sizeof a->swept[0], "%.17g", x->value[place]);
        add_item(&a->compute_ratio, text);
        break;
    case MPG_SWEEP_SIZE:
        a->eager_limit = (int64_t)x->value[place];
        a->given.eager_limit = true;
        break;
    case MPG_SWEEP_WORD:
        *(x->what == MPG_SWEPT_MAP ? &a->map : &a->absorb) = x->word[place];
        break;
    }
}

void mpg_arguments_at(const struct mpg_arguments *a, const char *signature, size_t point,
                      struct mpg_arguments *at)
{
    *at = *a;
    at->signature = signature;
    for (size_t i = 0; i < a->sweep.axes; i++)
        set_value(at, &a->sweep.axis[i], mpg_sweep_place(&a->sweep, i, point));
}
