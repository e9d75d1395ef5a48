/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluates the messages of a collective's algorithm for several replicas: the leave times of the members (docs/MODEL.md, section
 * 4, Expanded collectives). A value is LANES times, ns, one for each replica; each member has one value. Values are updated in
 * place, round by round: memory is a few values for each member, whatever the number of messages. On request, values of the first
 * lanes record their provenance (docs/MODEL.md, section 8). The origin of a value that is the maximum of equal times is the
 * member's own time, if among these times, otherwise the first time. */
#ifndef MPG_EXPAND_H
#define MPG_EXPAND_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "graph/algorithms/plan.h"

/* Callbacks giving the costs of messages. A callback can be called several times for a message and must give equal results. The
 * fields `from` and `to` of a message are member indices. Each callback fills LANES values. */
struct mpg_message_costs {
    void *data;
    /* latency lambda and transfer time tau of M, both quantiles for the same random number u */
    void (*flight)(void *data, const struct mpg_message *m, double *lambda_ns, double *tau_ns);
    void (*send)(void *data, const struct mpg_message *m, double *overhead_ns);    /* sender's overhead o_s */
    void (*receive)(void *data, const struct mpg_message *m, double *overhead_ns); /* receiver's overhead o_r */
    /* W, the time of a synchronous send whose receiver is already waiting; returns false if unknown */
    bool (*waiting)(void *data, const struct mpg_message *m, double *waiting_ns);
    /* used only if ANSWERS is NULL: the part of latency in W, 0 to 1, and the relative change of W for each ns of change of
     * lambda + tau. NULL: both are 0 */
    void (*held)(void *data, const struct mpg_message *m, double *latency, double *per_ns);
    /* NULL: W is the time of the send; otherwise W is the sum of the message's time and the answer's time in ANSWERS, by lane */
    const double *answers;
    double (*gap)(void *data, const struct mpg_message *m); /* minimum time between two sends of a member, ns */
    /* kappa, the noise inside a call, of member INDEX in the member's call number CALL: in a tree each send and receive is a
     * call, otherwise each round, or all posted messages together; NULL: 0 */
    void (*call)(void *data, int32_t index, uint32_t call, double *kappa_ns);
    /* time to reduce BYTES; NULL: 0 */
    void (*reduce)(void *data, double bytes, double *reduce_ns);
    double eager_limit_bytes; /* larger messages are synchronous; INFINITY: none */
    double weak_bytes;     /* in a tree, eager messages above this size complete only once the receiver arrives (weak
                            * progress), except as in `elsewhere`; INFINITY: none */
    const bool *elsewhere;    /* by member: true if the message between the member and its parent does not wait for the
                               * receiver; NULL: all wait */
};

/* Provenance of a value: behind its LANES times a value has FOLLOWED numbers, one for each followed lane, of each kind below. */
enum mpg_value_provenance {
    MPG_PROVENANCE_ORIGIN,     /* the value's origin, as numbered by the caller */
    MPG_PROVENANCE_LATENCY,  /* sum of latencies since the origin, ns */
    MPG_PROVENANCE_MESSAGES, /* number of latencies in MPG_PROVENANCE_LATENCY */
    MPG_PROVENANCE_BYTES,    /* sum of the times for bytes since the origin, ns */
    MPG_PROVENANCE_SIZE,     /* number of bytes in MPG_PROVENANCE_BYTES */
    MPG_PROVENANCE_BASE,     /* ns; if the last lane is not followed, the sum of costs and overheads in that lane; else 0 */
    MPG_PROVENANCE_TERMS
};

/* Returns the number of doubles in a value. */
static inline size_t mpg_expand_stride(uint32_t lanes, uint32_t followed)
{
    return lanes + (size_t)followed * MPG_PROVENANCE_TERMS;
}

static inline double *mpg_value_provenance(double *value, uint32_t lanes, uint32_t followed, enum mpg_value_provenance which)
{
    return value + lanes + (size_t)which * followed;
}

struct mpg_expansion;

/* Returns working space for LANES >= 1 replicas, with provenance in the first FOLLOWED. The caller frees the space. NULL with
 * ERR: out of memory. */
struct mpg_expansion *mpg_expansion_new(uint32_t lanes, uint32_t followed, struct mpg_error *err);
void mpg_expansion_free(struct mpg_expansion *x); /* NULL is allowed */

/* Returns the maximum number of values allocated by mpg_expand() for collectives of P members. */
double mpg_expansion_values(int32_t p);

/* Evaluates PLAN: VALUE holds the enter times of all members, ns, by member index, and receives the members' leave times. Error:
 * out of memory. */
int mpg_expand(struct mpg_expansion *x, const struct mpg_plan *plan,
               const struct mpg_message_costs *costs, double *value, struct mpg_error *err);

/* Evaluates member V of a tree, numbered relative to the root, so a member waits only for members the member depends on. Before
 * the call: in a DOWN tree V's parent must have been evaluated, and V's children must have arrived if V's messages to the
 * children are synchronous; in an UP tree V's children must have been evaluated. value(data, v) returns the address of the time
 * of member v: the enter time, then the leave time. In an UP tree with a synchronous message to the parent, the value becomes the
 * leave time when the parent is evaluated. message(data, v) returns memory for a value of the message between v > 0 and its
 * parent, kept between the evaluations of member and parent. */
struct mpg_tree_values {
    void *data;
    double *(*value)(void *data, int32_t v);
    double *(*message)(void *data, int32_t v);
    void (*next)(void *data); /* called after the messages between V and each other member; NULL: not needed */
};
int mpg_expand_member(struct mpg_expansion *x, const struct mpg_plan *plan,
                      const struct mpg_message_costs *costs, int32_t v,
                      const struct mpg_tree_values *values, struct mpg_error *err);

#endif
