/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluating a graph's steps in many worlds at once: perturb mode.
 *
 * Every value is a vector of lanes, one double a replica: the node's delay in ns
 * (docs/MODEL.md, 4). One lane never looks at another, so lane w's result does
 * not depend on how many there are. */
#ifndef MPG_LANES_H
#define MPG_LANES_H

#include "common/error.h"
#include "graph/graph.h"
#include "simulate/choice/choice.h"
#include "simulate/choice/watch.h"
#include "simulate/engine/floors.h"
#include "simulate/engine/classes.h"
#include "simulate/models/paths.h"
#include "simulate/where/tally.h"

enum mpg_absorb { MPG_ABSORB_NONE, MPG_ABSORB_WAIT, MPG_ABSORB_CLOCK };

struct mpg_lanes;

/* LANES >= 1 worlds of RANKS ranks, replicas FIRST .. FIRST + LANES - 1.
 * COMPARABLE: the ranks' clocks are. FLOORS may be NULL with MPG_ABSORB_NONE if nothing can
 * become faster. What is passed outlives the lanes. */
struct mpg_lanes *mpg_lanes_new(int32_t ranks, uint32_t lanes, uint32_t first,
                                enum mpg_absorb absorb, bool comparable,
                                const struct mpg_perturbation *p, struct mpg_floors *floors,
                                struct mpg_error *err);
/* Says that messages take paths by their ranks; P's are those of the farthest. PATHS outlives the
 * lanes. */
void mpg_lanes_use_paths(struct mpg_lanes *lanes, const struct mpg_paths *paths);
/* What a lane takes, bytes, with so many SLOTS of values; what it may choose, and what expanded
 * collectives take, is beside that. */
double mpg_lanes_bytes(uint32_t slots, int32_t ranks);
/* Says what noise took from the traced intervals; without it, what a stretch of the source's record
 * lost is taken. LIKES outlives the lanes. */
void mpg_lanes_use_classes(struct mpg_lanes *lanes, const struct mpg_classes *classes);
/* Says that intervals that poll (docs/MODEL.md, section 5), up to POLLING_NS long, are waiting: nothing is put into them, and
 * with a test that is not made goes the one before it. Else, and with -1, they are work. */
void mpg_lanes_use_polling(struct mpg_lanes *lanes, int64_t polling_ns);
/* Lets calls complete something else than in the trace, where the graph's steps have candidates
 * (docs/MODEL.md, section 6), but for lanes that KEEPS (may be NULL; copied) says; after mpg_lanes_use_polling(). WATCH (may be NULL) sees what the first
 * lane does. */
int mpg_lanes_use_choice(struct mpg_lanes *lanes, const bool *keeps, const struct mpg_watch *watch, struct mpg_error *err);
/* Has the account told by places (simulate/where/tally.h), terms as in struct mpg_lanes_account but for what is
 * left, and by PAIRS of ranks; the graph's options have `regions`. Before the first step. Error: out of memory. */
int mpg_lanes_use_tally(struct mpg_lanes *lanes, bool pairs, struct mpg_error *err);
/* NULL: nobody asked. */
const struct mpg_tally *mpg_lanes_tallied(const struct mpg_lanes *lanes);
/* Has the tally told what the paths of all lanes' delays have where (simulate/where/trail.h), too; nothing is chosen, no
 * collective expanded, and the graph's options have `tells_unused`. After mpg_lanes_use_tally(). Error: out of memory. */
int mpg_lanes_use_trail(struct mpg_lanes *lanes, struct mpg_error *err);
bool mpg_lanes_has_trail(const struct mpg_lanes *lanes);
/* After the last step. Errors: out of memory, a path that does not come to its delay. */
int mpg_lanes_finish_trail(const struct mpg_lanes *lanes, struct mpg_error *err);
/* What was chosen; NULL: nothing can be. */
const struct mpg_choosing *mpg_lanes_choice(const struct mpg_lanes *lanes);
/* Which steps of a graph are to be evaluated, and these. */
enum mpg_steps_wanted mpg_lanes_wants(const struct mpg_lanes *lanes);
int mpg_lanes_take(struct mpg_lanes *lanes, const struct mpg_steps *steps, struct mpg_error *err);
/* The delays of STREAM's last node, one a lane; valid from its first step on. */
const double *mpg_lanes_value(const struct mpg_lanes *lanes, uint32_t stream);
/* Delays of RANK's last node, one a lane; valid once its FINISH step is done. */
const double *mpg_lanes_delay(const struct mpg_lanes *lanes, int32_t rank);
/* RANK's traced run time, ns, from its FINISH step. */
int64_t mpg_lanes_traced(const struct mpg_lanes *lanes, int32_t rank);

/* How a rank's delay came about, ns (docs/MODEL.md, 8):
 *
 *     compute + call + message + collective + taken - waited - hidden = left
 *
 * but for rounding, in every lane. What is not negative in it is so however negative
 * the perturbations are. */
struct mpg_lanes_account {
    double compute_ns;    /* put into its compute intervals */
    double call_ns;       /* kappa and overheads put into its calls (not into rounds of
                             collectives) */
    double message_ns;    /* put into messages that it received, acknowledgements and
                             one-sided transfers that it waited for */
    double collective_ns; /* put into collectives that it waited for */
    double taken_ns;      /* >= 0: delay of other ranks, taken over by waiting for them */
    double waited_ns;     /* >= 0: absorbed by slack, waiting that there was already */
    double hidden_ns;     /* >= 0: absorbed behind something that was later anyway */
    double left_ns;       /* the delay at its end */
};
/* RANK's: all lanes of each term, in the order above; valid once its FINISH step is done. */
const double *mpg_lanes_account(const struct mpg_lanes *lanes, int32_t rank);
void mpg_lanes_free(struct mpg_lanes *lanes); /* NULL is allowed */

#endif
