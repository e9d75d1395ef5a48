/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where stacks end, so that nothing beyond is read. */
#ifndef MPG_TRACER_STACKS_H
#define MPG_TRACER_STACKS_H

#include <stdbool.h>
#include <stdint.h>

/* A thread's own stack, and another one that it was on last; zero-initialised. */
struct stacks {
    uintptr_t low, high;
    uintptr_t other_low, other_high;
    bool known;
};

/* Fills in the calling thread's own. */
void stacks_find_own(struct stacks *stacks);
/* The end of the stack that SP is on, which is none of the thread's own: all from SP to there can be read. 0: not known.
 * Takes a system call, and microseconds for one that the thread was not on last. */
uintptr_t stacks_other_end(struct stacks *stacks, uintptr_t sp);

/* The same of the calling thread's own, or another. */
static inline uintptr_t stacks_end(struct stacks *stacks, uintptr_t sp)
{
    if (__builtin_expect(!stacks->known, false))
        stacks_find_own(stacks);
    if (__builtin_expect(sp > stacks->low && sp < stacks->high, true))
        return stacks->high;
    return stacks_other_end(stacks, sp);
}

/* From a signal's frame to the one that it has interrupted, which may be on another stack: *HIGH becomes that one's end, *SP
 * its stack pointer, *FP_AT where its frame pointer is. Its address, or 0 if there is no telling. */
uintptr_t stacks_leave_signal(struct stacks *stacks, uintptr_t *high, uintptr_t *sp, uintptr_t *fp_at);

#endif
