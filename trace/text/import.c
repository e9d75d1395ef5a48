/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Imports the text form into native traces. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "trace/store/chunk.h"
#include "trace/text/text.h"
#include "trace/text/definitions.h"
#include "trace/text/event.h"
#include "trace/store/writer.h"

enum {
    MAX_IMPORT_RANKS = 1 << 20,
    RANKS_OF_NOTHING = 4096, /* a text of any size may have this many ranks; */
    LEAST_RANK_BYTES = 16    /* each further rank needs this many bytes: two calls take more */
};

struct import {
    int32_t ranks;
    int64_t size_bytes; /* size of the text; -1: unknown */
    struct mpg_streams streams;
    struct mpg_text_definitions definitions;
    struct mpg_text_event parsed;
    char *line; /* copy of the current line, since parsing modifies the line */
    size_t line_capacity;
};

static int check_ranks(const struct import *im, int64_t size_bytes, struct mpg_error *err)
{
    if (im->ranks <= RANKS_OF_NOTHING + size_bytes / LEAST_RANK_BYTES)
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
    if (end == text || *end || ranks < 1 || ranks > MAX_IMPORT_RANKS)
        return mpg_error_set(err, "'#ranks %s' is not a number of ranks from 1 to %d", text,
                             MAX_IMPORT_RANKS);
    im->ranks = im->streams.ranks = (int32_t)ranks;
    mpg_text_definitions_init(&im->definitions, im->ranks);
    return im->size_bytes < 0 ? 0 : check_ranks(im, im->size_bytes, err);
}

static int write_fact(struct import *im, int32_t rank, const char *key, const char *value,
                      struct mpg_error *err)
{
    struct mpg_stream *s = mpg_streams_get(&im->streams, rank, 0, err);
    return s ? mpg_stream_write_fact(&im->streams, s, key, value, err) : -1;
}

/* Returns an error unless VALUE is "TIME OFFSET". */
static int check_clock(const char *value, struct mpg_error *err)
{
    long long time_ns, offset_ns;
    char rest;
    if (sscanf(value, "%lld %lld%c", &time_ns, &offset_ns, &rest) == 2)
        return 0;
    return mpg_error_set(err, "'%s' is not a time and an offset in nanoseconds", value);
}

static int count_values(const char *names, uint32_t *number, struct mpg_error *err)
{
    *number = 0;
    for (const char *p = names; *(p += strspn(p, " ")); p += strcspn(p, " "))
        ++*number;
    return *number <= MPG_TRACE_MAX_VALUES
               ? 0
               : mpg_error_set(err, "more than %d values", MPG_TRACE_MAX_VALUES);
}

static int too_late(struct mpg_error *err)
{
    return mpg_error_set(err, "what values there are must be said directly after #ranks");
}

/* Sets the number of counter values per event of RANK from NAMES. */
static int set_values(struct import *im, int32_t rank, const char *names, struct mpg_error *err)
{
    uint32_t number;
    if (mpg_streams_find(&im->streams, rank) || im->streams.fact_number > 0)
        return too_late(err);
    if (count_values(names, &number, err) < 0)
        return -1;
    im->streams.value_number = number; /* for the stream created by the next call */
    int status = mpg_streams_get(&im->streams, rank, 0, err) ? 0 : -1;
    im->streams.value_number = 0;
    return status;
}

/* Replaces a quoted TEXT by its content; a text that only begins with a quote stays unchanged. */
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

/* Parses "RANK VALUE" into the fact KEY of RANK. KEY NULL: parses "RANK KEY VALUE". */
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
    if (strcmp(key, "values") == 0 && set_values(im, (int32_t)rank, value, err) < 0)
        return -1;
    return write_fact(im, (int32_t)rank, key, value, err);
}

/* Parses "RANK[.THREAD] [CALL ENTER]". */
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

/* Parses the fact KEY VALUE for all ranks. */
static int parse_all(struct import *im, const char *key, char *value, struct mpg_error *err)
{
    bool values = strcmp(key, "values") == 0;
    if (unquote_fact(value, err) < 0)
        return -1;
    if (!values && strcmp(value, "shared") != 0)
        return mpg_error_set(err, "'#clocks %s' is not '#clocks shared'", value);
    if (values && (im->streams.count > 0 || im->streams.fact_number > 0))
        return too_late(err);
    if (values && count_values(value, &im->streams.value_number, err) < 0)
        return -1;
    return mpg_streams_write_fact(&im->streams, key, value, err);
}

/* Cuts a remark in parentheses: "#clock 1 500 -320 (remark)". */
static void cut_remark(char *text, bool quoted)
{
    char *quote = quoted ? strrchr(text, '"') : NULL; /* end of a quoted path, which may hold parentheses */
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

/* Defines in S everything that the current event refers to, and replaces labels by the stream's numbers. */
static int define_used(struct import *im, struct mpg_stream *s, struct mpg_error *err)
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

/* Writes a call that killed the rank as fact "died", from which a reader makes the event, as from the window of a process. */
static int write_killed(struct import *im, int32_t rank, const struct mpg_event *e,
                        struct mpg_error *err)
{
    char value[64];
    snprintf(value, sizeof value, "%u %s %lld", e->thread, mpg_call_name(e->call),
             (long long)e->enter_ns);
    return write_fact(im, rank, "died", value, err);
}

/* Appends LINE, the text of the current event, to the spool of S, a stream without a writer. */
static int spool_event(struct import *im, struct mpg_stream *s, const char *line,
                       struct mpg_error *err)
{
    const struct mpg_event *e = &im->parsed.event;
    if (mpg_trace_check_event(e, s->events == 0, s->last_ns, err) < 0)
        return -1;
    s->events++;
    s->last_ns = e->leave_ns;
    return mpg_stream_spool(&im->streams, s, '=', line, err);
}

static int keep_line(struct import *im, const char *line, struct mpg_error *err)
{
    const size_t size = strlen(line) + 1;
    if (size > im->line_capacity) {
        char *grown = realloc(im->line, 2 * size);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        im->line = grown;
        im->line_capacity = 2 * size;
    }
    memcpy(im->line, line, size);
    return 0;
}

static int parse_event_line(struct import *im, char *line, struct mpg_error *err)
{
    if (!im->ranks)
        return mpg_error_set(err, "event before #ranks");
    int32_t rank;
    struct mpg_event *e = &im->parsed.event;
    const bool may_spool = im->streams.open == im->streams.open_limit;
    if ((may_spool && keep_line(im, line, err) < 0) ||
        mpg_text_parse_event(line, &im->parsed, &rank, err) < 0)
        return -1;
    if (rank >= im->ranks)
        return mpg_error_set(err, "rank %d is not from 0 to %d", rank, im->ranks - 1);
    struct mpg_stream *s = mpg_streams_get(&im->streams, rank, e->thread, err);
    if (!s)
        return -1;
    if (e->value_number != s->value_number)
        return mpg_error_set(err, "%u values; those that are named are %u", e->value_number,
                             s->value_number);
    if (e->killed)
        return write_killed(im, rank, e, err);
    if (define_used(im, s, err) < 0)
        return -1;
    return s->writer ? mpg_trace_write_event(s->writer, e, err)
                     : spool_event(im, s, im->line, err);
}

/* Removes the line end and trailing blanks; values of facts keep trailing blanks. */
static void strip_end(char *line, size_t n)
{
    bool fact = strncmp(line, "#fact ", 6) == 0 || strncmp(line, "#host ", 6) == 0;
    while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r' || (line[n - 1] == ' ' && !fact)))
        line[--n] = '\0';
}

/* Reads a text line by line. LINE: the current line, N bytes with line end. */
struct lines {
    FILE *text;
    char *line, block[65536];
    size_t n, capacity, begin, end; /* BEGIN, END: unread part of BLOCK */
};

/* Longer than any useful list; bounds the memory for input without line ends. */
enum { MOST_LINE_BYTES = 1 << 26 };

/* Reads the next line. Returns 1; 0 at the end of the file or after a read error; -1 for a line too long. */
static int next_line(struct lines *l, struct mpg_error *err)
{
    bool ends = false;
    l->n = 0;
    while (!ends) {
        if (l->begin == l->end) {
            l->begin = 0;
            if ((l->end = fread(l->block, 1, sizeof l->block, l->text)) == 0)
                break;
        }
        const char *from = l->block + l->begin, *end = memchr(from, '\n', l->end - l->begin);
        const size_t more = end ? (size_t)(end - from) + 1 : l->end - l->begin;
        if (l->n + more > MOST_LINE_BYTES)
            return mpg_error_set(err, "longer than %d MiB", MOST_LINE_BYTES >> 20);
        if (l->n + more >= l->capacity) {
            const size_t capacity = 2 * (l->n + more) + 1;
            char *grown = realloc(l->line, capacity);
            if (!grown)
                return mpg_error_set(err, "out of memory");
            l->line = grown;
            l->capacity = capacity;
        }
        memcpy(l->line + l->n, from, more);
        l->n += more;
        l->begin += more;
        ends = end;
    }
    if (l->n > 0)
        l->line[l->n] = '\0';
    return l->n > 0;
}

static int import_lines(struct import *im, FILE *text, const char *name, struct mpg_error *err)
{
    struct lines *l = calloc(1, sizeof *l);
    unsigned long number = 0;
    int64_t bytes = 0;
    int status = 0;
    if (!l)
        return mpg_error_set(err, "out of memory");
    l->text = text;
    for (int more; status == 0 && (more = next_line(l, err)) != 0;) {
        char *line = l->line;
        number++;
        if ((status = more < 0 ? -1 : 0) < 0)
            break;
        bytes += (int64_t)l->n;
        if (memchr(line, '\0', l->n)) {
            status = mpg_error_set(err, "holds a zero byte, which no text has");
            break;
        }
        strip_end(line, l->n);
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
    else if (number == 0 || !im->ranks)
        status = mpg_error_set(err, "%s: no '#mpgtext 1' and '#ranks' lines", name);
    else if (check_ranks(im, bytes, err) < 0)
        status = mpg_error_prefix(err, "%s", name);
    free(l->line);
    free(l);
    return status;
}

/* --- finishing --- */

/* Writes LINE of the spool to S, which has a writer now. */
static int replay_line(struct import *im, struct mpg_stream *s, char *line,
                       struct mpg_error *err)
{
    int32_t rank;
    char *value;
    switch (*line++) {
    case '!': /* a fact */
        value = strchr(line, ' ');
        *value++ = '\0';
        return mpg_stream_write_fact(&im->streams, s, line, value, err);
    case 'c': /* a communicator that no event uses; 't': a topology */
        return mpg_text_need_comm(&im->definitions, s, (int32_t)strtol(line, NULL, 10), err);
    case 't':
        return mpg_text_need_topology(&im->definitions, s, (int32_t)strtol(line, NULL, 10), err);
    default:
        if (mpg_text_parse_event(line, &im->parsed, &rank, err) < 0 ||
            define_used(im, s, err) < 0)
            return -1;
        return mpg_trace_write_event(s->writer, &im->parsed.event, err);
    }
}

/* Writes the spool of S to the trace. */
static int replay(struct import *im, struct mpg_stream *s, struct mpg_error *err)
{
    mpg_map_clear(&s->defined);
    s->objects = 0;
    int status = mpg_stream_open(&im->streams, s, err);
    for (size_t i = 0; status == 0 && i < mpg_stream_blocks(s); i++) {
        char *text = mpg_stream_read_block(&im->streams, s, i, err), *next;
        status = text ? 0 : -1;
        for (char *line = text; status == 0 && *line; line = next) {
            next = strchr(line, '\n');
            *next++ = '\0';
            status = replay_line(im, s, line, err);
        }
        free(text);
    }
    return status;
}

static int finish_stream(struct import *im, struct mpg_stream *s, struct mpg_error *err)
{
    if (!s->writer && replay(im, s, err) < 0)
        return -1;
    /* Every rank needs a stream in the trace, also a rank without calls. */
    if (s->defined.count == 0 && mpg_text_write_world(&im->definitions, s, err) < 0)
        return -1;
    return mpg_stream_close(&im->streams, s, err);
}

/* Defines COMM in S; with TOPOLOGY, also the rank's topology in COMM. */
static int define_alone(struct import *im, struct mpg_stream *s, int32_t comm, bool topology,
                        struct mpg_error *err)
{
    char label[16];
    const int status =
        mpg_text_need_comm(&im->definitions, s, comm, err) < 0 ||
                (topology && mpg_text_need_topology(&im->definitions, s, comm, err) < 0)
            ? -1
            : 0;
    if (status < 0 || s->writer)
        return status;
    snprintf(label, sizeof label, "%d", comm);
    if (mpg_stream_spool(&im->streams, s, 'c', label, err) < 0)
        return -1;
    return topology ? mpg_stream_spool(&im->streams, s, 't', label, err) : 0;
}

/* Defines communicators and topologies that no event uses. */
static int define_unused(struct import *im, struct mpg_error *err)
{
    const struct text_comm *c;
    for (size_t i = 0; (c = mpg_text_comm(&im->definitions, i)); i++) {
        bool unused = !c->used;
        for (int32_t j = 0; unused && j < c->size + c->remote_size; j++) {
            if (c->members[j] == MPG_FOREIGN)
                continue;
            struct mpg_stream *s = mpg_streams_get(&im->streams, c->members[j], 0, err);
            if (!s || define_alone(im, s, c->label, false, err) < 0)
                return -1;
        }
    }
    const struct text_topology *t;
    for (size_t i = 0; (t = mpg_text_topology(&im->definitions, i)); i++) {
        struct mpg_stream *s = mpg_streams_get(&im->streams, t->rank, 0, err);
        if (!s || define_alone(im, s, t->comm, true, err) < 0)
            return -1;
    }
    return 0;
}

static int finish(struct import *im, struct mpg_error *err)
{
    struct mpg_streams *all = &im->streams;
    if (define_unused(im, err) < 0)
        return -1;
    for (int32_t r = 0; r < im->ranks; r++) {
        struct mpg_stream *s = mpg_streams_get(all, r, 0, err);
        if (!s || finish_stream(im, s, err) < 0)
            return -1;
    }
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i]->thread > 0 && finish_stream(im, all->items[i], err) < 0)
            return -1;
    return 0;
}

int mpg_text_import(FILE *text, const char *name, const char *target, int fd,
                    struct mpg_error *err)
{
    struct stat st;
    struct import im = {.size_bytes = -1};
    if (fileno(text) >= 0 && fstat(fileno(text), &st) == 0 && S_ISREG(st.st_mode))
        im.size_bytes = st.st_size;
    mpg_streams_init(&im.streams, target, fd);
    int status = import_lines(&im, text, name, err);
    if (status == 0)
        status = finish(&im, err);
    mpg_streams_clear(&im.streams);
    mpg_text_definitions_clear(&im.definitions);
    mpg_text_event_clear(&im.parsed);
    free(im.line);
    return status;
}
