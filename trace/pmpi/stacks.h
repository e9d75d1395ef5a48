/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ends of stacks, which reads must not pass. */
#ifndef MPG_TRACER_STACKS_H
#define MPG_TRACER_STACKS_H

#include <stdbool.h>
#include <stdint.h>

/* A thread's stack, and the other stack that the thread used last; zero-initialised. */
struct stacks {
    uintptr_t low, high;
    uintptr_t other_low, other_high;
    bool known;
};

/* Fills in the calling thread's stack. */
void stacks_find_own(struct stacks *stacks);
/* Returns the end of the stack around SP, other than the thread's stack: all memory from SP to the end is readable. Returns 0 if
 * unknown. Takes a system call, and microseconds for a stack other than the last. */
uintptr_t stacks_other_end(struct stacks *stacks, uintptr_t sp);

/* Returns the end of the stack around SP, the calling thread's stack or another stack. */
static inline uintptr_t stacks_end(struct stacks *stacks, uintptr_t sp)
{
    if (__builtin_expect(!stacks->known, false))
        stacks_find_own(stacks);
    if (__builtin_expect(sp > stacks->low && sp < stacks->high, true))
        return stacks->high;
    return stacks_other_end(stacks, sp);
}

/* Steps from a signal's frame to the interrupted frame, which may be on another stack. Sets *HIGH to the end of
 * this stack, *SP to the stack pointer, and *FP_AT to the address of the saved frame pointer. Returns the
 * interrupted code address, or 0 if unknown. */
uintptr_t stacks_leave_signal(struct stacks *stacks, uintptr_t *high, uintptr_t *sp, uintptr_t *fp_at);

#endif
