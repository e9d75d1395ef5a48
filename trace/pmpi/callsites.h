/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which stack of return addresses a call was made from, as a small number.
 *
 * A walk finds it: each return address is looked up, with the rule that finds its caller's, which is
 * taken from the program's call frame information when the address is met for the first time. A thread remembers
 * the words that its last walks have read; where they are the same the stack is. Frames that
 * need a whole unwinder (code made as the program runs, other machines) get libgcc's. The stack
 * itself is read within the thread's bounds, or those of the mapping that is a stack of the program's own making, alone: a
 * rule of a library that has been closed, for another at its address, finds wrong callers, but reads nothing that is not
 * there.
 */
#ifndef MPG_CALLSITES_H
#define MPG_CALLSITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

enum { CALLSITES_MAX_DEPTH = 64, CALLSITES_NONE = -1 };

/* Says where ADDRESS, a return address or foreign (below), is; whether it is to be left out at the innermost end of
 * a stack. Asked once for each address, when it is first met. */
typedef bool callsites_look(const void *address, struct mpg_frame *frame);

/* Captures DEPTH frames, 1 .. CALLSITES_MAX_DEPTH, from now on, of which LOOK (or NULL) is asked. Once, before
 * any capture. */
void callsites_start(unsigned depth, callsites_look *look);

/* The number (0, 1, ... in order of first appearance) of the stack that the calling
 * function was called from, or CALLSITES_NONE if there are too many. Equal stacks get
 * equal numbers in all threads. ADDRESS, CFA and FRAME are the calling function's
 * __builtin_return_address(0), __builtin_dwarf_cfa() and __builtin_frame_address(0).
 * Thread-safe; takes no lock for a stack that was met before. */
int32_t callsites_capture(const void *address, const void *cfa, const void *frame);
/* Whether the calling function, of which the first three are as above, was called, by any number of others, from a
 * function that had called with return address TO_ADDRESS and canonical frame address TO_CFA. Takes microseconds. */
bool callsites_lead_to(const void *address, const void *cfa, const void *frame, const void *to_address, const void *to_cfa);
#define CALLSITES_HERE()                                                                      \
    callsites_capture(__builtin_return_address(0), __builtin_dwarf_cfa(),                    \
                      __builtin_frame_address(0))

/* The stack that has only the frame that ADDRESS returns into, or only SITE's innermost one, as a site; CALLSITES_NONE if
 * the frame is one that is left out, or as above. */
int32_t callsites_alone(const void *address);
int32_t callsites_innermost(int32_t site);

/* Frames that are no return addresses, as a Python program's, are numbers from this on, where
 * no program has code. */
#define CALLSITES_FOREIGN ((uintptr_t)0 - ((uintptr_t)1 << 20))

/* The site of the first KEEP frames of SITE, which has as many, with FRAMES, NUMBER foreign ones, below
 * these, as far as the depth goes; CALLSITES_NONE if it is not known, or there are too many. */
int32_t callsites_joined(int32_t site, unsigned keep, const uintptr_t *frames, unsigned number);

/* The return addresses of SITE, innermost first, into ADDRESSES (CALLSITES_MAX_DEPTH
 * places), or what the look said of them into FRAMES (as many); how many. Thread-safe. */
unsigned callsites_addresses(int32_t site, const void **addresses);
unsigned callsites_frames(int32_t site, struct mpg_frame *frames);

#endif
