/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run of mpgsim: configuration, inputs, results and outputs. */
#ifndef MPG_SESSION_H
#define MPG_SESSION_H

#include "history/answer.h"
#include "simulate/options/inputs.h"
#include "simulate/pages/page.h"
#include "simulate/reports/critical.h"
#include "simulate/reports/tasks.h"
#include "simulate/replica/critical_path.h"
#include "simulate/replica/run_pair.h"
#include "simulate/replica/wait_states.h"
#include "simulate/scenarios/cause_runs.h"
#include "simulate/scenarios/companions.h"
#include "simulate/scenarios/hypothesis_runs.h"
#include "simulate/tasks/redistribute.h"

/* Everything about a run of mpgsim. SETTING is the setting of AT, the first point of CONFIG. Zero-initialised at first. */
struct mpg_session {
    struct mpg_config config, at;
    const char *trace;
    struct mpg_processes processes;
    struct mpg_files files;
    struct mpg_setting setting; /* setting of the only scenario; with several scenarios, a setting with all distributions */
    struct mpg_setting given;      /* --tolerate: the setting without the parameter whose tolerated value is searched */
    struct mpg_replica_trace *retrace; /* writer of --output-trace; NULL: not requested */
    struct mpg_result result;
    struct mpg_extrapolation extrapolation; /* extrapolation of `result`; empty without a target of parameters */
    struct mpg_redistributed redistributed; /* tasks by arrival; empty: not wanted, or the trace has none */
    struct mpg_trace *traced;    /* the recorded trace, if `files` has the trace with redistributed tasks; else NULL */
    struct mpg_task_report tasks;
    bool has_tasks;              /* the answer mentions `tasks` */
    struct mpg_cause_worths cause_worths; /* runs without each cause of noise; empty: not asked for */
    struct mpg_hypothesis_shares hypothesis_shares; /* shares of the hypotheses in `result`; empty without hypotheses */
    struct mpg_median_waits waits; /* wait states for the answer, or only for the page (then by callsite) */
    struct mpg_where_report where;
    struct mpg_companions companions;      /* further runs for the short answer about `result` */
    struct mpg_where_report short_where;
    struct mpg_worst_phase phase;
    struct mpg_page_parts page; /* points to phase, or to the reasons why phase or waits are missing */
    struct mpg_overviews overviews; /* of a page; NULL: none */
    struct mpg_error why_no_waits, why_no_phase;
    struct mpg_run_pair runs; /* traced run and replica as traces, for --timeline and for a page */
    struct mpg_critical_path critical;
    struct mpg_critical_report critical_report;
    struct mpg_result_table rows;
    struct mpg_answer answer;
};

/* With --tasks=by-arrival, to be called before the scenario is simulated: replaces the trace in X's files by a trace with tasks
 * given out by arrival. Returns 0, or -1 with ERR: the trace has no master that hands out tasks; an error of a simulation. */
int mpg_session_give_out_tasks(struct mpg_session *x, struct mpg_error *err);
/* To be called after the simulation, on the first process: finds the answer's findings about tasks. */
void mpg_session_describe_tasks(struct mpg_session *x);
/* Begins the trace of --output-trace; to be called before the scenario is simulated, with *OBSERVER as the observer of the
 * simulation. Returns 0, or -1 with ERR about --output-trace. */
int mpg_session_begin_trace(struct mpg_session *x, const struct mpg_observer **observer, struct mpg_error *err);
/* Writes the files of --output-trace and --timeline, after the simulation. Returns 0, or -1 with ERR. */
int mpg_session_write_traces(struct mpg_session *x, struct mpg_error *err);

/* Finds the worst phase for a page, from the traced run and the median replica; without a phase, sets the reason. */
void mpg_session_find_phase(struct mpg_session *x);

/* Adds to REPORT the secondary outputs of the single scenario: --where, --where=path, --waits; and finds the wait states of a
 * page. X owns all data that REPORT points to. Returns 0, or -1 with ERR. */
int mpg_session_add(struct mpg_session *x, struct mpg_report *report, struct mpg_error *err);
/* Returns the simulation of X, which X owns. */
struct mpg_simulated mpg_session_simulated(const struct mpg_session *x);

/* Writes the answer and further outputs (page, plots, traces), and keeps the answer in the history. Only on the first process.
 * Returns 0, or -1 with ERR: an output cannot be written; no memory; a secondary output cannot be found. */
int mpg_session_output(struct mpg_session *x, struct mpg_error *err);

#endif
