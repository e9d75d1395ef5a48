/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Outputs about the replicas of a single scenario: attribution, critical path, wait states, and the runs over time in a page. */
#include <stdlib.h>
#include <string.h>

#include "common/terminal.h"
#include "simulate/outputs/session.h"

struct mpg_simulated mpg_session_simulated(const struct mpg_session *x)
{
    return (struct mpg_simulated){.trace = x->files.trace,
                                  .p = &x->setting.p,
                                  .options = &x->setting.simulation,
                                  .result = &x->result};
}

/* --- the runs over time in a page --- */

struct ranked {
    int32_t rank;
    double computation_ns;
};

static int more_computation(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->computation_ns != y->computation_ns)
        return x->computation_ns > y->computation_ns ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static int by_rank(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return x < y ? -1 : x > y;
}

/* Fills DRAWN with the ranks whose calls the page shows, ascending: half with the most computation (perturb mode: the most delay
 * injected into computation), half with the least. Returns the number of ranks, or -1: out of memory. */
static int choose_drawn(const struct mpg_result *r, int32_t drawn[MPG_OVERVIEW_RANKS])
{
    const int n = r->ranks < MPG_OVERVIEW_RANKS ? r->ranks : MPG_OVERVIEW_RANKS;
    struct ranked *all = malloc((size_t)r->ranks * sizeof *all);
    if (!all)
        return -1;
    for (int32_t i = 0; i < r->ranks; i++)
        all[i] = (struct ranked){i, r->predicted ? r->run_account[i].compute_ns : r->account[i].compute_ns};
    qsort(all, (size_t)r->ranks, sizeof *all, more_computation);
    for (int i = 0; i < n; i++)
        drawn[i] = all[i < (n + 1) / 2 ? i : r->ranks - n + i].rank;
    qsort(drawn, (size_t)n, sizeof *drawn, by_rank);
    free(all);
    return n;
}

/* Makes empty overviews, for a page or for JSON. */
static int make_overviews(struct mpg_session *x, struct mpg_error *err)
{
    int32_t drawn[MPG_OVERVIEW_RANKS];
    const int n = choose_drawn(&x->result, drawn);
    if (n < 0)
        return mpg_error_set(err, "out of memory");
    x->overviews.traced = mpg_overview_new(x->result.ranks, drawn, (size_t)n, MPG_WAIT_TRACED, err);
    x->overviews.predicted = mpg_overview_new(x->result.ranks, drawn, (size_t)n,
                                              x->result.predicted ? MPG_WAIT_COMMON_CLOCK : MPG_WAIT_DELAYS, err);
    return x->overviews.traced && x->overviews.predicted ? 0 : -1;
}

static int find_waits(struct mpg_session *x, enum mpg_waits_by by, struct mpg_error *err)
{
    const struct mpg_simulated what = mpg_session_simulated(x);
    const bool has_overviews = x->at.output.report || x->at.output.json;
    if ((has_overviews && make_overviews(x, err) < 0) ||
        mpg_median_waits_find(&x->waits, &what, by, has_overviews ? &x->overviews : NULL, err) < 0)
        return -1;
    if (!has_overviews)
        return 0;
    mpg_overview_align(x->overviews.traced, x->overviews.predicted);
    x->page.recorded = x->overviews.traced;
    x->page.predicted = x->overviews.predicted;
    x->page.trace = x->files.trace;
    return 0;
}

/* --- secondary outputs --- */

/* Adds wait states to REPORT. */
static int add_waits(struct mpg_session *x, struct mpg_report *report, struct mpg_error *err)
{
    if (x->at.question.waits == MPG_WAITS_BY_COUNT)
        return 0;
    report->waits = &x->waits.report;
    if (find_waits(x, x->at.question.waits, err) < 0)
        return -1;
    report->waits_replica = x->waits.replica;
    if (x->at.output.json) {
        report->recorded_run = x->overviews.traced;
        report->predicted_run = x->overviews.predicted;
    }
    return 0;
}

static int add_where(struct mpg_session *x, struct mpg_report *report, struct mpg_error *err)
{
    const struct mpg_question_config *q = &x->at.question;
    if (q->where_tables == 0)
        return 0;
    report->where = &x->where;
    return mpg_where_report_make(&x->where, x->result.where, x->files.trace, x->at.target.predict, q->where_by,
                                 q->where_tables, err);
}

/* Adds the further runs of the short answer to REPORT. */
static int add_short(struct mpg_session *x, struct mpg_report *report, struct mpg_error *err)
{
    static const enum mpg_attribution_by by = MPG_ATTRIBUTION_BY_CALLSITE;
    report->verbose = x->at.output.verbose;
    if (!mpg_config_gives_short_answer(&x->at))
        return 0;
    report->companions = &x->companions;
    report->short_where = &x->short_where;
    report->columns = strcmp(x->at.output.output, "-") == 0 ? mpg_terminal_columns() : 0;
    if (!x->result.where) /* simulated in the order of time, without paths */
        return 0;
    return mpg_where_report_make(&x->short_where, x->result.where, x->files.trace, true, &by, 1, err);
}

/* Adds the critical path to REPORT. */
static int add_critical(struct mpg_session *x, struct mpg_report *report, struct mpg_error *err)
{
    static const enum mpg_attribution_by call = MPG_ATTRIBUTION_BY_CALL;
    const struct mpg_config *c = &x->at;
    const struct mpg_simulated what = mpg_session_simulated(x);
    if (!c->question.critical_path)
        return 0;
    enum mpg_attribution_by by[MPG_ATTRIBUTION_BY_COUNT];
    size_t n = 0;
    for (size_t i = 0; i < c->question.where_tables; i++)
        if (c->question.where_by[i] != MPG_ATTRIBUTION_BY_PAIR) /* pairs of ranks are attributed only over all replicas */
            by[n++] = c->question.where_by[i];
    if (mpg_critical_path_find(&x->critical, &what, (uint32_t)c->question.segments, n > 0 ? by : &call, n > 0 ? n : 1, err) < 0)
        return -1;
    x->critical_report = (struct mpg_critical_report){.path = x->critical.path,
                                                      .table = x->critical.table,
                                                      .tables = x->critical.tables,
                                                      .where = x->critical.where,
                                                      .trace = x->files.trace,
                                                      .replica = x->critical.replica};
    report->critical = &x->critical_report;
    return 0;
}

/* Finds wait states by callsite for a page if the answer has none; if unknown, stores the reason. */
static void find_page_waits(struct mpg_session *x)
{
    if (!x->at.output.report || x->at.question.waits != MPG_WAITS_BY_COUNT)
        return;
    if (x->at.target.by_events || x->result.shared.are)
        mpg_error_set(&x->why_no_waits, "wait states are not found in the order of simulated time");
    else if (find_waits(x, MPG_WAITS_BY_CALLSITE, &x->why_no_waits) == 0)
        return;
    x->page.why_no_waits = x->why_no_waits.text;
}

int mpg_session_add(struct mpg_session *x, struct mpg_report *report, struct mpg_error *err)
{
    if (add_short(x, report, err) < 0 || add_where(x, report, err) < 0 || add_critical(x, report, err) < 0 ||
        add_waits(x, report, err) < 0)
        return -1;
    find_page_waits(x);
    mpg_session_find_phase(x);
    return 0;
}
