/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A core's record of detours in the signature file: packed as differences in parts of a nanosecond. Records are JSON arrays in
 * file versions 1 and 2, and if no part of a nanosecond represents the times exactly. */
#ifndef MPG_SIGNATURE_DETOURS_H
#define MPG_SIGNATURE_DETOURS_H

#include "signature/file/json.h"

/* Amount of packed data in a file, counted while the file is read or written. The limit on detours grows with the packed bytes: a
 * small file cannot make a reader allocate much memory. */
struct mpg_detours_allowance {
    size_t detours, bytes; /* number of detours; bytes of compressed data */
};

/* Returns the smallest of 1, 10, 100 and 1000 parts of a ns that represents all times of CORE's detours and blocks exactly; 0: no
 * part does. */
int mpg_detours_parts(const struct mpg_noise_core *core);

/* Pack CORE's detours, or its sampled blocks, in PARTS of a ns (a result of mpg_detours_parts()). LEVEL: of compression
 * (pack.h). Return a text for the caller to free, or NULL with ERR if memory runs out. */
char *mpg_detours_pack(const struct mpg_noise_core *core, int parts, int level,
                       struct mpg_error *err);
char *mpg_detours_pack_blocks(const struct mpg_noise_core *core, int parts, int level,
                              struct mpg_error *err);

/* Unpacks N detours, in PARTS of a ns, from TEXT into CORE, which has no detours. Returns 0, or -1 with ERR: as mpg_unpack(), or
 * times beyond 2^53 parts. */
int mpg_detours_unpack(const char *text, size_t n, int parts, struct mpg_noise_core *core,
                       struct mpg_error *err);

/* Packs the off-CPU flags of N marks: for each set flag the number of clear flags between the previous set flag and this flag.
 * *MARKED: number of set flags. Returns a text for the caller to free, or NULL with ERR if memory runs out. */
char *mpg_detours_pack_off(const uint8_t *mark, size_t n, int level, size_t *marked,
                           struct mpg_error *err);
/* Packs the causes of N marks: for each nonzero cause the number of zeros since the previous nonzero cause, and the cause.
 * *CAUSED: number of nonzero causes. Returns a text for the caller to free, or NULL with ERR if memory runs out. */
char *mpg_detours_pack_causes(const uint8_t *mark, size_t n, int level, size_t *caused, struct mpg_error *err);

/* Unpacks from TEXT the off-CPU flags of N detours, with MARKED set flags, into *MARK, for the caller to free. Returns 0, or -1
 * with ERR: as mpg_unpack(), or a detour beyond N. */
int mpg_detours_unpack_off(const char *text, size_t marked, size_t n, uint8_t **mark,
                           struct mpg_error *err);
/* Adds CAUSED packed causes to the N marks MARK. Returns 0, or -1 with ERR: as mpg_unpack(), a detour beyond N, or a cause beyond
 * MPG_SIGNATURE_MAX_CAUSES. */
int mpg_detours_unpack_causes(const char *text, size_t caused, size_t n, uint8_t *mark, struct mpg_error *err);

/* Reads member "detours" of OBJECT, which may be absent, into CORE, which has no detours. Returns 0, or -1 with
   ERR. */
int mpg_detours_read(const json_t *object, struct mpg_detours_allowance *allowance,
                     struct mpg_noise_core *core, struct mpg_error *err);

/* Writes CORE's detours and blocks: packed; or as arrays, if there are no blocks and either no unit represents the
 * times exactly or the file's limit is reached. Returns 0, or -1 with ERR: blocks that cannot be packed, too many
 * detours, out of memory. */
int mpg_detours_write(struct mpg_json *out, struct mpg_detours_allowance *allowance, const struct mpg_noise_core *core,
                      struct mpg_error *err);

#endif
