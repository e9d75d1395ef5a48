/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading the text form into native traces. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/store/chunk.h"
#include "trace/text/text.h"
#include "trace/text/definitions.h"
#include "trace/text/event.h"
#include "trace/store/writer.h"

enum { IMPORT_BUFFER_BYTES = 16 * 1024, IMPORT_LEVEL = 1, MAX_IMPORT_RANKS = 1 << 20 };

struct import {
    const char *target; /* a folder; with an fd, its name */
    int fd;             /* everything to this, or -1 */
    int32_t ranks;
    struct mpg_text_stream *first;   /* thread 0 of each rank */
    struct mpg_text_stream **others; /* further threads */
    size_t other_count;
    struct mpg_map threads;          /* (rank, thread) -> place in others + 1 */
    struct mpg_text_definitions definitions;
    struct mpg_text_event parsed;
};

static int open_file(const struct import *im, struct mpg_text_stream *s, char *path, size_t size,
                     struct mpg_error *err)
{
    char thread[32] = "";
    if (s->thread)
        snprintf(thread, sizeof thread, "-thread-%u", s->thread);
    if (snprintf(path, size, "%s/rank-%d%s.mpgt", im->target, s->rank, thread) >= (int)size)
        return mpg_error_set(err, "%s: name too long", im->target);
    s->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return s->fd < 0 ? mpg_error_errno(err, errno, "%s", path) : 0;
}

static int open_writer(const struct import *im, struct mpg_text_stream *s, struct mpg_error *err)
{
    char path[4096];
    if (s->writer)
        return 0;
    if (im->fd < 0 && open_file(im, s, path, sizeof path, err) < 0)
        return -1;
    struct mpg_trace_writer_options options = {.name = im->fd < 0 ? path : im->target,
                                               .rank = s->rank,
                                               .ranks = im->ranks,
                                               .thread = s->thread,
                                               .value_number = s->value_number,
                                               .window_bytes = IMPORT_BUFFER_BYTES,
                                               .level = IMPORT_LEVEL};
    s->writer = mpg_trace_writer_new(im->fd < 0 ? s->fd : im->fd, &options, err);
    return s->writer ? 0 : -1;
}

static struct mpg_text_stream *add_thread(struct import *im, int32_t rank, uint32_t thread,
                                          struct mpg_error *err)
{
    uint64_t *place = mpg_map_add(&im->threads, (uint64_t)rank, thread);
    if (place && *place)
        return im->others[*place - 1];
    struct mpg_text_stream **grown =
        realloc(im->others, (im->other_count + 1) * sizeof *grown), *s = NULL;
    if (grown)
        im->others = grown;
    if (!place || !grown || !(s = calloc(1, sizeof *s))) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    *s = (struct mpg_text_stream){.rank = rank,
                                  .thread = thread,
                                  .value_number = im->first[rank].value_number,
                                  .fd = -1};
    im->others[im->other_count] = s;
    *place = ++im->other_count;
    return s;
}

/* The stream of THREAD of RANK, ready to be written. */
static struct mpg_text_stream *stream_of(struct import *im, int32_t rank, uint32_t thread,
                                         struct mpg_error *err)
{
    struct mpg_text_stream *s = thread ? add_thread(im, rank, thread, err) : &im->first[rank];
    return s && open_writer(im, s, err) == 0 ? s : NULL;
}

static int set_ranks(struct import *im, const char *text, struct mpg_error *err)
{
    char *end;
    long ranks = strtol(text, &end, 10);
    if (im->ranks)
        return mpg_error_set(err, "second #ranks line");
    if (end == text || *end || ranks < 1 || ranks > MAX_IMPORT_RANKS)
        return mpg_error_set(err, "'#ranks %s' is not a number of ranks from 1 to %d", text,
                             MAX_IMPORT_RANKS);
    im->first = malloc((size_t)ranks * sizeof *im->first);
    if (!im->first)
        return mpg_error_set(err, "out of memory");
    im->ranks = (int32_t)ranks;
    for (int32_t r = 0; r < im->ranks; r++)
        im->first[r] = (struct mpg_text_stream){.rank = r, .fd = -1};
    mpg_text_definitions_init(&im->definitions, im->ranks);
    return 0;
}

static int write_fact(struct import *im, int32_t rank, const char *key, const char *value,
                      struct mpg_error *err)
{
    struct mpg_text_stream *s = stream_of(im, rank, 0, err);
    return s ? mpg_trace_write_fact(s->writer, key, value, err) : -1;
}

/* Whether VALUE is "TIME OFFSET". */
static int check_clock(const char *value, struct mpg_error *err)
{
    long long time_ns, offset_ns;
    char rest;
    if (sscanf(value, "%lld %lld%c", &time_ns, &offset_ns, &rest) == 2)
        return 0;
    return mpg_error_set(err, "'%s' is not a time and an offset in nanoseconds", value);
}

/* NAMES says how many values each event of RANK has. */
static int set_values(struct import *im, int32_t rank, const char *names, struct mpg_error *err)
{
    struct mpg_text_stream *s = &im->first[rank];
    if (s->writer)
        return mpg_error_set(err, "what values there are must be said directly after #ranks");
    for (const char *p = names; *(p += strspn(p, " ")); p += strcspn(p, " "))
        s->value_number++;
    return s->value_number <= MPG_TRACE_MAX_VALUES
               ? 0
               : mpg_error_set(err, "more than %d values", MPG_TRACE_MAX_VALUES);
}

/* "RANK VALUE" becomes the fact KEY VALUE of RANK; KEY NULL: VALUE starts with it. */
static int parse_fact(struct import *im, const char *key, char *text, struct mpg_error *err)
{
    char *end;
    long rank = strtol(text, &end, 10);
    if (end == text || *end != ' ' || rank < 0 || rank >= im->ranks)
        return mpg_error_set(err, "'#%s %s' does not begin with a rank", key ? key : "fact", text);
    char *value = end + 1;
    if (!key) {
        key = value;
        if (!(value = strchr(value, ' ')))
            return mpg_error_set(err, "'#fact' needs a rank, a key and a value");
        *value++ = '\0';
    }
    if (strcmp(key, "clock") == 0 && check_clock(value, err) < 0)
        return -1;
    if (strcmp(key, "values") == 0 && set_values(im, (int32_t)rank, value, err) < 0)
        return -1;
    return write_fact(im, (int32_t)rank, key, value, err);
}

/* "RANK[.THREAD] [CALL ENTER]" */
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
    return write_fact(im, rank, "died", value, err);
}

/* KEY VALUE of all ranks. */
static int parse_all(struct import *im, const char *key, const char *value, struct mpg_error *err)
{
    bool values = strcmp(key, "values") == 0;
    if (!values && strcmp(value, "shared") != 0)
        return mpg_error_set(err, "'#clocks %s' is not '#clocks shared'", value);
    for (int32_t r = 0; r < im->ranks; r++)
        if ((values && set_values(im, r, value, err) < 0) ||
            write_fact(im, r, key, value, err) < 0)
            return -1;
    return 0;
}

/* People annotate directives: "#clock 1 500 -320   (remark)". */
static void cut_remark(char *text, bool quoted)
{
    char *quote = quoted ? strrchr(text, '"') : NULL; /* behind a path that is quoted */
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
        cut_remark(rest, directive == MODULE);
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
        return mpg_text_parse_comm(&im->definitions, rest, err);
    case TOPOLOGY:
        return mpg_text_parse_topology(&im->definitions, rest, err);
    case WINDOW:
        return mpg_text_parse_object(&im->definitions, TEXT_WINDOW, rest, err);
    case FILE_:
        return mpg_text_parse_object(&im->definitions, TEXT_FILE, rest, err);
    case MODULE:
        return mpg_text_parse_module(&im->definitions, rest, err);
    case SITE:
        return mpg_text_parse_site(&im->definitions, rest, err);
    default:
        return parse_fact(im, directive == FACT ? NULL : line + 1, rest, err);
    }
}

/* Makes sure that S knows all that the event just parsed speaks of, and puts the
 * stream's numbers in the place of labels. */
static int define_used(struct import *im, struct mpg_text_stream *s, struct mpg_error *err)
{
    struct mpg_text_definitions *d = &im->definitions;
    const struct mpg_text_event *t = &im->parsed;
    struct mpg_event *e = &im->parsed.event;
    enum mpg_kind kind = mpg_call_kind(e->call);
    if (mpg_text_need_site(d, s, e->site, err) < 0)
        return -1;
    if (e->failed)
        return 0;
    if (mpg_text_kind_has(kind, MPG_TEXT_COMM) && mpg_text_need_comm(d, s, e->comm, err) < 0)
        return -1;
    if (mpg_text_kind_has(kind, MPG_TEXT_NEWCOMM) && mpg_text_need_comm(d, s, e->newcomm, err) < 0)
        return -1;
    if (mpg_kind_has_neighbors(kind) &&
        mpg_text_need_topology(d, s, e->comm, err) < 0)
        return -1;
    if (e->object != MPG_NO_OBJECT &&
        mpg_text_need_object(d, s, mpg_text_is_given(t, MPG_TEXT_FILE) ? TEXT_FILE : TEXT_WINDOW,
                             e->object, &e->object, err) < 0)
        return -1;
    return t->name ? mpg_text_need_string(d, s, t->name, &e->string, err) : 0;
}

/* A reader makes the call from what is said of the rank, as from the window of a process. */
static int write_killed(struct import *im, int32_t rank, const struct mpg_event *e,
                        struct mpg_error *err)
{
    char value[64];
    snprintf(value, sizeof value, "%u %s %lld", e->thread, mpg_call_name(e->call),
             (long long)e->enter_ns);
    return write_fact(im, rank, "died", value, err);
}

static int parse_event_line(struct import *im, char *line, struct mpg_error *err)
{
    if (!im->ranks)
        return mpg_error_set(err, "event before #ranks");
    int32_t rank;
    struct mpg_event *e = &im->parsed.event;
    if (mpg_text_parse_event(line, &im->parsed, &rank, err) < 0)
        return -1;
    if (rank >= im->ranks)
        return mpg_error_set(err, "rank %d is not from 0 to %d", rank, im->ranks - 1);
    struct mpg_text_stream *s = stream_of(im, rank, e->thread, err);
    if (!s)
        return -1;
    if (e->value_number != s->value_number)
        return mpg_error_set(err, "%u values; those that are named are %u", e->value_number,
                             s->value_number);
    if (e->killed)
        return write_killed(im, rank, e, err);
    return define_used(im, s, err) < 0 ? -1 : mpg_trace_write_event(s->writer, e, err);
}

/* Removes the line's end and blanks before it, which only facts may end in. */
static void strip_end(char *line, size_t n)
{
    bool fact = strncmp(line, "#fact ", 6) == 0 || strncmp(line, "#host ", 6) == 0;
    while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r' || (line[n - 1] == ' ' && !fact)))
        line[--n] = '\0';
}

static int import_lines(struct import *im, FILE *text, const char *name, struct mpg_error *err)
{
    char *line = NULL;
    size_t capacity = 0;
    unsigned long number = 0;
    int status = 0;
    for (ssize_t n; status == 0 && (n = getline(&line, &capacity, text)) >= 0;) {
        number++;
        strip_end(line, (size_t)n);
        if (number == 1) {
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
        mpg_error_prefix(err, "%s: line %lu", name, number);
    else if (ferror(text))
        status = mpg_error_errno(err, errno, "%s: cannot read", name);
    else if (!feof(text))
        status = mpg_error_set(err, "out of memory for line %lu of %s", number + 1, name);
    else if (number == 0 || !im->ranks)
        status = mpg_error_set(err, "%s: no '#mpgtext 1' and '#ranks' lines", name);
    free(line);
    return status;
}

static int finish_stream(struct import *im, struct mpg_text_stream *s, struct mpg_error *err)
{
    if (open_writer(im, s, err) < 0 ||
        /* So that ranks without any call are in the trace, too. */
        (s->defined.count == 0 && mpg_text_write_world(&im->definitions, s, err) < 0) ||
        mpg_trace_writer_close(s->writer, err) < 0)
        return -1;
    int fd = s->fd;
    s->fd = -1;
    if (fd >= 0 && close(fd) < 0)
        return mpg_error_errno(err, errno, "%s: cannot write", im->target);
    return 0;
}

/* Communicators and topologies that no event mentions are in the trace, too. */
static int define_unused(struct import *im, struct mpg_error *err)
{
    const struct text_comm *c;
    for (size_t i = 0; (c = mpg_text_comm(&im->definitions, i)); i++) {
        bool unused = !c->used;
        for (int32_t j = 0; unused && j < c->size + c->remote_size; j++) {
            struct mpg_text_stream *s =
                c->members[j] == MPG_FOREIGN ? NULL : &im->first[c->members[j]];
            if (s && (open_writer(im, s, err) < 0 ||
                      mpg_text_need_comm(&im->definitions, s, c->label, err) < 0))
                return -1;
        }
    }
    const struct text_topology *t;
    for (size_t i = 0; (t = mpg_text_topology(&im->definitions, i)); i++) {
        struct mpg_text_stream *s = &im->first[t->rank];
        if (open_writer(im, s, err) < 0 ||
            mpg_text_need_comm(&im->definitions, s, t->comm, err) < 0 ||
            mpg_text_need_topology(&im->definitions, s, t->comm, err) < 0)
            return -1;
    }
    return 0;
}

static int finish(struct import *im, struct mpg_error *err)
{
    if (define_unused(im, err) < 0)
        return -1;
    for (int32_t r = 0; r < im->ranks; r++)
        if (finish_stream(im, &im->first[r], err) < 0)
            return -1;
    for (size_t i = 0; i < im->other_count; i++)
        if (finish_stream(im, im->others[i], err) < 0)
            return -1;
    return 0;
}

static void clear_stream(struct mpg_text_stream *s)
{
    mpg_trace_writer_free(s->writer);
    if (s->fd >= 0)
        close(s->fd);
    mpg_map_clear(&s->defined);
}

int mpg_text_import(FILE *text, const char *name, const char *target, int fd,
                    struct mpg_error *err)
{
    struct import im = {.target = target, .fd = fd};
    int status = import_lines(&im, text, name, err);
    if (status == 0)
        status = finish(&im, err);
    for (int32_t r = 0; r < im.ranks; r++)
        clear_stream(&im.first[r]);
    for (size_t i = 0; i < im.other_count; i++) {
        clear_stream(im.others[i]);
        free(im.others[i]);
    }
    free(im.first);
    free(im.others);
    mpg_map_clear(&im.threads);
    mpg_text_definitions_clear(&im.definitions);
    mpg_text_event_clear(&im.parsed);
    return status;
}
