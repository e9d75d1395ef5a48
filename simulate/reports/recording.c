/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/reports/recording.h"

struct mpg_recording mpg_report_recording(const struct mpg_report *r)
{
    const struct mpg_result *q = r->result;
    double run_ns = 0;
    for (int32_t i = 0; i < q->ranks; i++)
        run_ns += (double)q->recorded_ns[i];
    return mpg_recording_of(&q->counts, run_ns, q->predicted ? MPG_RECORDING_INTERVALS : MPG_RECORDING_ALL, r->p->off_cpu_known,
                            mpg_perturbation_removes_off_cpu(r->p));
}

const char *mpg_report_describe_recording(const struct mpg_report *r, const struct mpg_recording *x, char *text, size_t size)
{
    const bool can_predict = !r->result->predicted && mpg_recording_has_good_intervals(x);
    return mpg_recording_describe(x, can_predict ? ", or ask with --predict" : "", text, size);
}
