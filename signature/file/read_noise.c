/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading the noise of a signature. */
#include <math.h>

#include "signature/file/detours.h"

/* Reads two arrays of equal length, keys A and B. */
static int get_pair(const json_t *object, size_t max, const char *a, double **a_values,
                    const char *b, double **b_values, size_t *n, struct mpg_error *err)
{
    size_t others;
    if (mpg_json_get_numbers(object, a, max, a_values, n, err) < 0 ||
        mpg_json_get_numbers(object, b, max, b_values, &others, err) < 0)
        return -1;
    if (others != *n)
        return mpg_error_set(err, "%s has %zu values, %s has %zu", a, *n, b, others);
    return 0;
}

static int parse_quanta(const json_t *core, const char *key, struct mpg_noise_quanta *q,
                        struct mpg_error *err)
{
    const json_t *object;
    if (mpg_json_get(core, key, JSON_OBJECT, &object, err) < 0)
        return -1;
    if (mpg_json_get_number(object, "quantum_ns", &q->quantum_ns, err) < 0 ||
        mpg_json_get_distribution(object, "lost_ns", &q->lost_ns, err) < 0)
        return mpg_error_prefix(err, "%s", key);
    return 0;
}

static int parse_series(const json_t *core, const char *key, const char *step, const char *mean,
                        const char *max, struct mpg_noise_series *s, struct mpg_error *err)
{
    const json_t *object;
    if (mpg_json_get(core, key, JSON_OBJECT, &object, err) < 0)
        return -1;
    if (object && (mpg_json_need_number(object, step, &s->step, err) < 0 ||
                   get_pair(object, MPG_SIGNATURE_MAX_LIST, mean, &s->mean, max, &s->max, &s->n,
                            err) < 0))
        return mpg_error_prefix(err, "%s", key);
    return 0;
}

static int parse_lines(const json_t *core, struct mpg_noise_core *c, struct mpg_error *err)
{
    struct mpg_json_list lines;
    if (mpg_json_get_list(core, "lines", MPG_SIGNATURE_MAX_LIST, sizeof *c->line, &lines, err) < 0)
        return -1;
    c->line = lines.memory;
    while (c->lines < lines.n) {
        size_t i = c->lines++;
        const json_t *object = json_array_get(lines.array, i);
        struct mpg_noise_line *line = &c->line[i];
        if (mpg_json_need_number(object, "frequency_hz", &line->frequency_hz, err) < 0 ||
            mpg_json_need_number(object, "amplitude_ns", &line->amplitude_ns, err) < 0 ||
            mpg_json_get_number(object, "harmonic_of_hz", &line->harmonic_of_hz, err) < 0 ||
            mpg_json_get_number(object, "false_alarm", &line->false_alarm, err) < 0)
            return mpg_error_prefix(err, "lines[%zu]", i);
    }
    return 0;
}

/* Computes values of core C that the file may omit, since they follow from the detours. Errors: a stated fraction contradicts the
 * detours. The file must state the fraction of a truncated record. */
static int derive_core(const json_t *object, struct mpg_noise_core *c, struct mpg_error *err)
{
    double stated = NAN;
    if (mpg_json_get_number(object, "fraction_lost", &stated, err) < 0)
        return -1;
    if (c->blocks.recorded > 0) {
        if (mpg_json_need_number(object, "fraction_lost", &c->fraction_lost, err) < 0)
            return -1;
        return mpg_noise_core_check(c, err);
    }
    if (mpg_noise_core_check(c, err) < 0 || mpg_noise_core_derive(c, err) < 0)
        return -1;
    if (!isnan(stated) && !(fabs(stated - c->fraction_lost) <= 1e-6))
        return mpg_error_set(err, "fraction_lost is %g, the detours say %g", stated,
                             c->fraction_lost);
    return 0;
}

static int parse_core(const json_t *object, struct mpg_detours_allowance *allowance,
                      struct mpg_noise_core *c, struct mpg_error *err)
{
    c->alone_lost = -1;
    if (mpg_json_get_text(object, "host", &c->host, err) < 0 ||
        mpg_json_need_count(object, "core", 0, &c->core, err) < 0 ||
        mpg_json_get_count(object, "cores_at_once", 1, &c->cores_at_once, err) < 0 ||
        mpg_json_get_number(object, "threshold_ns", &c->threshold_ns, err) < 0 ||
        mpg_json_get_number(object, "span_ns", &c->span_ns, err) < 0 ||
        mpg_json_get_number(object, "offset_ns", &c->offset_ns, err) < 0 ||
        mpg_json_get_flag(object, "together", &c->together, err) < 0 ||
        mpg_json_get_number(object, "alone_lost", &c->alone_lost, err) < 0 ||
        mpg_json_get_number(object, "fraction_off_cpu", &c->fraction_off, err) < 0 ||
        mpg_json_get_distribution(object, "gap_ns", &c->gap_ns, err) < 0 ||
        mpg_json_get_distribution(object, "duration_ns", &c->length_ns, err) < 0 ||
        mpg_detours_read(object, allowance, c, err) < 0 ||
        parse_quanta(object, "ftq", &c->ftq, err) < 0 ||
        parse_quanta(object, "fwq", &c->fwq, err) < 0 ||
        parse_series(object, "series", "step_ns", "mean_ns", "most_ns", &c->series, err) < 0 ||
        parse_series(object, "spectrum", "step_hz", "mean_ns2_per_hz", "most_ns2_per_hz",
                     &c->spectrum, err) < 0 ||
        mpg_json_get_number(object, "false_alarm", &c->false_alarm, err) < 0 ||
        parse_lines(object, c, err) < 0 ||
        mpg_json_get_numbers(object, "autocorrelation", MPG_SIGNATURE_MAX_LIST,
                             &c->autocorrelation, &c->lags, err) < 0 ||
        mpg_json_get_facts(object, "events", MPG_SIGNATURE_MAX_FACTS, &c->event, &c->events,
                           err) < 0)
        return -1;
    return derive_core(object, c, err);
}

int mpg_read_noise(const json_t *root, struct mpg_signature *sig, struct mpg_error *err)
{
    struct mpg_json_list cores;
    struct mpg_detours_allowance allowance = {0, 0};
    if (mpg_json_get_list(root, "noise", MPG_SIGNATURE_MAX_CORES, sizeof *sig->core, &cores,
                          err) < 0)
        return -1;
    sig->core = cores.memory;
    while (sig->cores < cores.n) {
        size_t i = sig->cores++;
        if (parse_core(json_array_get(cores.array, i), &allowance, &sig->core[i], err) < 0)
            return mpg_error_prefix(err, "noise[%zu]", i);
    }
    return 0;
}
