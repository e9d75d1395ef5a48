/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows common to the option tables of several commands of mpgtrace (common/option.h). Each macro is one or several initialisers
 * of struct mpg_option; the arguments are the addresses of the values. */
#ifndef MPG_ANALYSE_OPTIONS_H
#define MPG_ANALYSE_OPTIONS_H

#include "common/option.h"

/* --json, --csv (bool *) and --output (const char **). */
#define MPG_ROWS_OF_FORMATS(JSON, CSV, OUTPUT) \
    {.name = "json", .kind = MPG_OPTION_FLAG, .value = (JSON), .help = "all of it as JSON"}, \
        {.name = "csv", .kind = MPG_OPTION_FLAG, .value = (CSV), .help = "the table as CSV"}, \
    { \
        .name = "output", .letter = 'o', .kind = MPG_OPTION_STRING, .value = (OUTPUT), .argument = "FILE", \
        .help = "write to FILE instead of standard output" \
    }

/* --lenient (bool *). */
#define MPG_ROW_OF_LENIENT(LENIENT) \
    { \
        .name = "lenient", .kind = MPG_OPTION_FLAG, .value = (LENIENT), \
        .help = "count unmatched calls instead of failing" \
    }

/* --debug-path (const char **). */
#define MPG_ROW_OF_DEBUG_PATH(PATH) \
    { \
        .name = "debug-path", .kind = MPG_OPTION_STRING, .value = (PATH), .argument = "DIR", \
        .help = "look for the program, its libraries and their debugging information\nin DIR, too" \
    }

/* --eager-limit (int64_t *) of the traced run; GIVEN (bool *): set if the option is on the command line. */
#define MPG_ROW_OF_TRACED_EAGER_LIMIT(LIMIT, GIVEN) \
    { \
        .name = "eager-limit", .kind = MPG_OPTION_SIZE, .value = (LIMIT), .argument = "BYTES", .minimum = -1, \
        .maximum = 9e15, .given = (GIVEN), \
        .help = "larger standard sends waited for their receiver; -1: all did (default:\n" \
                "the largest send that completed before its receive was posted)" \
    }

#endif
