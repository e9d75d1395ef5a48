/* SPDX-License-Identifier: GPL-3.0-or-later */
/* File names in the folder of a trace. */
#ifndef MPG_TRACE_NAMES_H
#define MPG_TRACE_NAMES_H

#include <stdbool.h>
#include <string.h>

/* Returns whether NAME begins with PREFIX and a digit, and ends in SUFFIX. */
static inline bool mpg_name_is_numbered(const char *name, const char *prefix, const char *suffix)
{
    const size_t length = strlen(prefix), end = strlen(suffix), size = strlen(name);
    return strncmp(name, prefix, length) == 0 && name[length] >= '0' && name[length] <= '9' &&
           size > length + end && strcmp(name + size - end, suffix) == 0;
}

/* Returns whether NAME is a rank's file, possibly under a temporary name (the process was killed). */
static inline bool mpg_name_is_of_rank(const char *name)
{
    return mpg_name_is_numbered(name, "rank-", ".mpgt") ||
           (strncmp(name, "rank-", 5) == 0 && strstr(name, ".mpgt.") != NULL);
}

/* Returns whether NAME is the folder of a spawned job. */
static inline bool mpg_name_is_spawned(const char *name)
{
    return mpg_name_is_numbered(name, "spawned-", "") && name[8 + strspn(name + 8, "0123456789")] == '\0';
}

#endif
