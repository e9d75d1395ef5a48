/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run of mpgsim: what was asked, what was read, what was found; and what is given out of it. */
#ifndef MPG_SESSION_H
#define MPG_SESSION_H

#include "history/answer.h"
#include "simulate/options/inputs.h"
#include "simulate/pages/page.h"
#include "simulate/reports/critical.h"
#include "simulate/replica/critical_path.h"
#include "simulate/replica/run_pair.h"
#include "simulate/replica/wait_states.h"
#include "simulate/scenarios/supposed.h"

/* The setting has what AT, the first point of CONFIG, asks for. All zero at first. */
struct mpg_session {
    struct mpg_config config, at;
    const char *trace;
    struct mpg_processes processes;
    struct mpg_files files;
    struct mpg_setting setting; /* of one scenario; of several, with all distributions */
    struct mpg_setting given;      /* of --tolerate: what is asked without what is looked for */
    struct mpg_replica_trace *retrace; /* NULL: no trace is written */
    struct mpg_result result;
    struct mpg_extrapolation extrapolation; /* of result; without a target of parameters empty */
    struct mpg_supposing supposing; /* of result; without hypotheses empty */
    struct mpg_median_waits waits; /* of the answer, or, by callsites, of its page alone */
    struct mpg_where_report where;
    struct mpg_worst_phase phase;
    struct mpg_page_parts page; /* points to phase, and to why it or waits are missing */
    struct mpg_error why_no_waits, why_no_phase;
    struct mpg_run_pair runs; /* for a timeline, or a page */
    struct mpg_critical_path critical;
    struct mpg_critical_report critical_report;
    struct mpg_sheet rows;
    struct mpg_answer answer;
};

/* Before the one scenario is simulated: its trace will be written from what WATCH, which is set then, sees. Errors: those
 * of --output-trace. */
int mpg_session_begin_trace(struct mpg_session *x, const struct mpg_observer **observer, struct mpg_error *err);
/* After it: that trace, and --timeline's. */
int mpg_session_write_traces(struct mpg_session *x, struct mpg_error *err);

/* Finds the worst phase, for a page, from the traced run and the replica with the median run; or why there is none. */
void mpg_session_find_phase(struct mpg_session *x);

/* Adds to REPORT what options ask for of the one scenario's replicas, once more: --where, --where=path, --waits; and
 * finds what a page says of waiting. X has what REPORT points to. */
int mpg_session_add(struct mpg_session *x, struct mpg_report *report, struct mpg_error *err);
/* What was simulated, which X has. */
struct mpg_simulated mpg_session_simulated(const struct mpg_session *x);

/* Writes the answer, and what goes with it: a page, plots, traces; then keeps it in the history. By the first of the
 * processes. Errors: what cannot be written; out of memory; what was asked for of the replicas cannot be found. */
int mpg_session_give(struct mpg_session *x, struct mpg_error *err);

#endif
