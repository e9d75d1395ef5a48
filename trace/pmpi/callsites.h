/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Call stacks as small numbers: a site is a stack of return addresses.
 *
 * A walk finds the stack: each return address is looked up with the rule for finding the caller, which is read from the program's
 * call frame information at the first occurrence of the address. A thread remembers the stack words read by recent walks: if
 * these words are unchanged, the stack is unchanged. Frames that need a full unwinder (code generated at run time, other
 * machines) use libgcc's unwinder. Only the thread's stack, or the mapping with a stack made by the program, is read. After
 * dlclose(3) a different library may be loaded at the closed library's address: the closed library's rules then find wrong
 * callers, but never read outside the stack. */
#ifndef MPG_CALLSITES_H
#define MPG_CALLSITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

enum { CALLSITES_MAX_DEPTH = 64, CALLSITES_NONE = -1 };

/* Writes the location of ADDRESS, a return address or a foreign frame (below), to FRAME. Returns true if the frame is
 * skipped at the innermost end of a stack. Called once for each address. */
typedef bool callsites_look(const void *address, struct mpg_frame *frame);

/* Starts capturing: stacks have at most DEPTH frames, 1 .. CALLSITES_MAX_DEPTH; LOOK (or NULL) locates addresses. Called
 * once, before any capture. */
void callsites_start(unsigned depth, callsites_look *look);

/* Returns the site of the calling function's call stack, numbered 0, 1, ... in order of first appearance, or CALLSITES_NONE: too
 * many sites. Equal stacks get equal numbers in all threads. ADDRESS, CFA and FRAME are the calling function's
 * __builtin_return_address(0), __builtin_dwarf_cfa() and __builtin_frame_address(0). Thread-safe; takes no lock for a known
 * stack. */
int32_t callsites_capture(const void *address, const void *cfa, const void *frame);
/* Returns true if the calling function (ADDRESS, CFA, FRAME as for callsites_capture()) runs, directly or through other
 * functions, inside the call with return address TO_ADDRESS and canonical frame address TO_CFA. Takes microseconds. */
bool callsites_lead_to(const void *address, const void *cfa, const void *frame, const void *to_address, const void *to_cfa);
#define CALLSITES_HERE()                                                                      \
    callsites_capture(__builtin_return_address(0), __builtin_dwarf_cfa(),                    \
                      __builtin_frame_address(0))

/* callsites_alone() returns the site of a stack with only the frame that ADDRESS returns into; callsites_innermost() of a stack
 * with only SITE's innermost frame. CALLSITES_NONE: the frame is skipped, or too many sites. */
int32_t callsites_alone(const void *address);
int32_t callsites_innermost(int32_t site);

/* Foreign frames have no return address (lines of a Python program). Numbers of foreign frames begin here, in an address range
 * without code. */
#define CALLSITES_FOREIGN ((uintptr_t)0 - ((uintptr_t)1 << 20))

/* Returns the site of the first KEEP frames of SITE with the NUMBER foreign FRAMES outside them, cut at the capture depth.
 * CALLSITES_NONE: SITE is unknown or has fewer frames, or too many sites. */
int32_t callsites_joined(int32_t site, unsigned keep, const uintptr_t *frames, unsigned number);

/* Write the return addresses of SITE, innermost first, to ADDRESSES, or the locations found by callsites_look to FRAMES;
 * each array has CALLSITES_MAX_DEPTH entries. Return the number of frames. Thread-safe. */
unsigned callsites_addresses(int32_t site, const void **addresses);
unsigned callsites_frames(int32_t site, struct mpg_frame *frames);

#endif
