/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the reason of a failure in the output of a command. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "scale/run/launch.h"

enum { LINE = 1024, SHOWN = 201, RULE = 74 };

static bool has_one_of(const char *line, const char *const *words)
{
    while (*words && !strcasestr(line, *words))
        words++;
    return *words;
}

static bool mentions_failure(const char *line)
{
    static const char *const words[] = {"error", "cannot", "fail", "fatal", "no such", "invalid", "unable", "abort",
                                        NULL};
    return has_one_of(line, words);
}

/* Returns whether LINE is one of the rules printed by Open MPI's launcher around messages. */
static bool is_rule(const char *line)
{
    return strlen(line) == RULE && strspn(line, "-") == RULE;
}

/* Returns LINE without the prefix "[host:pid] " of Open MPI. */
static const char *behind_process(const char *line)
{
    const size_t end = *line == '[' ? strcspn(line, "]") : 0;
    size_t digits = end;
    while (digits > 0 && isdigit((unsigned char)line[digits - 1]))
        digits--;
    if (end == 0 || line[end] != ']' || digits == end || line[digits - 1] != ':')
        return line;
    return line + end + 1 + strspn(line + end + 1, " ");
}

/* Returns whether LINE, which is not between rules, tells nothing about the reason: written by a launcher, or added by a
 * library (location, end of the process). */
static bool is_added(const char *line)
{
    static const char *const words[] = {"ORTE",
                                        "PMIX ERROR",
                                        "PRTE ERROR",
                                        "help message",
                                        "to see all help / error messages",
                                        "BAD TERMINATION",
                                        "End of error message",
                                        "Process received signal",
                                        "Signal code:",
                                        "Failing at address:",
                                        "MPI_ERRORS_ARE_FATAL",
                                        "and potentially your MPI job",
                                        "Error termination. Backtrace",
                                        "Backtrace for this error",
                                        "total processes failed to start",
                                        NULL};
    static const char *const begins[] = {"[mpiexec@", "[proxy:", "[warn] Epoll ", "srun: ", "slurmstepd: ", "=   ",
                                         NULL};
    const char *text = behind_process(line);
    for (const char *const *b = begins; *b; b++)
        if (strncmp(line, *b, strlen(*b)) == 0)
            return true;
    const bool is_frame = (text > line && *text == '[') || (*line == '#' && isdigit((unsigned char)line[1]));
    return is_frame || has_one_of(line, words);
}

void mpg_scale_run_failure(const char *log, char *words, size_t size)
{
    char line[LINE], own[SHOWN] = "", added[SHOWN] = "";
    bool within = false;
    FILE *in = fopen(log, "r");
    while (in && fgets(line, sizeof line, in)) {
        line[strcspn(line, "\r\n")] = '\0';
        const char *text = line + strspn(line, " \t-=*");
        if (is_rule(line))
            within = !within;
        else if (*text && !within && !is_added(line))
            snprintf(own, sizeof own, "%.200s", text);
        else if (*text && (!*added || (!mentions_failure(added) && mentions_failure(text))))
            snprintf(added, sizeof added, "%.200s", text);
    }
    if (in)
        fclose(in);
    const char *message = *own ? own : added;
    snprintf(words, size, "%s%s", *message ? ": " : "", message);
}

bool mpg_scale_run_tracer_message(const char *log, char *words, size_t size)
{
    char line[4096];
    const char *message = NULL;
    FILE *in = fopen(log, "r");
    while (in && !message && fgets(line, sizeof line, in))
        message = strstr(line, "mpgtrace: ");
    if (in)
        fclose(in);
    if (message)
        snprintf(words, size, "%.*s", (int)strcspn(message, "\r\n"), message);
    return message;
}
