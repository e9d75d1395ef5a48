/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules of docs/MODEL.md that can be switched off, to measure the rules' effects: mpgsim --without. */
#ifndef MPG_RULES_H
#define MPG_RULES_H

#include <stdbool.h>

/* In the order of docs/MODEL.md. */
enum mpg_rule {
    MPG_RULE_ROWS,           /* successive messages of a pair are not independent */
    MPG_RULE_SIZE_SIDES,     /* no interpolation across an eager limit */
    MPG_RULE_BEYOND_SIZES,   /* times grow with bytes above the largest measured size */
    MPG_RULE_OVERHEADS,      /* o_s and o_r, separate from message times */
    MPG_RULE_ONE_SIDED,      /* one-sided operations take their measured times */
    MPG_RULE_FURTHER,        /* further messages of a rank in a call cost less to receive */
    MPG_RULE_TRACE_LIMIT,    /* the trace may contradict the source's eager limit */
    MPG_RULE_PROTOCOLS,      /* messages change between eager and synchronous */
    MPG_RULE_COVERED,        /* detours that begin while a message is awaited are part of the message's measured time */
    MPG_RULE_DISTURBED,      /* with replayed noise, overheads and times of collectives are at most 20 times their median */
    MPG_RULE_OFF_CPU,        /* time off the CPU is removed */
    MPG_RULE_INTERRUPTIONS,  /* the source's noise is removed */
    MPG_RULE_WAITING_CALLS,  /* if all calls of a kind and size waited, these calls take at most 1 us without waiting */
    MPG_RULE_GAPS,           /* messages of a stream start at least a gap apart (predict mode) */
    MPG_RULE_PROGRESS,       /* a rendezvous waits until the receiver makes an MPI call (predict mode) */
    MPG_RULE_OVERLAP,        /* a rendezvous does not wait where the signature shows overlap (predict mode) */
    MPG_RULE_HELD_SENDS,     /* a synchronous send to a waiting receiver takes the measured time (predict mode) */
    MPG_RULES
};

/* Switches RULE off. Must be called before threads start. */
void mpg_rule_leave_out(enum mpg_rule rule);
bool mpg_rule_holds(enum mpg_rule rule);
/* Returns the rules that are off, one bit each. */
unsigned mpg_rules_left_out(void);
/* Returns the name of RULE on the command line, "rows" and so on. */
const char *mpg_rule_name(enum mpg_rule rule);

#endif
