/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A core's column of the kernel's interrupt tables. */
#include "config.h"

#include "bench/harness/interrupts.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 48 };

struct mpg_interrupt {
    char name[NAME];
    unsigned long long count;
};

/* Returns the column, from 0, of CORE in the head line ("  CPU0 CPU2 ..."); -1: the core is offline. */
static int find_column(char *line, int core)
{
    int column = 0;
    char *rest = NULL;
    for (char *word = strtok_r(line, " \t\n", &rest); word;
         word = strtok_r(NULL, " \t\n", &rest), column++)
        if (strncmp(word, "CPU", 3) == 0 && atoi(word + 3) == core)
            return column;
    return -1;
}

/* Sets NAME to LABEL, or for a device interrupt, whose label is a number, to LABEL:DEVICES; REST ends with the devices'
 * names. */
static void find_name(const char *label, const char *rest, char *name)
{
    if (!isdigit((unsigned char)*label)) {
        snprintf(name, NAME, "%s", label);
        return;
    }
    size_t end = strcspn(rest, "\n");
    while (end > 0 && rest[end - 1] == ' ')
        end--;
    size_t start = end;
    while (start > 0 && rest[start - 1] != ' ')
        start--;
    snprintf(name, NAME, "%s:%.*s", label, (int)(end - start), rest + start);
}

/* Parses "LABEL: COUNT COUNT ... WORDS"; false: the column is missing. */
static bool parse_line(char *line, int column, struct mpg_interrupt *found)
{
    char *colon = strchr(line, ':');
    if (!colon)
        return false;
    *colon = '\0';
    const char *label = line + strspn(line, " ");
    char *p = colon + 1, *end;
    for (int c = 0;; c++, p = end) {
        unsigned long long count = strtoull(p, &end, 10);
        if (end == p)
            return false;
        if (c == column) {
            found->count = count;
            break;
        }
    }
    find_name(label, end, found->name);
    return true;
}

void mpg_interrupts_read(enum mpg_interrupts_kind kind, int core, struct mpg_interrupts *now)
{
    char *line = NULL;
    size_t size = 0, room = 0;
    *now = (struct mpg_interrupts){0, NULL};
    FILE *stream = fopen(kind == MPG_INTERRUPTS_HARD ? "/proc/interrupts" : "/proc/softirqs", "r");
    if (!stream)
        return;
    int column = getline(&line, &size, stream) > 0 ? find_column(line, core) : -1;
    while (column >= 0 && getline(&line, &size, stream) > 0) {
        if (now->n == room) {
            room = room ? 2 * room : 64;
            struct mpg_interrupt *grown = realloc(now->line, room * sizeof *grown);
            if (!grown) {
                mpg_interrupts_clear(now);
                break;
            }
            now->line = grown;
        }
        now->n += parse_line(line, column, &now->line[now->n]);
    }
    free(line);
    fclose(stream);
}

void mpg_interrupts_clear(struct mpg_interrupts *interrupts)
{
    free(interrupts->line);
    *interrupts = (struct mpg_interrupts){0, NULL};
}

static int more_frequent(const void *a, const void *b)
{
    const struct mpg_interrupt *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return strcmp(x->name, y->name);
}

/* Stores the interrupts counted between BEFORE and AFTER into DIFFERENCE (room for after->n elements) and returns their
 * number. The tables may have different lines: a name missing in BEFORE had count 0. */
static size_t subtract(const struct mpg_interrupts *before, const struct mpg_interrupts *after,
                       struct mpg_interrupt *difference)
{
    size_t n = 0;
    for (size_t i = 0; i < after->n; i++) {
        difference[n] = after->line[i];
        for (size_t j = 0; j < before->n; j++)
            if (strcmp(before->line[j].name, after->line[i].name) == 0)
                difference[n].count -= before->line[j].count;
        n += difference[n].count > 0;
    }
    return n;
}

char *mpg_interrupts_text(const struct mpg_interrupts *before, const struct mpg_interrupts *after,
                          char *text, size_t size)
{
    static const char more[] = ", and more";
    struct mpg_interrupt *difference = malloc((after->n + 1) * sizeof *difference);
    if (before->n == 0 || after->n == 0 || !difference) {
        snprintf(text, size, "unknown");
        free(difference);
        return text;
    }
    size_t n = subtract(before, after, difference), used = 0;
    qsort(difference, n, sizeof *difference, more_frequent);
    snprintf(text, size, "none");
    for (size_t i = 0; i < n; i++) {
        char item[NAME + 32];
        size_t length = (size_t)snprintf(item, sizeof item, "%s%s %llu", i ? ", " : "",
                                         difference[i].name, difference[i].count);
        if (used + length + sizeof more > size) {
            snprintf(text + used, size - used, "%s", more);
            break;
        }
        memcpy(text + used, item, length + 1);
        used += length;
    }
    free(difference);
    return text;
}
