/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of callsites: what calls cost by the place they were made from. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "common/units.h"
#include "trace/stat/stat.h"
#include "trace/stat/symbols.h"

/* Calls of one kind whose places have the same names. */
struct line {
    enum mpg_call call;
    char *places; /* the lines of the last column, innermost first */
    struct stat_sum sum;
};

/* Text that grows. */
struct text {
    char *text;
    size_t used, capacity;
};

static int append(struct text *t, const char *more)
{
    size_t size = strlen(more) + 1;
    if (t->used + size > t->capacity) {
        char *grown = realloc(t->text, 2 * (t->used + size));
        if (!grown)
            return -1;
        t->text = grown;
        t->capacity = 2 * (t->used + size);
    }
    memcpy(t->text + t->used, more, size);
    t->used += size - 1;
    return 0;
}

/* The same of what a file says. */
static int append_shown(struct text *t, const char *more)
{
    char shown[4 * 4096 + 1];
    return append(t, mpg_printable(shown, sizeof shown, more));
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Whether MODULE is between the program and the tracer: MPI's Fortran bindings, or the
 * tracer itself. */
static bool is_wrapper(const struct mpg_module *module)
{
    const char *name = module ? base_name(module->path) : "";
    return strncmp(name, "libmpgtrace", 11) == 0 || strncmp(name, "libmpi", 6) == 0;
}

/* Whether MODULE is Python's interpreter, in whose stack a program in Python does not show. */
static bool is_interpreter(const struct mpg_module *module)
{
    const char *name = module ? base_name(module->path) : "";
    return strncmp(name, "libpython", 9) == 0 ||
           (strncmp(name, "python", 6) == 0 && name[6] >= '0' && name[6] <= '9');
}

static int append_interpreter(struct text *t, const struct mpg_module *module)
{
    return append(t, t->used ? "\n" : "") < 0 || append(t, base_name(module->path)) < 0
               ? -1
               : append(t, ": called from the interpreter; Python's functions are not known");
}

/* Whether what called FUNCTION is of no interest: the C library's start of programs. */
static bool is_outermost(const char *function)
{
    return strcmp(function, "main") == 0 || strcmp(function, "MAIN__") == 0;
}

static int append_place(struct text *t, const struct mpg_symbol *place)
{
    char line[32];
    if (append(t, t->used ? "\n" : "") < 0 || append_shown(t, place->function) < 0)
        return -1;
    if (!place->file && strchr(place->function, '+')) /* says its module itself */
        return 0;
    snprintf(line, sizeof line, place->line ? ":%d)" : ")", place->line);
    return append(t, " (") < 0 || append_shown(t, place->file ? base_name(place->file) : place->module) < 0
               ? -1
               : append(t, line);
}

/* The names of FRAMES places around SITE, one a line. */
static int append_site(struct text *t, const struct stat_places *source, int32_t site,
                       struct mpg_symbols *symbols, int frames, struct mpg_error *err)
{
    if (site < 0)
        return append(t, site == MPG_NO_SITE ? "unknown" : "all other places");
    const struct mpg_site *s = source->site(source->source, site);
    uint32_t first = 0;
    const struct mpg_module *module = NULL;
    for (; first < s->frame_number; first++) {
        module = s->frames[first].module < 0
                     ? NULL
                     : source->module(source->source, s->frames[first].module);
        if (!is_wrapper(module))
            break;
    }
    if (first == s->frame_number)
        first = 0; /* MPI called itself */
    for (uint32_t i = first; i < s->frame_number; i++) {
        const struct mpg_symbol *places;
        module = s->frames[i].module < 0 ? NULL
                                         : source->module(source->source, s->frames[i].module);
        if (is_interpreter(module)) /* which is said whatever FRAMES is */
            return append_interpreter(t, module);
        if (frames <= 0)
            continue;
        int n = mpg_symbols_look_up(symbols, module, s->frames[i].offset, &places, err);
        if (n < 0)
            return -1;
        for (int j = 0; j < n && frames > 0; j++, frames--) {
            if (append_place(t, &places[j]) < 0)
                return -1;
            if (is_outermost(places[j].function))
                return 0;
        }
    }
    return 0;
}

static int compare_names(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    return x->call != y->call ? (x->call > y->call) - (x->call < y->call)
                              : strcmp(x->places, y->places);
}

static int compare_times(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->sum.time_ns != y->sum.time_ns)
        return x->sum.time_ns < y->sum.time_ns ? 1 : -1;
    return compare_names(a, b);
}

/* Joins lines of the same call and places; returns how many are left. */
static size_t join_lines(struct line *lines, size_t n)
{
    size_t kept = 0;
    qsort(lines, n, sizeof *lines, compare_names);
    for (size_t i = 0; i < n; i++)
        if (kept && compare_names(&lines[kept - 1], &lines[i]) == 0) {
            mpg_stat_join(&lines[kept - 1].sum, &lines[i].sum);
            free(lines[i].places);
        } else
            lines[kept++] = lines[i];
    return kept;
}

static void print_line(const struct line *l, int width)
{
    char name[64], time[32], least[32], most[32], sent[32], received[32];
    const char *place = l->places;
    snprintf(name, sizeof name, "%s%s", mpg_call_prefix(l->call), mpg_call_name(l->call));
    int before = printf("%-*s %10" PRIu64 " %10s %10s %10s %10s %10s  ", width, name,
                        l->sum.number,
                        mpg_units_format_time(time, sizeof time, l->sum.time_ns),
                        mpg_units_format_time(least, sizeof least, l->sum.least_ns),
                        mpg_units_format_time(most, sizeof most, l->sum.most_ns),
                        mpg_stat_bytes(sent, sizeof sent, l->sum.sent_bytes),
                        mpg_stat_bytes(received, sizeof received, l->sum.received_bytes));
    for (const char *end; (end = strchr(place, '\n')); place = end + 1)
        printf("%.*s\n%*s", (int)(end - place), place, before + 2, "");
    puts(place);
}

static void print_lines(const struct line *lines, size_t n)
{
    int width = 16;
    for (size_t i = 0; i < n; i++) {
        int length = (int)strlen(mpg_call_name(lines[i].call)) + 4;
        width = length > width ? length : width;
    }
    printf("\n%-*s %10s %10s %10s %10s %10s %10s  %s\n", width, "call", "number", "time", "min",
           "max", "sent", "received", "from");
    for (size_t i = 0; i < n; i++)
        print_line(&lines[i], width);
}

int mpg_stat_print_sites(const struct stat_row *rows, size_t n, const struct stat_places *places,
                         struct mpg_symbols *symbols, int frames, struct mpg_error *err)
{
    struct line *lines = calloc(n + 1, sizeof *lines);
    int status = lines ? 0 : mpg_error_set(err, "out of memory");
    size_t made = 0;
    for (; status == 0 && made < n; made++) {
        struct text t = {0};
        status = append_site(&t, places, rows[made].site, symbols, frames, err);
        if (status < 0) {
            mpg_error_set(err, "out of memory");
            free(t.text);
            break;
        }
        lines[made] = (struct line){rows[made].call, t.text, rows[made].sum};
    }
    if (status == 0) {
        made = join_lines(lines, made);
        qsort(lines, made, sizeof *lines, compare_times);
        print_lines(lines, made);
    }
    for (size_t i = 0; lines && i < made; i++)
        free(lines[i].places);
    free(lines);
    return status;
}
