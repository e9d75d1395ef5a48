/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sizes of a rank's datatypes. Private to trace/dumpi/. */
#ifndef MPG_DUMPI_TYPES_H
#define MPG_DUMPI_TYPES_H

#include "common/map.h"
#include "trace/dumpi/record.h"

/* Datatypes made by the rank so far. Zero-initialised: empty. */
struct dumpi_types {
    struct mpg_map sizes; /* number of a type -> 1 + bytes of the type; 0: unknown */
};

/* Adds the type made by record R, if any. Returns false if out of memory. */
bool mpg_dumpi_types_learn(struct dumpi_types *t, const struct dumpi_file *f, const struct dumpi_record *r);
/* Returns the bytes of TYPE: as listed in the file, as made by a constructor, or of a predefined type on 64-bit machines; -1:
 * unknown. */
int64_t mpg_dumpi_type_size(const struct dumpi_types *t, const struct dumpi_file *f, int64_t type);

#endif
