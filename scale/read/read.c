/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads all files, one after another, and chooses the runs that count. */
#define _GNU_SOURCE
#include "scale/read/read.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/kind.h"
#include "common/printable.h"
#include "common/progress.h"
#include "scale/read/gather.h"
#include "scale/read/set.h"
#include "trace/profile/profile.h"

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

/* ---- notes ---- */

int mpg_scale_note(struct scale_notes *notes, const char *path, bool left_out, struct mpg_error *err,
                   const char *format, ...)
{
    if (notes->n == notes->capacity) {
        const size_t more = notes->capacity ? 2 * notes->capacity : 16;
        struct scale_note *grown = realloc(notes->note, more * sizeof *grown);
        if (!grown)
            return out_of_memory(err);
        notes->note = grown;
        notes->capacity = more;
    }
    struct scale_note *note = &notes->note[notes->n];
    *note = (struct scale_note){.path = path ? strdup(path) : NULL, .left_out = left_out};
    va_list arguments;
    va_start(arguments, format);
    const int printed = vasprintf(&note->text, format, arguments);
    va_end(arguments);
    if (printed < 0 || (path && !note->path)) {
        free(note->path);
        if (printed >= 0)
            free(note->text);
        return out_of_memory(err);
    }
    notes->n++;
    return 0;
}

void mpg_scale_notes_clear(struct scale_notes *notes)
{
    for (size_t i = 0; i < notes->n; i++) {
        free(notes->note[i].path);
        free(notes->note[i].text);
    }
    free(notes->note);
    *notes = (struct scale_notes){.n = 0};
}

/* Returns the error message TEXT without "PATH: " at the beginning. */
static const char *without(const char *text, const char *path)
{
    const size_t n = strlen(path);
    return strncmp(text, path, n) == 0 && strncmp(text + n, ": ", 2) == 0 ? text + n + 2 : text;
}

/* ---- one file ---- */

static int take_labels(const struct scale_file *file, struct scale_run *run, struct mpg_error *err)
{
    run->path = strdup(file->path);
    run->labels = calloc(file->label_number + 1, sizeof *run->labels);
    if (!run->path || !run->labels)
        return out_of_memory(err);
    for (size_t i = 0; i < file->label_number; i++) {
        run->labels[i] = (struct scale_label){strdup(file->labels[i].key), strdup(file->labels[i].value)};
        run->label_number++;
        if (!run->labels[i].key || !run->labels[i].value)
            return out_of_memory(err);
    }
    return 0;
}

/* Returns an error if the calls of RUN take longer than the ranks ran, or if no rank ran. */
static int check_times(const struct scale_run *run, struct mpg_error *err)
{
    const double max_ns = run->app_ns * (run->threads > 1 ? run->threads : 1);
    if (!(run->app_ns > 0))
        return mpg_error_set(err, "no rank ran between MPI_Init and MPI_Finalize");
    return run->comm_ns <= max_ns
               ? 0
               : mpg_error_set(err, "its calls took %.6g s, all of its ranks together ran for %.6g s",
                               run->comm_ns / 1e9, max_ns / 1e9);
}

/* Reads RUN->path, a profile or a trace. If the file is neither, the error says which kind of file was found. */
static int read_file(struct scale_gather *g, struct scale_run *run, struct scale_notes *notes, struct mpg_error *err)
{
    if (mpg_profile_is(run->path))
        return g->how->unit == SCALE_UNIT_REGION ? mpg_error_set(err, "a profile, which has no regions: give traces")
                                                 : mpg_scale_read_profile(g, run, err);
    const enum mpg_file_kind kind = mpg_kind_of(run->path);
    const char *last = strrchr(run->path, '/');
    if (kind == MPG_FILE_TEXT && strcmp(last ? last + 1 : run->path, MPG_SCALE_MANIFEST) == 0)
        return mpg_error_set(err, "a list of runs, not a run: give it by --manifest, or give its folder");
    switch (kind) {
    case MPG_FILE_TRACE:
    case MPG_FILE_TRACE_FOLDER:
    case MPG_FILE_TRACE_TEXT:
    case MPG_FILE_TEXT:
    case MPG_FILE_UNKNOWN:
    case MPG_FILE_ABSENT:
        return mpg_scale_read_trace(g, run, notes, err);
    default:
        return mpg_error_set(err, "%s, neither a profile nor a trace", mpg_kind_name(kind));
    }
}

/* ---- all files ---- */

struct all {
    struct scale_gather g;
    const struct scale_reading *how;
    struct scale_set *set;
    struct scale_notes *notes;
    size_t capacity;
};

/* Returns whether RUN has one of the labels of --only, or if --only is not given. */
static bool is_wanted(const struct scale_reading *how, const struct scale_run *run)
{
    bool wanted = how->label_number == 0;
    for (size_t i = 0; i < how->label_number; i++) {
        const char *value = mpg_scale_label_of(run, how->only[i].key);
        wanted |= value && strcmp(value, how->only[i].value) == 0;
    }
    return wanted;
}

/* Returns the run of SET with content equal to RUN's; NULL: none. */
static const struct scale_run *find_same(const struct scale_set *set, const struct scale_run *run)
{
    for (size_t i = 0; i < set->run_number; i++)
        if (set->runs[i].content == run->content && set->runs[i].ranks == run->ranks &&
            set->runs[i].comm_ns == run->comm_ns && set->runs[i].app_ns == run->app_ns)
            return &set->runs[i];
    return NULL;
}

/* Adds notes about doubtful data in RUN. Sets *LEAVE to true if RUN is left out, as a copy of another run. */
static int judge(struct all *a, const struct scale_run *run, bool *leave, struct mpg_error *err)
{
    const struct scale_run *same = find_same(a->set, run);
    *leave = same && a->how->unique;
    if (same && mpg_scale_note(a->notes, run->path, a->how->unique, err,
                               a->how->unique ? "the same as %s" : "the same as %s: counted twice (--unique: once)",
                               same->path) < 0)
        return -1;
    if (!*leave && run->unfinished &&
        mpg_scale_note(a->notes, run->path, false, err, "a rank ended without MPI_Finalize") < 0)
        return -1;
    if (!*leave && run->other_ns > 0 &&
        mpg_scale_note(a->notes, run->path, false, err,
                       "%.3g %% of its communication is in (other callsites), as a profile distinguishes a limited number",
                       100 * run->other_ns / run->comm_ns) < 0)
        return -1;
    return 0;
}

static int add_file(struct all *a, const struct scale_file *file, struct mpg_error *err)
{
    struct scale_set *set = a->set;
    if (set->run_number == a->capacity) {
        const size_t more = a->capacity ? 2 * a->capacity : 16;
        struct scale_run *grown = realloc(set->runs, more * sizeof *grown);
        if (!grown)
            return out_of_memory(err);
        set->runs = grown;
        a->capacity = more;
    }
    struct scale_run *run = &set->runs[set->run_number];
    struct mpg_error why;
    bool leave = true;
    *run = (struct scale_run){.path = NULL};
    int status = take_labels(file, run, err);
    if (status == 0 && is_wanted(a->how, run)) {
        if (read_file(&a->g, run, a->notes, &why) < 0 || check_times(run, &why) < 0)
            status = mpg_scale_note(a->notes, run->path, true, err, "%s", without(why.text, run->path));
        else
            status = judge(a, run, &leave, err);
    }
    if (status == 0 && !leave) {
        set->run_number++;
        return 0;
    }
    while (a->g.address.column_number > set->run_number)
        mpg_scale_gather_drop(&a->g);
    mpg_scale_run_clear(run);
    return status;
}

/* ---- selection of the program ---- */

enum { COUNTS_NEEDED = 3 }; /* process counts needed for a result */

/* The runs of a program: number of different process counts (at most COUNTS_NEEDED), and number of runs. */
struct following {
    size_t counts, runs;
};

static struct following following_of(const struct scale_set *set, size_t run)
{
    struct following f = {0, 0};
    int32_t met[COUNTS_NEEDED];
    for (size_t i = 0; i < set->run_number; i++) {
        if (!mpg_scale_is_same_program(&set->runs[run], &set->runs[i]))
            continue;
        f.runs++;
        size_t k = 0;
        while (k < f.counts && met[k] != set->runs[i].ranks)
            k++;
        if (k == f.counts && k < COUNTS_NEEDED)
            met[f.counts++] = set->runs[i].ranks;
    }
    return f;
}

/* Sets KEEP[i] if run i is of the program to analyse: among the programs with the most process counts (at most COUNTS_NEEDED
 * count) the program with the most runs, among several of these the program given first. */
static int keep_program(const struct all *a, bool *keep, struct mpg_error *err)
{
    const struct scale_set *set = a->set;
    struct following max = {0, 0};
    size_t best = 0;
    for (size_t i = 0; i < set->run_number; i++) {
        const struct following f = following_of(set, i);
        if (set->runs[i].program && (f.counts > max.counts || (f.counts == max.counts && f.runs > max.runs))) {
            max = f;
            best = i;
        }
    }
    for (size_t i = 0; i < set->run_number; i++) {
        keep[i] = mpg_scale_is_same_program(&set->runs[best], &set->runs[i]);
        if (!keep[i] && mpg_scale_note(a->notes, set->runs[i].path, true, err, "of another program: %s, not %s",
                                       set->runs[i].program, set->runs[best].program) < 0)
            return -1;
    }
    return 0;
}

/* Adds a note if callsites of different builds cannot be matched, since source lines are unknown. */
static int note_without_lines(struct all *a, struct mpg_error *err)
{
    const char *module = mpg_scale_frame_names_without_lines(a->g.names);
    char shown[256];
    return !module ? 0
                   : mpg_scale_note(a->notes, NULL, false, err,
                                    "%s: the runs have several builds of it, and not of all of them lines are known: "
                                    "callsites of one may be missing in others (--debug-path=DIR: where the builds, or "
                                    "their debugging information, are kept)",
                                    mpg_printable(shown, sizeof shown, module));
}

/* Returns the arguments of RUN's command, all words after the first; NULL: unknown. */
static const char *arguments_of(const struct scale_run *run)
{
    if (!run->program)
        return NULL;
    const char *rest = run->program + strcspn(run->program, " ");
    return rest + strspn(rest, " ");
}

/* Returns whether a kept run before run I has arguments equal to run I's. */
static bool is_repeated(const struct scale_set *set, const bool *keep, size_t i)
{
    bool repeated = false;
    for (size_t k = 0; !repeated && k < i; k++) {
        const char *other = arguments_of(&set->runs[k]);
        repeated = keep[k] && other && strcmp(other, arguments_of(&set->runs[i])) == 0;
    }
    return repeated;
}

enum { ARGUMENTS_NAMED = 3, ARGUMENTS_SHOWN = 40 /* bytes shown of each run's arguments */ };

/* Adds a note if the kept runs have different arguments, which may change the problem size. No note if all runs are labelled
 * scaling=scaled, where different sizes are expected. */
static int compare_arguments(const struct all *a, const bool *keep, struct mpg_error *err)
{
    const struct scale_set *set = a->set;
    char text[600] = "";
    size_t different = 0, length = 0;
    bool scaled = true;
    for (size_t i = 0; i < set->run_number; i++) {
        const char *arguments = keep[i] ? arguments_of(&set->runs[i]) : NULL;
        const char *of = mpg_scale_label_of(&set->runs[i], "scaling");
        if (!arguments)
            continue;
        scaled = scaled && of && strcmp(of, "scaled") == 0;
        if (is_repeated(set, keep, i) || different++ >= ARGUMENTS_NAMED)
            continue;
        const bool whole = strlen(arguments) <= ARGUMENTS_SHOWN;
        size_t shown = whole ? strlen(arguments) : ARGUMENTS_SHOWN;
        while (!whole && shown > 0 && ((unsigned char)arguments[shown] & 0xc0) == 0x80)
            shown--; /* the cut must not be inside a character of several bytes */
        length += (size_t)snprintf(text + length, sizeof text - length, "%s'%.*s%s' (N = %d)", length > 0 ? ", " : "",
                                   (int)shown, arguments, whole ? "" : "...", set->runs[i].ranks);
    }
    if (different < 2 || scaled)
        return 0;
    if (different > ARGUMENTS_NAMED)
        snprintf(text + length, sizeof text - length, " and %zu more", different - ARGUMENTS_NAMED);
    return mpg_scale_note(a->notes, NULL, false, err, "arguments differ, perhaps the problem's size with them: %s", text);
}

/* Returns whether the kept runs' programs have different names, as programs built for a fixed number of ranks do. */
static bool names_differ(const struct scale_set *set, const bool *keep)
{
    const struct scale_run *first = NULL;
    bool differ = false;
    for (size_t i = 0; i < set->run_number; i++) {
        first = !first && keep[i] && set->runs[i].program ? &set->runs[i] : first;
        differ |= keep[i] && first && !mpg_scale_has_same_name(first, &set->runs[i]);
    }
    return differ;
}

static int finish(struct all *a, struct mpg_error *err)
{
    bool *keep = calloc(a->set->run_number + 1, sizeof *keep);
    int status = keep ? keep_program(a, keep, err) : out_of_memory(err);
    const bool by_line = a->how->by == SCALE_BY_LINE ||
                         (a->how->by == SCALE_BY_ANY && a->how->unit == SCALE_UNIT_CALLSITE &&
                          (mpg_scale_frame_names_differ(a->g.names) || (status == 0 && names_differ(a->set, keep))));
    if (status == 0 && by_line)
        status = note_without_lines(a, err);
    if (status == 0)
        status = compare_arguments(a, keep, err);
    if (status == 0)
        status = mpg_scale_set_make(a->set, by_line ? &a->g.line : &a->g.address, keep, a->g.counter_names,
                                    a->g.counter_number, err);
    a->set->by_line = by_line;
    free(keep);
    return status;
}

int mpg_scale_read(const struct scale_files *files, const struct scale_reading *how, struct scale_set *set,
                   struct scale_notes *notes, struct mpg_error *err)
{
    struct all a = {.how = how, .set = set, .notes = notes};
    struct mpg_progress progress;
    *set = (struct scale_set){.run_number = 0};
    *notes = (struct scale_notes){.n = 0};
    if (mpg_scale_gather_init(&a.g, how, err) < 0)
        return -1;
    int status = 0;
    mpg_progress_start(&progress, "reading runs", (double)files->n);
    for (size_t i = 0; status == 0 && i < files->n; i++) {
        status = add_file(&a, &files->file[i], err);
        mpg_progress_update(&progress, (double)(i + 1));
    }
    mpg_progress_end(&progress);
    if (status == 0)
        status = finish(&a, err);
    mpg_scale_gather_clear(&a.g);
    return status;
}
