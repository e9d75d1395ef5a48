/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing the noise of a signature. */
#include "signature/file/detours.h"

static void write_quanta(struct mpg_json *out, const char *key,
                         const struct mpg_noise_quanta *q)
{
    if (!q->lost_ns)
        return;
    mpg_json_break(out);
    mpg_json_object(out, key);
    mpg_json_number(out, "quantum_ns", q->quantum_ns);
    mpg_json_put_distribution(out, "lost_ns", q->lost_ns);
    mpg_json_close(out);
}

static void write_series(struct mpg_json *out, const char *key, const char *step,
                         const char *mean, const char *max, const struct mpg_noise_series *s)
{
    if (s->n == 0)
        return;
    mpg_json_break(out);
    mpg_json_object(out, key);
    mpg_json_number(out, step, s->step);
    mpg_json_numbers(out, mean, s->mean, s->n);
    mpg_json_numbers(out, max, s->max, s->n);
    mpg_json_close(out);
}

static void write_lines(struct mpg_json *out, const struct mpg_noise_core *c)
{
    if (c->false_alarm > 0)
        mpg_json_number(out, "false_alarm", c->false_alarm);
    if (c->lines == 0)
        return;
    mpg_json_array(out, "lines");
    for (size_t i = 0; i < c->lines; i++) {
        const struct mpg_noise_line *line = &c->line[i];
        mpg_json_break(out);
        mpg_json_object(out, NULL);
        mpg_json_number(out, "frequency_hz", line->frequency_hz);
        mpg_json_number(out, "amplitude_ns", line->amplitude_ns);
        mpg_json_number(out, "harmonic_of_hz", line->harmonic_of_hz);
        mpg_json_number(out, "false_alarm", line->false_alarm);
        mpg_json_close(out);
    }
    mpg_json_close(out);
}

static int write_core(struct mpg_json *out, struct mpg_detours_allowance *allowance, const struct mpg_noise_core *c,
                      struct mpg_error *err)
{
    mpg_json_object(out, NULL);
    mpg_json_text(out, "host", c->host);
    mpg_json_integer(out, "core", c->core);
    if (c->cores_at_once > 0)
        mpg_json_integer(out, "cores_at_once", c->cores_at_once);
    mpg_json_number(out, "threshold_ns", c->threshold_ns);
    mpg_json_number(out, "span_ns", c->span_ns);
    if (c->offset_ns > 0)
        mpg_json_number(out, "offset_ns", c->offset_ns);
    if (c->together)
        mpg_json_bool(out, "together", true);
    mpg_json_number(out, "fraction_lost", c->fraction_lost);
    if (c->off_known)
        mpg_json_number(out, "fraction_off_cpu", c->fraction_off);
    if (c->alone_lost >= 0)
        mpg_json_number(out, "alone_lost", c->alone_lost);
    if (mpg_detours_write(out, allowance, c, err) < 0)
        return -1;
    mpg_json_break(out);
    mpg_json_put_distribution(out, "gap_ns", c->gap_ns);
    mpg_json_break(out);
    mpg_json_put_distribution(out, "duration_ns", c->length_ns);
    write_quanta(out, "ftq", &c->ftq);
    write_quanta(out, "fwq", &c->fwq);
    write_series(out, "series", "step_ns", "mean_ns", "most_ns", &c->series);
    write_series(out, "spectrum", "step_hz", "mean_ns2_per_hz", "most_ns2_per_hz", &c->spectrum);
    write_lines(out, c);
    if (c->lags > 0)
        mpg_json_numbers(out, "autocorrelation", c->autocorrelation, c->lags);
    mpg_json_break(out);
    if (c->events > 0)
        mpg_json_put_facts(out, "events", c->event, c->events);
    mpg_json_close(out);
    return 0;
}

int mpg_write_noise(struct mpg_json *out, const struct mpg_signature *sig, struct mpg_error *err)
{
    struct mpg_detours_allowance allowance = {0, 0};
    mpg_json_break(out);
    mpg_json_array(out, "noise");
    for (size_t i = 0; i < sig->cores; i++) {
        mpg_json_break(out);
        if (write_core(out, &allowance, &sig->core[i], err) < 0)
            return mpg_error_prefix(err, "noise[%zu]", i);
    }
    mpg_json_close(out);
    return 0;
}
