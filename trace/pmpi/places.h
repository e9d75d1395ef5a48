/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of return addresses (places) and of stacks (sites). Entries are permanent. Thread-safe.
 * Private to trace/pmpi/. */
#ifndef MPG_TRACER_PLACES_H
#define MPG_TRACER_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/pmpi/callsites.h"
#include "trace/pmpi/sets.h"
#include "trace/pmpi/unwind_rule.h"

/* A return address, or an address interrupted by a signal, with the rule that finds the caller of its frame. In one line of
 * the cache: a walk reads a place for each frame. */
enum { PLACES_LINE = 64 /* bytes */ };
struct place {
    struct set_entry entry;
    uintptr_t address;
    struct unwind_rule rule;
    struct mpg_frame frame;
    int32_t alone; /* 1 + the site of this frame alone; 0: not requested yet */
    bool interrupted;
    bool skipped; /* skipped at the innermost end of stacks */
    bool ruled;   /* rule and SIMPLE are known, since the first walk through the frame; stored last */
    bool simple;  /* the rule needs only the stack pointer and reads only words of its own frame */
} __attribute__((aligned(PLACES_LINE)));
_Static_assert(sizeof(struct place) == PLACES_LINE, "a place is one line");

/* A stack, innermost frame first. */
struct site {
    struct set_entry entry;
    int32_t number;
    uint32_t depth;
    struct place *places[];
};

/* Makes room for some thousand places and sites. LOOK (or NULL) locates addresses. Called once, before the functions below. */
void places_start(callsites_look *look);

/* Returns the place of ADDRESS, new or known; NULL without memory, or in a signal handler that interrupts the thread inside
 * these functions. */
struct place *places_get(uintptr_t address, bool interrupted);

/* Adds the rule to P if P has none yet; callers of local calls and outermost frames need none. Returns false in a signal handler
 * that interrupts the thread inside these functions. */
bool places_add_rule(struct place *p);
static inline bool places_has_rule(struct place *p)
{
    return __builtin_expect(__atomic_load_n(&p->ruled, __ATOMIC_ACQUIRE), true) || places_add_rule(p);
}

/* Returns the number of the site of N PLACES, whose addresses are ADDRESSES, innermost first. CALLSITES_NONE if N is 0, if there
 * are too many sites, or as places_get(). */
int32_t places_site(struct place *const *places, const uintptr_t *addresses, unsigned n);

/* Returns the number of the site of P's frame alone. */
int32_t places_site_alone(struct place *p);

/* Returns site NUMBER; NULL: there is none. */
const struct site *places_site_numbered(int32_t number);

#endif
