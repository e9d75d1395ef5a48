/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Definitions of a profile's ranks: modules, callsites and facts. Equal modules and callsites of several ranks have a common
 * number. */
#ifndef MPG_PROFILE_DEFINITIONS_H
#define MPG_PROFILE_DEFINITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/map.h"
#include "trace/profile/profile.h"

/* Zero-initialised: empty. */
struct profile_definitions {
    struct mpg_module *modules; /* modules of all ranks read */
    struct mpg_site *sites;
    int32_t module_number, site_number;
    struct mpg_map module_index, site_index; /* 1 + number, by hash and a counter 0, 1, ... for equal hashes */
    /* Of the rank read last: */
    int32_t *local_modules, *local_sites; /* the rank's number of a module or callsite -> number in `modules` or `sites` */
    uint32_t local_module_number, local_site_number;
    char *facts; /* "key\0value\0" pairs */
    size_t facts_bytes, facts_capacity;
    size_t *fact; /* begin of each fact */
    uint32_t fact_number;
};

/* Adds BYTES of one rank's definitions at FROM. Returns 0, or -1 with ERR: damage, out of memory. */
int mpg_profile_definitions_read(struct profile_definitions *d, const uint8_t *from, size_t bytes, struct mpg_error *err);
/* Sets *KEY and *VALUE, owned by D, to the key and value of fact I of the rank read last. Returns false if there is no fact I. */
bool mpg_profile_definitions_fact(const struct profile_definitions *d, size_t i, const char **key, const char **value);
void mpg_profile_definitions_clear(struct profile_definitions *d);

#endif
