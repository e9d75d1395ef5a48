/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules that find a frame's caller from the frame's return address alone: the row of the function's call frame information (DWARF
 * 5, section 6.4; .eh_frame in the Linux Standard Base 5, chapter 10.6), reduced to the rules emitted by compilers for frame and
 * stack pointer. */
#ifndef MPG_UNWIND_RULE_H
#define MPG_UNWIND_RULE_H

#include <stdbool.h>
#include <stdbool.h>
#include <stdint.h>

/* Location of the canonical frame address, CFA (the stack pointer before the call). */
enum unwind_kind {
    UNWIND_NOWHERE,  /* not in a loaded object: generated code, or no code */
    UNWIND_SIGNAL,   /* return address of a signal handler: the kernel has stored the interrupted frame's registers */
    UNWIND_END,      /* no caller, or a rule of none of the kinds below */
    UNWIND_STACK,    /* CFA = stack pointer + cfa */
    UNWIND_FRAME,    /* CFA = frame pointer + cfa */
    UNWIND_LOADED    /* CFA = word at frame pointer + cfa (realigned stacks) */
};

/* Location of the caller's frame pointer. */
enum unwind_pointer { UNWIND_SAME, UNWIND_AT_CFA, UNWIND_AT_FRAME };

struct unwind_rule {
    uint8_t kind, pointer;
    int32_t cfa;
    int32_t address;      /* the word at CFA + address holds the caller's return address */
    int32_t frame;        /* offset of the caller's frame pointer from CFA or from the frame pointer */
};

struct module_unwinding;
/* Writes the bounds of the memory that unwind_rule_of() reads for addresses in the module of UNWINDING: of the search table and
 * of the entries of all functions, without the length of the last entry. Reads the whole search table. Returns false without a
 * table of the usual form. */
bool unwind_rule_extent(const struct module_unwinding *unwinding, uintptr_t *low, uintptr_t *high);

/* Returns the rule for the frame with the return address ADDRESS; UNWIND_NOWHERE on machines other than x86-64 and AArch64. */
struct unwind_rule unwind_rule_of(const void *address);

#endif
