/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/reports/row_answer.h"

#include <stdlib.h>
#include <string.h>

#include "simulate/reports/recording.h"

int mpg_row_answer_take(struct mpg_row_answer *answer, const struct mpg_report *report, struct mpg_error *err)
{
    const struct mpg_result *q = report->result;
    struct mpg_report r = *report;
    if (!(answer->run_ns = malloc(q->replicas * sizeof *answer->run_ns)))
        return mpg_error_set(err, "out of memory");
    answer->run = mpg_report_run(&r, answer->run_ns); /* also sorts answer->run_ns */
    answer->replicas = q->replicas;
    if (q->predicted)
        answer->account = mpg_result_run_account(q);
    memcpy(answer->run_ns, q->run_ns, q->replicas * sizeof *answer->run_ns);
    mpg_report_take_reliability(&r, &answer->reliability);
    return mpg_report_take_notes(&r, &answer->warnings, &answer->assumed, err) < 0 ? -1
                                                                                   : mpg_notes_end(&answer->reliability, err);
}

void mpg_row_answer_clear(struct mpg_row_answer *answer)
{
    free(answer->run_ns);
    answer->run_ns = NULL;
    mpg_notes_clear(&answer->warnings);
    mpg_notes_clear(&answer->assumed);
    mpg_notes_clear(&answer->reliability);
}

double mpg_row_answer_faster(const struct mpg_row_answer *a, const struct mpg_row_answer *b)
{
    const uint32_t max = a->replicas > b->replicas ? a->replicas : b->replicas;
    double faster = 0;
    for (uint32_t i = 0; i < max; i++) {
        const double x = a->run_ns[a->replicas > 1 ? i : 0], y = b->run_ns[b->replicas > 1 ? i : 0];
        faster += x < y ? 1 : x > y ? 0 : 0.5;
    }
    return faster / max;
}

char *mpg_format_faster(char *text, size_t size, double part)
{
    snprintf(text, size, "%s in %.1f %%", part < 0.5 ? "slower" : "faster", 100 * (part < 0.5 ? 1 - part : part));
    return text;
}
