/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Imports a trace of liballprof, which has a text file for each rank. */
#include "trace/liballprof/liballprof.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/input.h"
#include "common/line_reader.h"
#include "trace/foreign/files.h"
#include "trace/liballprof/line.h"

static const char no_statuses[] = "receives: size of the buffer, as sizes of received messages are not recorded";
static const char wrong_offsets[] = "messages arrive before they left: the trace's clock offsets do not make them fewer";
static const char no_types[] = "calls of Alltoallw: sizes of types are not recorded, elements are taken as bytes";

struct import {
    struct mpg_calls calls;
    struct mpg_foreign_files files;
    struct lap_line line;
    struct clock {
        /* Two measurements, at the first and at the last call: time on the rank's clock, and offset to rank 0's clock. */
        int64_t at_ns[2], offset_ns[2];
        bool has[2];
    } *clock;                /* by rank */
    /* Set of keys (0, address): requests posted by the current rank. In the survey and look-ahead passes, requests so far; in
     * later passes, all requests. */
    struct mpg_map posted;
    /* Evidence for elements of 4 or 8 bytes in arrays of requests: number of array elements that are posted requests. */
    uint64_t by_4, by_8;
};

/* --- the head of a file --- */

/* Returns the text after WORDS in LINE; NULL: LINE does not contain WORDS. */
static char *after(char *line, const char *words)
{
    char *found = strstr(line, words);
    return found ? found + strlen(words) : NULL;
}

/* Handles LINE, a comment that begins with '#': takes host names and clock offsets from LINE. */
static int take_comment(struct import *im, int32_t rank, char *line, struct mpg_error *err)
{
    struct clock *clock = &im->clock[rank];
    char *host = after(line, "# host: "), *diff = after(line, "clockdiff: ");
    host = host ? host : after(line, "# hostname: ");
    if (host) {
        host[strcspn(host, " ")] = '\0';
        char *unknown = strstr(host, ".(none)"); /* the recorder's text for a host without a domain */
        if (unknown)
            *unknown = '\0';
        return *host ? mpg_build_fact(im->calls.foreign.build, rank, "host", host, err) : 0;
    }
    const int which = strncmp(line, "# Finalize", 10) == 0;
    if (!diff)
        return 0;
    diff[strcspn(diff, " ")] = '\0';
    if (!mpg_lap_parse_us(diff, &clock->offset_ns[which]))
        return mpg_error_set(err, "clockdiff '%.40s' is no time in us", diff);
    clock->has[which] = true;
    if (!which)
        im->calls.offset_ns[rank] = clock->offset_ns[0];
    return 0;
}

/* --- lines --- */

/* Adds to im->posted the request posted by the current line. */
static int note_request(struct import *im, struct mpg_error *err)
{
    const struct lap_line *l = &im->line;
    if (l->is_array || l->call.request_number != 1)
        return 0;
    return mpg_map_add(&im->posted, 0, l->call.requests[0]) ? 0 : mpg_error_set(err, "out of memory");
}

/* Counts evidence for the size of a request, 4 bytes with MPICH and 8 with Open MPI: how many elements of the array in the
 * current line are posted requests if elements have 4 bytes, or 8 bytes. */
static void learn_stride(struct import *im)
{
    if (!im->line.is_array)
        return;
    im->by_4 += mpg_lap_count_posted(&im->line, 4, &im->posted);
    im->by_8 += mpg_lap_count_posted(&im->line, 8, &im->posted);
}

static void note_times(struct import *im, int32_t rank)
{
    struct clock *clock = &im->clock[rank];
    const struct mpg_foreign_call *call = &im->line.call;
    if (call->call == MPG_CALL_Init || call->call == MPG_CALL_Init_thread)
        clock->at_ns[0] = call->leave_ns;
    clock->at_ns[1] = call->leave_ns;
}

static int take_line(struct import *im, int32_t rank, char *text, struct mpg_error *err)
{
    struct mpg_calls *c = &im->calls;
    struct lap_line *l = &im->line;
    if (mpg_lap_parse(l, text, err) < 0)
        return -1;
    if ((c->pass == MPG_CALLS_SURVEY || c->pass == MPG_CALLS_LOOK_AHEAD) && note_request(im, err) < 0)
        return -1;
    if (c->pass == MPG_CALLS_SURVEY) {
        note_times(im, rank);
        learn_stride(im);
    } else if (mpg_lap_spread(l, im->by_4 > im->by_8 ? 4 : 8, &im->posted, err) < 0)
        return -1;
    if (c->pass == MPG_CALLS_EMIT) {
        const enum mpg_kind kind = l->call.call < MPG_CALL_COUNT ? mpg_call_kind(l->call.call) : MPG_KIND_UNKNOWN;
        if (kind == MPG_KIND_RECV || kind == MPG_KIND_SENDRECV)
            mpg_foreign_remark(&c->foreign, no_statuses, 1);
        if (l->lists_bytes_only)
            mpg_foreign_remark(&c->foreign, no_types, 1);
    }
    return mpg_calls_take(c, rank, &l->call, err);
}

/* Returns whether the line TEXT, of N bytes, is complete: only comments and MPI_Finalize may lack a line end. */
static bool is_whole(const char *text, size_t n)
{
    return text[n - 1] == '\n' || strncmp(text, "MPI_Finalize:", 13) == 0 || *text == '#';
}

static int take_file(struct import *im, int32_t rank, struct mpg_line_reader *lines, struct mpg_error *err)
{
    struct mpg_calls *c = &im->calls;
    char *text;
    size_t n;
    for (int more; (more = mpg_line_reader_next(lines, &text, &n, err)) != 0;) {
        if (more < 0)
            return -1;
        if (mpg_line_reader_has(lines, '\0'))
            return mpg_error_set(err, "holds a zero byte, which no text has");
        if (!is_whole(text, n)) {
            return c->pass == MPG_CALLS_EMIT ? mpg_build_fact(c->foreign.build, rank, "incomplete", "the file ends inside a "
                                                                                                    "line", err)
                                             : 0;
        }
        mpg_line_reader_chomp(lines);
        if (*text == '#' ? c->pass == MPG_CALLS_SURVEY && take_comment(im, rank, text, err) < 0
                         : *text && take_line(im, rank, text, err) < 0)
            return -1;
    }
    return 0;
}

/* Returns whether any rank's file gives a nonzero offset between the rank's clock and rank 0's clock. */
static bool has_offsets(const struct import *im)
{
    size_t r = 0;
    while (r < im->files.n && im->clock[r].offset_ns[0] == 0 && im->clock[r].offset_ns[1] == 0)
        r++;
    return r < im->files.n;
}

static int read_rank(void *context, int32_t rank, struct mpg_calls *c, struct mpg_error *err)
{
    struct import *im = context;
    const char *path = im->files.path[rank];
    if (c->pass == MPG_CALLS_EMIT && has_offsets(im) && mpg_build_watch_arrivals(c->foreign.build, err) < 0)
        return -1;
    FILE *file = mpg_input_open(path);
    if (!file)
        return mpg_error_errno(err, errno, "%s", path);
    struct mpg_line_reader *lines = mpg_line_reader_new(file);
    /* the survey and the look-ahead collect the addresses of the rank's requests anew, for the pass after */
    if (c->pass == MPG_CALLS_SURVEY || c->pass == MPG_CALLS_LOOK_AHEAD)
        mpg_map_clear(&im->posted);
    int status = lines ? take_file(im, rank, lines, err) : mpg_error_set(err, "out of memory");
    if (status < 0)
        mpg_error_prefix(err, "%s: line %lu", path, lines ? mpg_line_reader_number(lines) : 0);
    else if (ferror(file))
        status = mpg_error_errno(err, errno, "%s: cannot read", path);
    mpg_line_reader_free(lines);
    (void)fclose(file);
    return status;
}

/* --- clocks --- */

static int write_clock(struct import *im, int32_t rank, struct mpg_error *err)
{
    const struct clock *clock = &im->clock[rank];
    char value[64];
    for (int i = 0; i < 2; i++) {
        const int64_t at_ns = clock->at_ns[i] - im->calls.origin_ns;
        if (!clock->has[i] || (i == 1 && clock->has[0] && clock->at_ns[1] <= clock->at_ns[0]))
            continue;
        snprintf(value, sizeof value, "%lld %lld", (long long)at_ns, (long long)clock->offset_ns[i]);
        if (mpg_build_fact(im->calls.foreign.build, rank, "clock", value, err) < 0)
            return -1;
    }
    return 0;
}

/* Writes the facts about clocks. Returns "shared", "measured" or "unknown", or NULL with ERR. */
static const char *write_clocks(struct import *im, struct mpg_error *err)
{
    const int32_t ranks = im->calls.foreign.ranks;
    bool measured = true, zero = true;
    for (int32_t r = 0; r < ranks; r++) {
        measured = measured && im->clock[r].has[0];
        zero = zero && im->clock[r].offset_ns[0] == 0 && im->clock[r].offset_ns[1] == 0;
    }
    if (zero && (measured || ranks == 1))
        return mpg_build_fact(im->calls.foreign.build, -1, "clocks", "shared", err) < 0 ? NULL : "shared";
    for (int32_t r = 0; r < ranks && measured; r++)
        if (write_clock(im, r, err) < 0)
            return NULL;
    return measured ? "measured" : "unknown";
}

/* --- the whole --- */

/* Writes the recorder's name and version, from the first line of file PATH, to WHAT of SIZE bytes. */
static int describe(const char *path, char *what, size_t size, struct mpg_error *err)
{
    char line[200] = "";
    FILE *file = mpg_input_open(path);
    if (!file)
        return mpg_error_errno(err, errno, "%s", path);
    if (!fgets(line, sizeof line, file))
        *line = '\0';
    (void)fclose(file);
    line[strcspn(line, "\r\n")] = '\0';
    char *end = strstr(line, " output file");
    end = end ? end : strstr(line, " Output File");
    if (end)
        *end = '\0';
    snprintf(what, size, "liballprof %s", strncmp(line, "# ", 2) == 0 ? line + 2 : line);
    return 0;
}

static int import_files(struct import *im, const char *target, int fd, const struct mpg_import_config *config,
                        struct mpg_error *err)
{
    char what[256];
    if (im->files.n > MPG_BUILD_MAX_RANKS)
        return mpg_error_set(err, "%zu files, more than %d ranks", im->files.n, MPG_BUILD_MAX_RANKS);
    if (describe(im->files.path[0], what, sizeof what, err) < 0)
        return -1;
    im->clock = calloc(im->files.n, sizeof *im->clock);
    if (!im->clock)
        return mpg_error_set(err, "out of memory");
    if (mpg_foreign_begin(&im->calls.foreign, "liballprof", what, (int32_t)im->files.n, target, fd, config, err) < 0 ||
        mpg_calls_begin(&im->calls, -1, -1, err) < 0 || mpg_calls_run(&im->calls, read_rank, im, err) < 0)
        return -1;
    const char *clocks = write_clocks(im, err);
    char text[256];
    uint64_t worse;
    if (!clocks || mpg_build_describe_arrivals(im->calls.foreign.build, clocks, text, sizeof text, &worse, err) < 0)
        return -1;
    mpg_foreign_remark(&im->calls.foreign, wrong_offsets, worse);
    return mpg_foreign_end(&im->calls.foreign, text, err);
}

int mpg_liballprof_import(const char *path, const char *target, int fd, const struct mpg_import_config *config,
                          struct mpg_error *err)
{
    struct import im = {.by_8 = 0};
    if (mpg_foreign_files_find(&im.files, path, MPG_FILE_LIBALLPROF, err) < 0)
        return -1;
    int status = import_files(&im, target, fd, config, err);
    if (status < 0 && strncmp(err->text, path, strlen(path)) != 0)
        mpg_error_prefix(err, "%s", path);
    mpg_calls_clear(&im.calls);
    mpg_foreign_files_clear(&im.files);
    mpg_map_clear(&im.posted);
    mpg_lap_clear(&im.line);
    free(im.clock);
    return status;
}
