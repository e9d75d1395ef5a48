/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a profile's ranks say of their modules, callsites and themselves; modules and callsites that are the same
 * on several ranks have one number. */
#ifndef MPG_PROFILE_DEFINITIONS_H
#define MPG_PROFILE_DEFINITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/map.h"
#include "trace/profile/profile.h"

/* All 0 is one without any. */
struct profile_definitions {
    struct mpg_module *modules; /* of all ranks so far */
    struct mpg_site *sites;
    int32_t module_number, site_number;
    struct mpg_map module_index, site_index; /* 1 + number, by hash and 0, 1, ... */
    /* Of the rank read last: */
    int32_t *local_modules, *local_sites; /* its numbers -> those above */
    uint32_t local_module_number, local_site_number;
    char *facts; /* "key\0value\0" pairs */
    size_t facts_bytes, facts_capacity;
    size_t *fact; /* where each begins */
    uint32_t fact_number;
};

/* Takes in the BYTES of one rank's definitions at FROM. Errors: damaged ones, out of memory. */
int mpg_profile_definitions_read(struct profile_definitions *d, const uint8_t *from, size_t bytes, struct mpg_error *err);
/* The I-th fact of the rank read last, D's; false: there are no more. */
bool mpg_profile_definitions_fact(const struct profile_definitions *d, size_t i, const char **key, const char **value);
void mpg_profile_definitions_clear(struct profile_definitions *d);

#endif
