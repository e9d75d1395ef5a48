/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The history file of a command line. Private to mpghistory. */
#ifndef MPG_HISTORY_REQUEST_H
#define MPG_HISTORY_REQUEST_H

#include <stdlib.h>

#include "common/option.h"

/* The row of --history, for FILE, a const char **. */
#define MPG_ROW_OF_HISTORY(FILE) \
    { \
        .name = "history", .kind = MPG_OPTION_STRING, .value = (FILE), .argument = "FILE", \
        .help = "history file (default: environment variable MPGKIT_HISTORY)" \
    }

/* Replaces a missing *FILE by MPGKIT_HISTORY. Ends with a usage error of PROGRAM if there is none. */
static inline void mpg_need_history(const struct mpg_program *program, const char **file)
{
    if (!*file)
        *file = getenv("MPGKIT_HISTORY");
    if (!*file || !**file)
        mpg_option_usage_error(program, "no history file: use --history or MPGKIT_HISTORY");
}

#endif
