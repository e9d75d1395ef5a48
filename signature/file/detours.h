/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A core's noise record in the signature file: packed as differences in parts of a nanosecond, or as arrays in files of
 * versions 1 and 2 and for times without a common part. */
#ifndef MPG_SIGNATURE_DETOURS_H
#define MPG_SIGNATURE_DETOURS_H

#include "signature/file/json.h"

/* Limits the packed detours of a file in proportion to the packed bytes, so that a small file cannot demand much memory. */
struct mpg_detours_allowance {
    size_t detours, bytes; /* so far */
};

/* Returns the smallest of 1, 10, 100 and 1000 parts of a ns in which all times of CORE's detours and blocks are whole numbers,
 * so that unpacking gives back every bit; 0: none. */
int mpg_detours_parts(const struct mpg_noise_core *core);

/* Return CORE's detours or blocks as packed text, in PARTS of a ns, as returned by mpg_detours_parts(). The caller frees the
 * text. NULL: out of memory, or times that are no whole parts. */
char *mpg_detours_pack(const struct mpg_noise_core *core, int parts, int level,
                       struct mpg_error *err);
char *mpg_detours_pack_blocks(const struct mpg_noise_core *core, int parts, int level,
                              struct mpg_error *err);

/* Unpacks a text of mpg_detours_pack() with N detours into CORE, which has no detours before. Errors: as mpg_unpack(), times of
 * 2^53 parts or more. */
int mpg_detours_unpack(const char *text, size_t n, int parts, struct mpg_noise_core *core,
                       struct mpg_error *err);

/* Packs OFF, which marks the N detours off the CPU, as *MARKED numbers, one per marked detour: the number of unmarked detours
 * since the previous mark. The caller frees the text. NULL: out of memory. */
char *mpg_detours_pack_off(const uint8_t *off, size_t n, int level, size_t *marked,
                           struct mpg_error *err);

/* Unpacks a text of mpg_detours_pack_off() for N detours into *OFF, which the caller frees. Errors: as mpg_unpack(), a mark
 * beyond N detours. */
int mpg_detours_unpack_off(const char *text, size_t marked, size_t n, uint8_t **off,
                           struct mpg_error *err);

/* Reads the optional member "detours" of OBJECT into CORE, which has no detours before. */
int mpg_detours_read(const json_t *object, struct mpg_detours_allowance *allowance,
                     struct mpg_noise_core *core, struct mpg_error *err);

/* Writes CORE's detours and blocks: packed, or as arrays if there are no blocks and either no part fits or ALLOWANCE is
 * exceeded. Errors: blocks whose times are no whole parts or reach 2^53 parts, too many detours, out of memory. */
int mpg_detours_write(struct mpg_json *out, struct mpg_detours_allowance *allowance, const struct mpg_noise_core *core,
                      struct mpg_error *err);

#endif
