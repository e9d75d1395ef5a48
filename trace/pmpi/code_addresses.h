/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of code addresses and of stacks (sites). Entries are permanent. Thread-safe.
 * Private to trace/pmpi/. */
#ifndef MPG_TRACER_CODE_ADDRESSES_H
#define MPG_TRACER_CODE_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/pmpi/callsites.h"
#include "trace/pmpi/sets.h"
#include "trace/pmpi/unwind_rule.h"

/* A return address, or an address interrupted by a signal, with the rule that finds the frame's caller. The struct fits into one
 * cache line, because a walk reads a struct for each frame. */
enum { CACHE_LINE_BYTES = 64 };
struct code_address {
    struct set_entry entry;
    uintptr_t address;
    struct unwind_rule rule;
    struct mpg_frame frame;
    struct code_address *caller; /* the next code address of the last walk through this address; NULL: none yet */
    int32_t alone; /* 1 + the site of only this frame; 0: not requested yet */
    bool interrupted;
    bool skipped; /* the frame is skipped at the innermost end of a stack */
    bool ruled;   /* rule and SIMPLE are known, since the first walk through the frame; stored after both */
    bool simple;  /* the rule needs only the stack pointer and reads only words of the frame */
} __attribute__((aligned(CACHE_LINE_BYTES)));
_Static_assert(sizeof(struct code_address) == CACHE_LINE_BYTES, "a code address is one line");

/* A stack, innermost frame first. */
struct site {
    struct set_entry entry;
    int32_t number;
    uint32_t depth;
    struct code_address *codes[];
};

/* Makes room for some thousand code addresses and sites. LOOK (or NULL) locates addresses. Called once, before the functions
 * below. */
void code_addresses_start(callsites_look *look);

/* Returns the entry of ADDRESS, new or known. INTERRUPTED: a signal interrupted the code at ADDRESS; else ADDRESS is a return
 * address. NULL without memory, or in a signal handler that interrupts the thread inside these functions. */
struct code_address *code_addresses_get(uintptr_t address, bool interrupted);

/* Returns the entry of ADDRESS like code_addresses_get(), for the caller of the frame of CALLEE (NULL: unknown). Most frames have
 * the caller of the last walk, which is found without the hash table. */
static inline struct code_address *code_addresses_caller(struct code_address *callee, uintptr_t address, bool interrupted)
{
    struct code_address *p = callee ? __atomic_load_n(&callee->caller, __ATOMIC_ACQUIRE) : NULL;
    if (p && p->address == address && p->interrupted == interrupted)
        return p;
    p = code_addresses_get(address, interrupted);
    if (p && callee)
        __atomic_store_n(&callee->caller, p, __ATOMIC_RELEASE);
    return p;
}

/* Adds the rule to P unless P has a rule. Only frames from which a walk continues need a rule: not the outermost frame of a
 * stack, nor the frame of callsites_alone(). Returns false in a signal handler that interrupts the thread inside these
 * functions. */
bool code_addresses_add_rule(struct code_address *p);
static inline bool code_addresses_has_rule(struct code_address *p)
{
    return __builtin_expect(__atomic_load_n(&p->ruled, __ATOMIC_ACQUIRE), true) || code_addresses_add_rule(p);
}

/* Returns the number of the site of N CODES with ADDRESSES, innermost first. CALLSITES_NONE: N is 0, too many sites, or a reason
 * for which code_addresses_get() returns NULL. */
int32_t code_addresses_site(struct code_address *const *codes, const uintptr_t *addresses, unsigned n);

/* Returns the number of the site of P's frame alone. */
int32_t code_addresses_site_alone(struct code_address *p);

/* Returns site NUMBER; NULL: no such site. */
const struct site *code_addresses_site_numbered(int32_t number);

#endif
