/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A core's record of detours in the signature file: packed as differences in parts of a
 * nanosecond, or, in files of versions 1 and 2 and where no part suits, as arrays. */
#ifndef MPG_SIGNATURE_DETOURS_H
#define MPG_SIGNATURE_DETOURS_H

#include "signature/file/json.h"

/* What packed detours a file may still hold: as many as its packed bytes are worth. */
struct mpg_detours_allowance {
    size_t detours, bytes; /* so far */
};

/* The smallest of 1, 10, 100 and 1000 parts of a ns of which all times of CORE's detours
 * and blocks are whole numbers, so that they come back bit for bit; 0: none is. */
int mpg_detours_parts(const struct mpg_noise_core *core);

/* CORE's detours as a packed text, in PARTS of a ns, which suit, or those of its blocks. The
 * caller frees it. Errors: out of memory. */
char *mpg_detours_pack(const struct mpg_noise_core *core, int parts, int level,
                       struct mpg_error *err);
char *mpg_detours_pack_blocks(const struct mpg_noise_core *core, int parts, int level,
                              struct mpg_error *err);

/* The reverse of mpg_detours_pack() for a text that holds N detours; CORE has none. Errors:
 * as mpg_unpack(), times beyond 2^53 parts. */
int mpg_detours_unpack(const char *text, size_t n, int parts, struct mpg_noise_core *core,
                       struct mpg_error *err);

/* Which of N detours were off the CPU, OFF, as a packed text of *MARKED numbers, one for each
 * that was: how many that were not are between it and the one before. The caller frees it.
 * Errors: out of memory. */
char *mpg_detours_pack_off(const uint8_t *off, size_t n, int level, size_t *marked,
                           struct mpg_error *err);

/* The reverse, for N detours: *OFF, which the caller frees. Errors: as mpg_unpack(), a detour
 * beyond N. */
int mpg_detours_unpack_off(const char *text, size_t marked, size_t n, uint8_t **off,
                           struct mpg_error *err);

/* Member "detours" of OBJECT, which may be absent, into CORE, which has none. */
int mpg_detours_read(const json_t *object, struct mpg_detours_allowance *allowance,
                     struct mpg_noise_core *core, struct mpg_error *err);

/* CORE's detours and blocks: packed, or, where there are no blocks and no part suits or the
 * file may not hold so many, as arrays. Errors: blocks that cannot be packed, as times are
 * no whole parts or lie beyond 2^53 of them, too many detours, out of memory. */
int mpg_detours_write(struct mpg_json *out, struct mpg_detours_allowance *allowance, const struct mpg_noise_core *core,
                      struct mpg_error *err);

#endif
