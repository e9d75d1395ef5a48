/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a frame's caller is found, from the frame's return address alone: the row of
 * its call frame information (DWARF 5, section 6.4; .eh_frame as in the Linux Standard
 * Base 5, chapter 10.6), cut down to what compilers use for frame and stack pointer. */
#ifndef MPG_UNWIND_RULE_H
#define MPG_UNWIND_RULE_H

#include <stdbool.h>
#include <stdint.h>

/* Where the canonical frame address (the stack pointer before the call) is. */
enum unwind_kind {
    UNWIND_NOWHERE,  /* no loaded object has it: code that was made as the program ran, or no code */
    UNWIND_SIGNAL,   /* what a signal's handler returns into: the kernel has put the interrupted frame's registers there */
    UNWIND_END,      /* there is no caller, or nothing simple is known of it */
    UNWIND_STACK,    /* stack pointer + cfa */
    UNWIND_FRAME,    /* frame pointer + cfa */
    UNWIND_LOADED    /* in the word at frame pointer + cfa (realigned stacks) */
};

/* Where the caller's frame pointer is. */
enum unwind_pointer { UNWIND_SAME, UNWIND_AT_CFA, UNWIND_AT_FRAME };

struct unwind_rule {
    uint8_t kind, pointer;
    int32_t cfa;
    int32_t address;      /* the caller's return address is in the word at CFA + address */
    int32_t frame;        /* its frame pointer at CFA + frame, or frame pointer + frame */
};

/* The rule for the frame that ADDRESS returns into. UNWIND_NOWHERE on machines other than x86-64 and AArch64. */
struct unwind_rule unwind_rule_of(const void *address);

#endif
