/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Imports the text form of a trace: writes a native trace. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/line_reader.h"
#include "trace/build/build.h"
#include "trace/text/definitions.h"
#include "trace/text/event.h"
#include "trace/text/text.h"

enum {
    RANKS_OF_NOTHING = 4096, /* number of ranks that even the smallest text may declare */
    MIN_RANK_BYTES = 16      /* minimum bytes of the text for each further rank; a rank's two calls take more */
};

struct import {
    int32_t ranks;
    int64_t size_bytes; /* size of the text, bytes; -1: unknown */
    const char *target; /* folder of the trace; if `fd` is a file, the file's name in errors */
    int fd;
    struct mpg_build *build; /* NULL until the line #ranks */
    struct mpg_text_event parsed;
};

static int check_ranks(const struct import *im, int64_t size_bytes, struct mpg_error *err)
{
    if (im->ranks <= RANKS_OF_NOTHING + size_bytes / MIN_RANK_BYTES)
        return 0;
    return mpg_error_set(err, "'#ranks %d' in a text of %lld bytes, which are too few for the calls "
                              "of so many", im->ranks, (long long)size_bytes);
}

static int set_ranks(struct import *im, const char *text, struct mpg_error *err)
{
    char *end;
    long ranks = strtol(text, &end, 10);
    if (im->ranks)
        return mpg_error_set(err, "second #ranks line");
    if (end == text || *end || ranks < 1 || ranks > MPG_BUILD_MAX_RANKS)
        return mpg_error_set(err, "'#ranks %s' is not a number of ranks from 1 to %d", text,
                             MPG_BUILD_MAX_RANKS);
    im->ranks = (int32_t)ranks;
    if (im->size_bytes >= 0 && check_ranks(im, im->size_bytes, err) < 0)
        return -1;
    im->build = mpg_build_begin(im->ranks, im->target, im->fd, err);
    return im->build ? 0 : -1;
}

/* Checks that VALUE is "TIME OFFSET". Returns 0, or -1 with ERR. */
static int check_clock(const char *value, struct mpg_error *err)
{
    long long time_ns, offset_ns;
    char rest;
    if (sscanf(value, "%lld %lld%c", &time_ns, &offset_ns, &rest) == 2)
        return 0;
    return mpg_error_set(err, "'%s' is not a time and an offset in nanoseconds", value);
}

/* If TEXT is quoted, removes the quotes and resolves escapes. A text that only begins with a quote stays unchanged. */
static int unquote_fact(char *text, struct mpg_error *err)
{
    struct mpg_error why;
    char *copy = *text == '"' ? strdup(text) : NULL;
    if (*text == '"' && !copy)
        return mpg_error_set(err, "out of memory");
    if (copy && mpg_text_unquote(copy, &why) == 0)
        strcpy(text, copy);
    free(copy);
    return 0;
}

/* Parses TEXT, "RANK VALUE", as the fact KEY of RANK; if KEY is NULL, TEXT is "RANK KEY VALUE". */
static int parse_fact(struct import *im, const char *key, char *text, struct mpg_error *err)
{
    char *end;
    long rank = strtol(text, &end, 10);
    if (end == text || *end != ' ' || rank < 0 || rank >= im->ranks)
        return mpg_error_set(err, "'#%s %s' does not begin with a rank", key ? key : "fact", text);
    char *value = end + 1;
    if (!key) {
        char *quoted = value;
        if (!(value = strchr(value, ' ')))
            return mpg_error_set(err, "'#fact' needs a rank, a key and a value");
        *value++ = '\0';
        if (unquote_fact(quoted, err) < 0)
            return -1;
        key = quoted;
    }
    if (unquote_fact(value, err) < 0)
        return -1;
    if (strcmp(key, "clock") == 0 && check_clock(value, err) < 0)
        return -1;
    return mpg_build_fact(im->build, (int32_t)rank, key, value, err);
}

/* Parses TEXT, "RANK[.THREAD] [CALL ENTER]", as the fact "died" of RANK. */
static int parse_died(struct import *im, char *text, struct mpg_error *err)
{
    char *who = mpg_text_word(&text), *call = mpg_text_word(&text), *enter = mpg_text_word(&text);
    char value[128];
    int32_t rank;
    uint32_t thread;
    int64_t enter_ns = 0;
    if (!who || (call && !enter) || mpg_text_word(&text))
        return mpg_error_set(err, "'#died' needs a rank, and the call it was in with its time");
    if (mpg_text_parse_rank(who, &rank, &thread, err) < 0 ||
        (enter && mpg_text_parse_int64(enter, INT64_MIN / 4, INT64_MAX / 4, &enter_ns, err) < 0))
        return -1;
    if (rank >= im->ranks)
        return mpg_error_set(err, "rank %d is not from 0 to %d", rank, im->ranks - 1);
    if (call && mpg_call_by_name(call) == MPG_CALL_COUNT)
        return mpg_error_set(err, "unknown call '%s'", call);
    snprintf(value, sizeof value, "%u%s%s%s%s", thread, call ? " " : "", call ? call : "",
             enter ? " " : "", enter ? enter : "");
    return mpg_build_fact(im->build, rank, "died", value, err);
}

/* Sets the fact KEY to VALUE on all ranks. */
static int parse_all(struct import *im, const char *key, char *value, struct mpg_error *err)
{
    if (unquote_fact(value, err) < 0)
        return -1;
    if (strcmp(key, "values") != 0 && strcmp(value, "shared") != 0)
        return mpg_error_set(err, "'#clocks %s' is not '#clocks shared'", value);
    return mpg_build_fact(im->build, -1, key, value, err);
}

/* Removes a remark in parentheses at the end: "#clock 1 500 -320 (remark)". QUOTED: TEXT has a quoted path. */
static void cut_remark(char *text, bool quoted)
{
    char *quote = quoted ? strrchr(text, '"') : NULL; /* end of the path, which may contain parentheses */
    char *end = strstr(quote ? quote : text, " (");
    if (!end)
        return;
    while (end > text && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    *end = '\0';
}

enum directive { COMMENT, RANKS, CLOCKS, VALUES, FACT, HOST, CLOCK, DIED, COMM, TOPOLOGY, WINDOW,
                 FILE_, MODULE, SITE };

static enum directive find_directive(const char *word)
{
    static const char *const words[] = {
        [RANKS] = "#ranks",       [CLOCKS] = "#clocks", [VALUES] = "#values", [FACT] = "#fact",
        [HOST] = "#host",         [CLOCK] = "#clock",   [DIED] = "#died",     [COMM] = "#comm",
        [TOPOLOGY] = "#topology", [WINDOW] = "#window", [FILE_] = "#file",
        [MODULE] = "#module",     [SITE] = "#site"};
    int i = SITE;
    while (i > COMMENT && strcmp(words[i], word) != 0)
        i--;
    return (enum directive)i;
}

static int parse_directive(struct import *im, char *line, struct mpg_error *err)
{
    char *rest = line + strcspn(line, " ");
    if (*rest)
        *rest++ = '\0';
    enum directive directive = find_directive(line);
    if (directive == COMMENT)
        return 0;
    if (directive != HOST && directive != FACT)
        cut_remark(rest, directive == MODULE || directive == VALUES);
    if (directive != RANKS && !im->ranks)
        return mpg_error_set(err, "%s before #ranks", line);
    switch (directive) {
    case RANKS:
        return set_ranks(im, rest, err);
    case CLOCKS:
    case VALUES:
        return parse_all(im, line + 1, rest, err);
    case DIED:
        return parse_died(im, rest, err);
    case COMM:
        return mpg_text_parse_comm(im->build, im->ranks, rest, err);
    case TOPOLOGY:
        return mpg_text_parse_topology(im->build, im->ranks, rest, err);
    case WINDOW:
        return mpg_text_parse_object(im->build, MPG_OBJECT_WINDOW, rest, err);
    case FILE_:
        return mpg_text_parse_object(im->build, MPG_OBJECT_FILE, rest, err);
    case MODULE:
        return mpg_text_parse_module(im->build, rest, err);
    case SITE:
        return mpg_text_parse_site(im->build, rest, err);
    default:
        return parse_fact(im, directive == FACT ? NULL : line + 1, rest, err);
    }
}

static int parse_event_line(struct import *im, char *line, struct mpg_error *err)
{
    int32_t rank;
    if (!im->ranks)
        return mpg_error_set(err, "event before #ranks");
    if (mpg_text_parse_event(line, &im->parsed, &rank, err) < 0)
        return -1;
    return mpg_build_event(im->build, rank, &im->parsed.event, im->parsed.name, err);
}

/* Removes the line end and trailing blanks; values of facts keep trailing blanks. */
static void strip_end(char *line, size_t n)
{
    const bool fact = *line == '#' && (strncmp(line, "#fact ", 6) == 0 || strncmp(line, "#host ", 6) == 0);
    while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r' || (line[n - 1] == ' ' && !fact)))
        line[--n] = '\0';
}

static int import_lines(struct import *im, FILE *text, const char *name, struct mpg_error *err)
{
    struct mpg_line_reader *l = mpg_line_reader_new(text);
    int64_t bytes = 0;
    size_t n;
    char *line;
    int status = 0;
    if (!l)
        return mpg_error_set(err, "out of memory");
    for (int more; status == 0 && (more = mpg_line_reader_next(l, &line, &n, err)) != 0;) {
        if ((status = more < 0 ? -1 : 0) < 0)
            break;
        bytes += (int64_t)n;
        if (mpg_line_reader_has(l, '\0')) {
            status = mpg_error_set(err, "holds a zero byte, which no text has");
            break;
        }
        strip_end(line, n);
        if (mpg_line_reader_number(l) == 1) {
            if (strncmp(line, "#mpgtext", 8) != 0)
                status = mpg_error_set(err, "does not begin with '#mpgtext 1'");
            else if (strcmp(line, "#mpgtext 1") != 0)
                status = mpg_error_set(err, "'%s' is not version 1, which this mpgkit reads",
                                       line);
        } else if (*line == '#')
            status = parse_directive(im, line, err);
        else if (*line)
            status = parse_event_line(im, line, err);
    }
    if (status < 0)
        mpg_error_prefix(err, "%s: line %lu", name, mpg_line_reader_number(l));
    else if (ferror(text))
        status = mpg_error_errno(err, errno, "%s: cannot read", name);
    else if (mpg_line_reader_number(l) == 0 || !im->ranks)
        status = mpg_error_set(err, "%s: no '#mpgtext 1' and '#ranks' lines", name);
    else if (check_ranks(im, bytes, err) < 0)
        status = mpg_error_prefix(err, "%s", name);
    mpg_line_reader_free(l);
    return status;
}

int mpg_text_import(FILE *text, const char *name, const char *target, int fd,
                    struct mpg_error *err)
{
    struct stat st;
    struct import im = {.size_bytes = -1, .target = target, .fd = fd};
    if (fileno(text) >= 0 && fstat(fileno(text), &st) == 0 && S_ISREG(st.st_mode))
        im.size_bytes = st.st_size;
    int status = import_lines(&im, text, name, err);
    if (status == 0)
        status = mpg_build_end(im.build, err);
    mpg_build_free(im.build);
    mpg_text_event_clear(&im.parsed);
    return status;
}
