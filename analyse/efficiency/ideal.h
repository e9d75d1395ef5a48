/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ideal run of a trace: the traced computation and messages on a network without latency and with infinite bandwidth
 * (Dimemas' ideal network), with MPI libraries that need no time. An evaluator of a graph's steps: docs/MODEL.md, section 5, with
 * all costs 0, as `mpgsim --target=ideal`.
 *
 *   computation   as traced, without the tracer's part and the time off the CPU; the CPU time, with local calls, where recorded
 *                 and shorter. An interval of at most MPG_IDEAL_POLLING_NS between two unsuccessful tests at one callsite is
 *                 waiting: 0
 *   messages arrive when sent; synchronous messages not before the receive is posted
 *   collectives   end when the last member has entered; rooted collectives and scans: dependencies as in section 4
 *   calls         take no time but waiting. MPI-IO, calls about other jobs, unknown and failed calls take their traced time
 *                 without the time off the CPU: independent of the network
 *
 * All ranks leave MPI_Init at 0. Calls complete the messages completed in the trace. Memory does not grow with the
 * trace. */
#ifndef MPG_IDEAL_H
#define MPG_IDEAL_H

#include "graph/graph.h"

enum { MPG_IDEAL_POLLING_NS = 10000 };

struct mpg_ideal;

/* Returns an evaluator, which the caller frees; NULL with ERR: no memory. DISTURBED: the ideal run with the disturbances of the
 * traced run: compute intervals, but for polling, include recording and time off the CPU. Calls that never wait for another rank
 * include time off the CPU, too; in other calls a rank off the CPU might have waited anyway. */
struct mpg_ideal *mpg_ideal_new(bool disturbed, struct mpg_error *err);
/* Evaluates STEP. *PASSED_NS: time in ns that the step takes: of an ENTER the computation before the call, of a LEAVE the
 * time in the call, of a FINISH the rank's whole ideal run; of other steps 0. Returns 0, or -1 with ERR: no memory. */
int mpg_ideal_take(struct mpg_ideal *ideal, const struct mpg_step *step, double *passed_ns, struct mpg_error *err);
void mpg_ideal_free(struct mpg_ideal *ideal); /* NULL is allowed */

/* Returns the compute interval before the call of STEP, an ENTER, in ns: without the time off the CPU, or the interval's CPU time
 * if recorded and shorter. Polling is included. */
double mpg_ideal_work(const struct mpg_step *step);
/* Returns whether STEP, an ENTER, enters a test that repeats an unsuccessful test. */
bool mpg_ideal_polls(const struct mpg_step *step);

#endif
