/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When the members of a collective leave it, by the messages of its algorithm, in many worlds
 * side by side: docs/MODEL.md, section 4, Expanded collectives.
 *
 * Values are times in ns, LANES of them a member. They are worked on in place, round by round:
 * memory is a few values a member, however many messages there are.
 *
 * Where it is asked for, values of the first lanes know what they come from (docs/MODEL.md, section 8), and have room for it: of
 * ties it is the member's own, then what comes first. */
#ifndef MPG_EXPAND_H
#define MPG_EXPAND_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "graph/algorithms/plan.h"

/* What a message costs; asked for again wherever it is needed, so the same message must get the
 * same answers. `from` and `to` in it are indices of members. Each fills LANES values. */
struct mpg_message_costs {
    void *data;
    /* On its way: of an empty one, and what its bytes add, both by one u. */
    void (*flight)(void *data, const struct mpg_message *m, double *lambda_ns, double *tau_ns);
    void (*send)(void *data, const struct mpg_message *m, double *overhead_ns);    /* o_s */
    void (*receive)(void *data, const struct mpg_message *m, double *overhead_ns); /* o_r */
    /* What a synchronous send takes whose receiver waits, W; false: it is not known. */
    bool (*waiting)(void *data, const struct mpg_message *m, double *waiting_ns);
    const double *answers; /* NULL: W is the send's; else it is the message there and, of so long, an answer back */
    double (*gap)(void *data, const struct mpg_message *m); /* between sends, ns */
    /* kappa of a member, by index, in its CALL-th call in the collective: of a tree each send and receive, else a round, or
     * all that is posted; NULL: 0 */
    void (*call)(void *data, int32_t index, uint32_t call, double *kappa_ns);
    /* What a member that receives so many bytes takes to reduce them; NULL: 0 */
    void (*reduce)(void *data, double bytes, double *reduce_ns);
    double eager_limit_bytes; /* what is larger is synchronous; INFINITY: nothing is */
    double weak_bytes;     /* what is larger and not synchronous is sent, in a tree, once its receiver has come; INFINITY:
                                 nothing waits for that; but */
    const bool *elsewhere;    /* by index, of the message between a member and its parent: where it does not; NULL: nowhere */
};

/* What a value comes from, and by what: FOLLOWED numbers each, after its LANES times. */
enum mpg_came {
    MPG_CAME_FROM,     /* as the caller numbered what it began with */
    MPG_CAME_LATENCY,  /* ns, of so many */
    MPG_CAME_MESSAGES,
    MPG_CAME_BYTES,    /* ns, of so many */
    MPG_CAME_SIZE,
    MPG_CAME_BASE,     /* ns, what these and overheads are in the last lane, if that is not followed; else 0 */
    MPG_CAME_TERMS
};

/* Doubles of a value. */
static inline size_t mpg_expand_stride(uint32_t lanes, uint32_t followed)
{
    return lanes + (size_t)followed * MPG_CAME_TERMS;
}

static inline double *mpg_came(double *value, uint32_t lanes, uint32_t followed, enum mpg_came which)
{
    return value + lanes + (size_t)which * followed;
}

struct mpg_expansion;

/* Of LANES >= 1, the first FOLLOWED of which know what they come from. NULL: out of memory. */
struct mpg_expansion *mpg_expansion_new(uint32_t lanes, uint32_t followed, struct mpg_error *err);
void mpg_expansion_free(struct mpg_expansion *x); /* NULL is allowed */

/* How many values it has at most, of collectives of P members, besides the callers'. */
double mpg_expansion_values(int32_t p);

/* VALUE holds p enter times, by index of member, and gets the leave times. */
int mpg_expand(struct mpg_expansion *x, const struct mpg_plan *plan,
               const struct mpg_message_costs *costs, double *value, struct mpg_error *err);

/* The same of a plan that is a tree, a member at a time, so that who does not depend on others need
 * not wait for them. V is the member's number relative to the root. Of a DOWN tree its parent has been
 * evaluated before, and its children have come if what it sends them is synchronous; of an UP tree
 * its children have been evaluated. value(data, v) is a member's time: its enter, and then its
 * leave, which of an UP tree it is only after its parent's evaluation where the message to it is
 * synchronous. message(data, v) holds a value of the message between v > 0 and its parent, from
 * the evaluation of the one to that of the other. */
struct mpg_tree_values {
    void *data;
    double *(*value)(void *data, int32_t v);
    double *(*message)(void *data, int32_t v);
    void (*next)(void *data); /* what is between the member and one other has been seen to; NULL: nobody needs it */
};
int mpg_expand_member(struct mpg_expansion *x, const struct mpg_plan *plan,
                      const struct mpg_message_costs *costs, int32_t v,
                      const struct mpg_tree_values *values, struct mpg_error *err);

#endif
