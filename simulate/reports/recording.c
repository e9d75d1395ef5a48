/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/reports/recording.h"

#include "common/printable.h"

static struct mpg_recording recording_for(const struct mpg_report *r, enum mpg_recording_use use)
{
    const struct mpg_result *q = r->result;
    double run_ns = 0;
    for (int32_t i = 0; i < q->ranks; i++)
        run_ns += (double)q->recorded_ns[i];
    return mpg_recording_of(&q->counts, run_ns, use, r->p->off_cpu_known, mpg_perturbation_removes_off_cpu(r->p));
}

struct mpg_recording mpg_report_recording(const struct mpg_report *r)
{
    return recording_for(r, r->result->predicted ? MPG_RECORDING_INTERVALS : MPG_RECORDING_ALL);
}

/* Smallest change of computation, as a fraction, that makes an answer unreliable; equal to the limit for recordings. */
static const double MAX_MOVES = 0.1;

bool mpg_report_is_perturbed_reliable(const struct mpg_report *r)
{
    return recording_for(r, MPG_RECORDING_ALL).reliable && !mpg_report_wrong_noise(r);
}

const struct mpg_signature_failure *mpg_report_wrong_noise(const struct mpg_report *r)
{
    const struct mpg_signature *sig = r->p->target;
    const struct mpg_signature_failure *worst = NULL;
    if (!sig || !mpg_perturbation_noise_measured(r->p))
        return NULL;
    for (size_t i = 0; i < sig->failures; i++) {
        const struct mpg_signature_failure *x = &sig->failure[i];
        if ((x->parts & MPG_PART_NOISE) && x->moves > MAX_MOVES && (!worst || x->moves > worst->moves))
            worst = x;
    }
    return worst;
}

bool mpg_report_is_reliable(const struct mpg_report *r)
{
    const struct mpg_recording recording = mpg_report_recording(r);
    return recording.reliable && !mpg_report_wrong_noise(r);
}

const char *mpg_report_describe_wrong_noise(const struct mpg_report *r, char *text, size_t size)
{
    const struct mpg_signature_failure *wrong = mpg_report_wrong_noise(r);
    char effect[80], name[80];
    snprintf(text, size, "NOT RELIABLE, measure again on an idle machine: %s (%s)",
             mpg_printable(name, sizeof name, wrong->check), mpg_signature_effect(wrong, effect, sizeof effect));
    return text;
}

void mpg_report_take_reliability(const struct mpg_report *r, struct mpg_notes *list)
{
    const struct mpg_recording recording = mpg_report_recording(r);
    char text[320];
    if (!recording.reliable)
        mpg_notes_add(list, "Recording", "%s", mpg_report_describe_recording(r, &recording, text, sizeof text));
    if (mpg_report_wrong_noise(r))
        mpg_notes_add(list, "Signature", "%s", mpg_report_describe_wrong_noise(r, text, sizeof text));
}

const char *mpg_report_describe_recording(const struct mpg_report *r, const struct mpg_recording *x, char *text, size_t size)
{
    const bool can_predict = !r->result->predicted && mpg_recording_has_good_intervals(x);
    return mpg_recording_describe(x, can_predict ? ", or ask with --predict" : "", text, size);
}
