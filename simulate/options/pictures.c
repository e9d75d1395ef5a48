/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is asked to be drawn, and what does not go with it. */
#include "simulate/options/arguments.h"

#include <string.h>

static int check_plot(const struct mpg_arguments *a, struct mpg_error *err)
{
    if (a->keep && !a->plot)
        return mpg_error_set(err, "--keep is about --plot");
    if (!a->plot || mpg_arguments_tabulates(a) || (mpg_arguments_sweep(a) && !a->tolerate))
        return 0;
    return mpg_error_set(err, "--plot draws what --sweep or several --signature, --target or TRACE ask for");
}

static int check_report(const struct mpg_arguments *a, struct mpg_error *err)
{
    if (a->report && strcmp(a->report, a->output) == 0)
        return mpg_error_set(err, "--report and the answer both go to '%s'", a->output);
    if (a->report && a->timeline && strcmp(a->report, a->timeline) == 0)
        return mpg_error_set(err, "--report and --timeline both go to '%s'", a->report);
    return 0;
}

int mpg_arguments_parse_timeline(struct mpg_arguments *a, struct mpg_error *err)
{
    if (check_plot(a, err) < 0 || check_report(a, err) < 0)
        return -1;
    const char *part = a->timeline_calls ? "calls" : a->timeline_ranks ? "ranks" : NULL;
    if (!a->timeline)
        return part ? mpg_error_set(err, "--timeline-%s says nothing without --timeline", part) : 0;
    if (mpg_arguments_sweep(a))
        return mpg_error_set(err, "--timeline is about one scenario, and there are several");
    if (strcmp(a->timeline, a->output) == 0)
        return mpg_error_set(err, "--timeline and the answer both go to '%s'", a->output);
    a->timeline_part.lenient = a->lenient;
    if (mpg_timeline_part_parse(a->timeline_calls, NULL, &a->timeline_part, err) < 0)
        return mpg_error_prefix(err, "--timeline-calls");
    if (a->timeline_ranks && mpg_rank_set_parse(a->timeline_ranks, &a->timeline_part.ranks, err) < 0)
        return mpg_error_prefix(err, "--timeline-ranks");
    return 0;
}
