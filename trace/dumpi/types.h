/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sizes of a rank's datatypes. Private to trace/dumpi/. */
#ifndef MPG_DUMPI_TYPES_H
#define MPG_DUMPI_TYPES_H

#include "common/map.h"
#include "trace/dumpi/record.h"

/* Datatypes that the rank has made so far; empty when zero-initialised. */
struct dumpi_types {
    struct mpg_map sizes; /* number of a type -> 1 + its bytes */
};

/* Adds the type that record R makes, if R makes one. Returns false if out of memory. */
bool mpg_dumpi_types_learn(struct dumpi_types *t, const struct dumpi_file *f, const struct dumpi_record *r);
/* Returns the bytes of TYPE: as the file lists them, as constructors made it, or as on 64-bit machines; -1: unknown. */
int64_t mpg_dumpi_type_size(const struct dumpi_types *t, const struct dumpi_file *f, int64_t type);

#endif
