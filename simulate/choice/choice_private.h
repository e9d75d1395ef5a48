/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What calls complete in worlds whose times differ (docs/MODEL.md, section 6), as who evaluates needs it.
 * Private to simulate/choice/ and simulate/evaluate/.
 *
 * A lane that completes another message than the trace did exchanges the two arrivals, as their
 * receiver sees them: from then on each goes by the other's request. When they arrive, and how that is
 * kept, is said by who evaluates. */
#ifndef MPG_CHOICE_PRIVATE_H
#define MPG_CHOICE_PRIVATE_H

#include <math.h>

#include "common/error.h"
#include "graph/graph.h"
#include "simulate/choice/choice.h"
#include "simulate/choice/earliest.h"
#include "simulate/choice/unexpected.h"
#include "simulate/choice/observer.h"

/* A message's place on its channel, that is of source, comm, tag: in the order of their numbers. */
struct mpg_sequence {
    int32_t source, comm, tag;
    uint64_t id;
    bool is_eager; /* on both machines */
};

/* What a lane has in a view, an arrival that it may have exchanged with another of the rank. */
struct mpg_view {
    uint64_t serial; /* which message; 0: the one that the trace has there, and what follows is unset */
    double cause_ns; /* when it was sent, or, if synchronous, could start */
    struct mpg_sequence sequence;
    bool done;       /* a call that did not in the trace has completed it: */
    bool is_new;     /* the one that is being left */
    bool fixed;      /* it was exchanged, is done, or a probe has found it: it stays */
    bool answered;   /* something was sent to its source since it was moved */
};

/* What a time comes from: the arrival in SLOT, or, EARLY, when that could start; VALUE is the vector's there. */
struct mpg_arrival_origin {
    uint32_t slot;
    bool early;
    double value;
};

/* A candidate: in all lanes, and at_ns and below in the one that is looked at. Times are absolute;
 * a vector's value and what is beside it make one. */
struct mpg_pick {
    uint32_t slot;
    struct mpg_sequence own; /* of the message that goes by it, if it is the trace's */
    const double *value;   /* a lane: T(A) - base_ns, */
    double base_ns;
    const double *cause;   /* and when it was sent, or, if synchronous, could start, - cause_ns; of
                              one that was exchanged with nothing yet */
    double cause_ns;
    double bound_ns;       /* it cannot have arrived so early, by what open receives took: by so much; */
    double raised_ns;      /* and by what this call completed, too; of what is in its own view */
    double traced_ns;      /* t(A); for who evaluates */
    bool completed;        /* in the trace */
    double at_ns;          /* T(A), no less than */
    struct mpg_arrival_origin came;  /* what that is */
    double start_ns;       /* when it could start */
    struct mpg_sequence sequence;  /* of the message that goes by it, */
    const struct mpg_pick *before; /* and whose must come before it on its channel; NULL: nobody's */
    bool done, taken;
};

/* A candidate, in what lanes look at first (look.c). */
struct mpg_glance {
    const double *value, *cause; /* as in struct mpg_pick */
    double base_ns, raised_ns, cause_ns;
    uint32_t slot;
    uint32_t in_order; /* the candidate that is so far in the order of own channels */
};

/* Of who evaluates: CONTEXT, which is passed on, and what is asked of it. */
struct mpg_arrivals {
    void *context;
    bool is_bounded; /* what the trace took first came first */
    /* Of S's candidates, in PICK, sets value, cause, traced, base and raised. */
    void (*place)(void *context, const struct mpg_step *s, struct mpg_pick *pick);
    /* The view at SLOT gets in lane W the arrival TAKEN, with VALUE, its own or, if that is later, when it could start,
     * SHIFT_NS later. */
    void (*assign)(void *context, uint32_t slot, uint32_t w, const struct mpg_pending *taken, double shift_ns, double value);
    /* In lane W arrival P becomes at Q's at_ns, and Q at P's: their values, and what is kept of them. */
    void (*exchange)(void *context, const struct mpg_pick *p, const struct mpg_pick *q, uint32_t w);
    /* All that was said since the last time is so now, together. */
    int (*settle)(void *context, struct mpg_error *err);
    /* How long SENT, which S sends, flies at least, one a lane, ns. */
    void (*fly)(void *context, const struct mpg_step *s, const struct mpg_sent *sent, double *ns);
    const struct mpg_observer *observer; /* sees what the first lane does; or NULL */
};

/* A slot with an open view of RANK, and what in some lane goes by another's request. */
struct mpg_moved {
    bool is_moved;
    int32_t rank;
    uint32_t next, before; /* of the rank's: slots + 1 */
};

struct mpg_choosing {
    uint32_t n;
    struct mpg_arrivals arrivals;
    bool *keeps, *broken; /* n: lanes that keep the traced order; that should have */
    bool *skips;       /* n: the call that is being left is not made */
    bool early;           /* in some lane that call completes what it did not, beside what it does: what of its
                             candidates is done, and new */
    bool *others;         /* n: it completes, or finds, something else */
    bool unsaid;          /* no override says so of the first: */
    bool refused;         /* nor did one of a call before, and */
    struct mpg_error refusal; /* why the first one's cannot be written */
    double *flight_ns;    /* n */
    struct mpg_choices counts;
    struct mpg_view *view; /* capacity x n; a slot */
    uint64_t *view_serial; /* a slot: the message whose view it is */
    uint64_t *altered;     /* a slot, words of a bit a lane: its view there may have another serial than 0, or be done */
    struct mpg_unexpected unexpected;
    uint32_t numbers;     /* how many pending messages have been given */
    struct mpg_decision decision; /* what receives and probes take, or took, in a call and a lane */
    struct mpg_map probed;    /* (rank, communicator; source, tag) of an Iprobe -> the message that each lane found; 0: none */
    struct mpg_map arrived;   /* (rank, partition; request) of a Parrived -> whether each lane has found the partition there */
    struct mpg_pick *pick, **order; /* capacity */
    struct mpg_glance *glance;      /* capacity */
    double *at_ns;                  /* capacity: T(A) in the lane that is looked at */
    struct mpg_moved *moved; /* a slot */
    uint32_t *first_moved;   /* a rank: a slot + 1; 0: it has none */
    uint64_t done_count;  /* done ones in all views and lanes */
    uint32_t view_capacity, serial_capacity, altered_capacity, pick_capacity, moved_capacity, first_capacity;
};

/* For LANES, of which those that KEEPS (may be NULL; copied) says keep the traced order. */
struct mpg_choosing *mpg_choosing_new(uint32_t lanes, const bool *keeps,
                                  const struct mpg_arrivals *arrivals, struct mpg_error *err);
/* S, of kind EAGER, of a message that arrives at BASE_NS + VALUE[w], or BARE[w] without what was put into
 * it, and was sent at CAUSE_NS + CAUSE[w]. */
int mpg_choosing_sent(struct mpg_choosing *c, const struct mpg_step *s, double base_ns,
                      const double *value, const double *bare, double cause_ns,
                      const double *cause, struct mpg_error *err);
/* S, of kind VIEW: its slot holds an arrival that goes by its own request, in all lanes. */
int mpg_choosing_view(struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err);
/* Before S is left, which lane w enters at BASE_NS + VALUE[w]: exchanges what lanes complete
 * instead, says who makes no such call (skips). */
int mpg_choosing_make(struct mpg_choosing *c, const struct mpg_step *s, double base_ns,
                    const double *value, struct mpg_error *err);
/* After S: what it completed is no candidate any more. */
void mpg_choosing_end_views(struct mpg_choosing *c, const struct mpg_step *s);
void mpg_choosing_free(struct mpg_choosing *c); /* NULL is allowed */

/* What number the followed message ID is kept as, besides its slot, as long as a lane may take it; and all numbers that are kept
 * still, each in lane W: MARK is told, whether as an arrival of which BARE is wanted, too. */
uint32_t mpg_choosing_kept(const struct mpg_choosing *c, uint64_t id);
void mpg_choosing_mark_kept(const struct mpg_choosing *c, void (*mark)(void *context, uint32_t number, uint32_t w, bool bare),
                            void *context);
/* Who sent what goes by the view SLOT in lane W, if it is not the trace's; else SOURCE. */
int32_t mpg_choosing_source(const struct mpg_choosing *c, uint32_t slot, uint32_t w, int32_t source);

/* Whether in lane W a call that did not in the trace has completed what is in the view SLOT. */
static inline bool mpg_choosing_is_done(const struct mpg_choosing *c, uint32_t slot, uint32_t w)
{
    return c->done_count > 0 && c->view[(size_t)slot * c->n + w].done;
}

/* In lane W, before when nothing ends that waits for what is in the view SLOT: when that could start, if an
 * exchange, or another receive, has put it there; else -INFINITY. */
static inline double mpg_choosing_start_ns(const struct mpg_choosing *c, uint32_t slot, uint32_t w)
{
    const struct mpg_view *v = &c->view[(size_t)slot * c->n + w];
    return v->serial ? v->cause_ns : -INFINITY;
}

/* Whether that is the call that is being left. */
static inline bool mpg_choosing_is_new(const struct mpg_choosing *c, uint32_t slot, uint32_t w)
{
    return c->early && c->view[(size_t)slot * c->n + w].is_new;
}

static inline struct mpg_view *mpg_choosing_view_of(const struct mpg_choosing *c, uint32_t slot,
                                                    uint32_t w)
{
    return &c->view[(size_t)slot * c->n + w];
}

/* ---- within simulate/choice/ ---- */

static inline uint32_t mpg_choosing_words(const struct mpg_choosing *c)
{
    return (c->n + 63) / 64;
}

/* Lane W's view at SLOT is not as it was made. */
static inline void mpg_choosing_alter(struct mpg_choosing *c, uint32_t slot, uint32_t w)
{
    c->altered[(size_t)slot * mpg_choosing_words(c) + w / 64] |= (uint64_t)1 << w % 64;
}

static inline bool mpg_choosing_is_altered(const struct mpg_choosing *c, uint32_t slot, uint32_t w)
{
    return c->altered[(size_t)slot * mpg_choosing_words(c) + w / 64] >> w % 64 & 1;
}

/* choice.c: EARLY holds, for each question that found nothing in the trace, its answer in each lane, until it finds something in
 * the trace, too. The lanes of the question KEY; NULL: no lane has an answer. */
uint64_t *mpg_choosing_find_early(const struct mpg_map *early, const uint64_t key[2]);
/* Adds a question without an answer in N lanes. NULL: no memory, with ERR. */
uint64_t *mpg_choosing_add_early(struct mpg_map *early, const uint64_t key[2], uint32_t n, struct mpg_error *err);
void mpg_choosing_clear_early(struct mpg_map *early);
/* From here on P's at_ns, start_ns and done are those of what goes by it, and Q's, too; */
void mpg_choosing_exchange(struct mpg_choosing *c, struct mpg_pick *p, struct mpg_pick *q, uint32_t w);
/* RANK's open view at SLOT holds in some lane what goes by another's request, or no more. */
int mpg_choosing_note_moved(struct mpg_choosing *c, int32_t rank, uint32_t slot, struct mpg_error *err);
void mpg_choosing_forget_moved(struct mpg_choosing *c, uint32_t slot);
/* said.c: OVERRIDE is done in lane W; */
int mpg_choosing_note(const struct mpg_choosing *c, const struct mpg_step *s, uint32_t w,
                      const struct mpg_match_override *override, struct mpg_error *err);
/* so is that S completes its I-th candidate, as what goes by it before it is done; */
int mpg_choosing_note_early(struct mpg_choosing *c, const struct mpg_step *s, uint32_t i, uint32_t w,
                            struct mpg_error *err);
/* in the first lane: what S's receives take that left their source open; */
int mpg_choosing_note_arrivals(struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err);
/* that it skips; or, once, that what it does cannot be said: whether that lane is void, and will be done
 * again, only its later calls say. */
int mpg_choosing_note_rest(struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err);
/* what S's edges bring. */
int mpg_choosing_notify_arrivals(const struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err);
/* complete.c: before S is left, which lane w enters at BASE_NS + VALUE[w]: what it completes of its candidates; */
int mpg_choosing_complete(struct mpg_choosing *c, const struct mpg_step *s, double base_ns, const double *value,
                          struct mpg_error *err);
/* calls that complete only what an earlier test has completed take no time; */
void mpg_choosing_skip_done(struct mpg_choosing *c, const struct mpg_step *s);
/* a Parrived that found something, of which lanes have been told, does so once. */
void mpg_choosing_ask_again(struct mpg_choosing *c, const struct mpg_step *s);
/* open.c: what S's open receives take, and what it finds, is in their views, and skips, others and
 * broken are told. */
int mpg_choosing_decide(struct mpg_choosing *c, const struct mpg_step *s, double base_ns,
                        const double *value, struct mpg_error *err);
/* Lane W, or the trace, n, takes message ID, if it is followed; lanes take what they have for E, which is
 * completed; a matched probe takes ID. */
void mpg_choosing_take(struct mpg_choosing *c, uint64_t id, uint32_t w);
void mpg_choosing_taken(struct mpg_choosing *c, const struct mpg_edge *e);
void mpg_choosing_matched(struct mpg_choosing *c, uint64_t id);
void mpg_choosing_clear_open(struct mpg_choosing *c);

#endif
