/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages that were sent and not taken, in lanes that take them in orders of their own, and in the
 * trace, which is one more lane (docs/MODEL.md, section 6, Open receives). */
#ifndef MPG_INBOX_H
#define MPG_INBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "common/map.h"
#include "graph/graph.h"

/* An eager message. Times are absolute; a vector's value and what is beside it make one. */
struct mpg_letter {
    struct mpg_letter *next; /* of its sender, on its communicator: sent later */
    struct mpg_sender *sender;
    uint64_t id;
    int32_t tag;
    double bytes;
    double base_ns;
    double raised_ns;  /* it cannot have arrived so early as base_ns: by so much */
    double cause_ns;
    double *value;     /* n: T(A) - base_ns; */
    double *bare;      /* n: the same without what was put into the message; */
    double *cause;     /* n: when it was sent, - cause_ns */
    uint8_t *taken;    /* n + 1, the last is the trace's */
    bool *answered;    /* n: something was sent to its sender since the trace took it */
    uint32_t left;     /* how many of these have not taken it */
};

/* Who sent some to a rank on a communicator. */
struct mpg_sender {
    struct mpg_sender *next;   /* to the same rank on the same communicator */
    struct mpg_sender *other;  /* the same one to the same rank, on another communicator */
    int32_t source, comm;
    struct mpg_letter *first, *last;
    struct mpg_letter **head;  /* n + 1: the first that is not taken */
    uint32_t overdue;          /* taken by the trace, and not by all lanes */
};

struct mpg_inbox {
    uint32_t n;
    struct mpg_map letters;   /* id -> one */
    struct mpg_map senders;   /* (receiver, communicator) -> the first of a list */
    struct mpg_map pairs;     /* (receiver, source) -> the first of a list, one a communicator */
    struct mpg_letter **marked; /* taken for the time of one decision */
    struct mpg_letter **heads;  /* what mpg_inbox_heads() found */
    uint32_t marked_count, marked_capacity, heads_capacity;
};

/* A new one, of S, of kind EAGER, its vectors and times unset; NULL: out of memory. */
struct mpg_letter *mpg_inbox_add(struct mpg_inbox *inbox, const struct mpg_step *s,
                                 struct mpg_error *err);
/* NULL: everybody has taken it. */
struct mpg_letter *mpg_inbox_find(const struct mpg_inbox *inbox, uint64_t id);
/* Of each source the first that lane W has not taken and RANK's FITS takes, in inbox->heads: how many;
 * -1: out of memory. */
int64_t mpg_inbox_heads(struct mpg_inbox *inbox, int32_t rank, const struct mpg_fit *fits, uint32_t w,
                        struct mpg_error *err);
/* Lane W takes it; it may be gone after that. Nothing happens if W has it already. */
void mpg_inbox_take(struct mpg_inbox *inbox, struct mpg_letter *letter, uint32_t w);
/* The same until mpg_inbox_unmark(). Error: out of memory. */
int mpg_inbox_mark(struct mpg_inbox *inbox, struct mpg_letter *letter, uint32_t w,
                   struct mpg_error *err);
void mpg_inbox_unmark(struct mpg_inbox *inbox, uint32_t w);
/* What SOURCE sent to RANK on the first communicator, `other` leads on; NULL: nothing. */
struct mpg_sender *mpg_inbox_from(const struct mpg_inbox *inbox, int32_t rank, int32_t source);
void mpg_inbox_clear(struct mpg_inbox *inbox);
/* What a message takes for each lane. */
size_t mpg_inbox_letter_bytes(void);

#endif
