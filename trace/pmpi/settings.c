/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/pmpi/settings.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/units.h"
#include "trace/pmpi/report.h"

static const char prefix[] = "MPGTRACE_";

/* Environment variables, without the prefix, read or set by the tracer, mpgtrace record or the tests. Further variables with the
 * prefix are reported as unknown. */
static const char *const names[] = {"AFTER",      "ANEW",  "BUFFER", "CALLSITES", "CLOCK",  "CPU_TIME", "FOR",
                                    "ITERATIONS", "LAST",  "LOCAL",  "MPI",       "OFF_CPU", "OUTPUT",  "PAPI",
                                    "PCONTROL",   "PROFILE", "PROGRAM", "QUIET",  "REGION", "SIGNATURE", "TOP", "WATCH"};

int64_t setting_number(const char *name, enum setting_kind kind, int64_t min, int64_t max,
                       int64_t otherwise, int rank)
{
    struct mpg_error err;
    int64_t value = 0;
    const char *text = getenv(name);
    if (!text)
        return otherwise;
    int status = kind == SETTING_SIZE ? mpg_units_parse_size(text, &value, &err)
                                      : mpg_units_parse_int(text, &value, &err);
    if (status == 0 && (value < min || value > max))
        status = mpg_error_set(&err, "'%s' is not within %" PRId64 " to %" PRId64, text, min, max);
    if (status == 0)
        return value;
    if (rank == 0)
        report("%s: %s; %" PRId64 " is taken", name, err.text, otherwise);
    return otherwise;
}

static bool is_known(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0)
            return true;
    return false;
}

void settings_check_names(int rank)
{
    extern char **environ;
    for (char **entry = environ; rank == 0 && entry && *entry; entry++) {
        if (strncmp(*entry, prefix, strlen(prefix)) != 0)
            continue;
        const size_t length = strcspn(*entry, "=");
        if (!is_known(*entry + strlen(prefix), length - strlen(prefix)))
            report("%.*s: no such setting; see mpgtrace(1)", (int)(length < 100 ? length : 100), *entry);
    }
}
