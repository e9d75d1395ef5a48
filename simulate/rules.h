/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules of docs/MODEL.md that can be left out, to measure what each is worth: mpgsim --without. */
#ifndef MPG_RULES_H
#define MPG_RULES_H

#include <stdbool.h>

/* In the order in which MODEL has them. */
enum mpg_rule {
    MPG_RULE_ROWS,           /* successive messages of a pair are not independent */
    MPG_RULE_SIZE_SIDES,     /* no interpolation across an eager limit */
    MPG_RULE_BEYOND_SIZES,   /* times grow with bytes beyond the greatest size measured */
    MPG_RULE_OVERHEADS,      /* o_s and o_r, apart from flights */
    MPG_RULE_FURTHER,        /* further messages of a rank in a call cost less to receive */
    MPG_RULE_TRACE_LIMIT,    /* the trace may contradict the source's eager limit */
    MPG_RULE_PROTOCOLS,      /* messages change between eager and synchronous */
    MPG_RULE_COVERED,        /* detours that begin while a message is awaited are in its time */
    MPG_RULE_DISTURBED,      /* overheads and collectives are at most 20 medians where noise is replayed */
    MPG_RULE_OFF_CPU,        /* time off the CPU is taken out */
    MPG_RULE_INTERRUPTIONS,  /* the source's interruptions are taken out */
    MPG_RULE_WAITING_CALLS,  /* a call whose every instance waited takes at most 1 us of its own */
    MPG_RULE_GAPS,           /* messages of a stream are apart (predict) */
    MPG_RULE_PROGRESS,       /* a rendezvous waits for a call of its receiver (predict) */
    MPG_RULE_HELD_SENDS,     /* a send that waits has a time of its own (predict) */
    MPG_RULES
};

/* Before there are threads. */
void mpg_rule_leave_out(enum mpg_rule rule);
bool mpg_rule_holds(enum mpg_rule rule);
/* Which do not hold, a bit each. */
unsigned mpg_rules_left_out(void);
/* "rows", ... */
const char *mpg_rule_name(enum mpg_rule rule);

#endif
