/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading the text form into native traces. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/chunk.h"
#include "trace/text.h"
#include "trace/text_event.h"
#include "trace/writer.h"

enum { IMPORT_BUFFER_BYTES = 64 * 1024, IMPORT_LEVEL = 1, MAX_IMPORT_RANKS = 1 << 20 };

struct import_comm {
    int32_t label, size, remote_size, instance;
    int32_t *members;
};

struct import {
    const char *directory; /* or NULL: everything to fd */
    int fd;
    int32_t ranks;
    struct mpg_trace_writer **writers;
    int *fds;
    size_t comm_count;
    struct import_comm *comms;
    struct mpg_text_event parsed;
};

static int open_writer(struct import *im, int32_t rank, struct mpg_error *err)
{
    im->fds[rank] = im->fd;
    if (im->directory) {
        char path[4096];
        if (snprintf(path, sizeof path, "%s/rank-%d.mpgt", im->directory, rank) >=
            (int)sizeof path)
            return mpg_error_set(err, "%s: name too long", im->directory);
        im->fds[rank] = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (im->fds[rank] < 0)
            return mpg_error_errno(err, errno, "%s", path);
    }
    struct mpg_trace_writer_options options = {.rank = rank,
                                               .ranks = im->ranks,
                                               .window_bytes = IMPORT_BUFFER_BYTES,
                                               .level = IMPORT_LEVEL};
    im->writers[rank] = mpg_trace_writer_new(im->fds[rank], &options, err);
    return im->writers[rank] ? 0 : -1;
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
    im->writers = calloc((size_t)ranks, sizeof *im->writers);
    im->fds = malloc((size_t)ranks * sizeof *im->fds);
    if (!im->writers || !im->fds)
        return mpg_error_set(err, "out of memory");
    for (long r = 0; r < ranks; r++)
        im->fds[r] = -1;
    im->ranks = (int32_t)ranks;
    for (int32_t r = 0; r < im->ranks; r++)
        if (open_writer(im, r, err) < 0)
            return -1;
    return 0;
}

static const struct import_comm *find_comm(const struct import *im, int32_t label)
{
    for (size_t i = 0; i < im->comm_count; i++)
        if (im->comms[i].label == label)
            return &im->comms[i];
    return NULL;
}

/* Whether the groups are the same, from either side of an inter-communicator. */
static bool same_members(const struct import_comm *a, const struct import_comm *b)
{
    size_t n = (size_t)a->size, m = (size_t)a->remote_size, item = sizeof *a->members;
    if (a->size == b->size && a->remote_size == b->remote_size &&
        memcmp(a->members, b->members, (n + m) * item) == 0)
        return true;
    return a->size == b->remote_size && a->remote_size == b->size &&
           memcmp(a->members, b->members + m, n * item) == 0 &&
           memcmp(a->members + n, b->members, m * item) == 0;
}

/* Registers C (owning its members) and tells all its ranks. */
static int define_comm(struct import *im, struct import_comm *c, struct mpg_error *err)
{
    if (find_comm(im, c->label))
        return mpg_error_set(err, "communicator %d is defined twice", c->label);
    for (size_t i = 0; i < im->comm_count; i++)
        c->instance += same_members(&im->comms[i], c);
    struct import_comm *grown = realloc(im->comms, (im->comm_count + 1) * sizeof *grown);
    if (!grown)
        return mpg_error_set(err, "out of memory");
    im->comms = grown;
    for (int32_t i = 0; i < c->size + c->remote_size; i++)
        if (mpg_trace_write_comm(im->writers[c->members[i]],
                                 &(struct mpg_comm_definition){.comm = c->label,
                                                               .parent = MPG_NO_COMM,
                                                               .instance = c->instance,
                                                               .label = c->label,
                                                               .size = c->size,
                                                               .remote_size = c->remote_size,
                                                               .world_ranks = c->members,
                                                               .remote = c->members + c->size},
                                 err) < 0)
            return -1;
    im->comms[im->comm_count++] = *c;
    return 0;
}

/* "RANK... [| RANK...]" into C's members; MET has a place for each rank. */
static int parse_members(const struct import *im, const char *text, struct import_comm *c,
                         char *met, struct mpg_error *err)
{
    bool remote = false;
    char *end;
    for (const char *p = text; *(p += strspn(p, " ")); p = end) {
        if (*p == '|' && !remote && c->size) {
            remote = true;
            end = (char *)p + 1;
            continue;
        }
        long rank = strtol(p, &end, 10);
        if (end == p || rank < 0 || rank >= im->ranks)
            return mpg_error_set(err, "'#comm %d =%s': members are ranks from 0 to %d", c->label,
                                 text, im->ranks - 1);
        if (met[rank])
            return mpg_error_set(err, "'#comm %d =%s': rank %ld is there twice", c->label, text,
                                 rank);
        met[rank] = 1;
        c->members[c->size + c->remote_size] = (int32_t)rank;
        if (remote)
            c->remote_size++;
        else
            c->size++;
    }
    if (c->size == 0 || (remote && c->remote_size == 0))
        return mpg_error_set(err, "'#comm %d =%s' has no members", c->label, text);
    return 0;
}

/* "LABEL = RANK... [| RANK...]" */
static int parse_comm(struct import *im, const char *text, struct mpg_error *err)
{
    char *end;
    long label = strtol(text, &end, 10);
    bool ok = end != text && label >= 0 && label <= INT32_MAX;
    end += strspn(end, " ");
    if (!ok || *end != '=')
        return mpg_error_set(err, "'#comm %s' is not like '#comm 1 = 0 2'", text);
    struct import_comm c = {.label = (int32_t)label,
                            .members = malloc((size_t)im->ranks * sizeof *c.members)};
    char *met = calloc((size_t)im->ranks, 1);
    int status = -1;
    if (!c.members || !met)
        mpg_error_set(err, "out of memory");
    else if (parse_members(im, end + 1, &c, met, err) == 0)
        status = define_comm(im, &c, err);
    free(met);
    if (status < 0)
        free(c.members);
    return status;
}

static int define_world(struct import *im, struct mpg_error *err)
{
    struct import_comm c = {.size = im->ranks,
                            .members = malloc((size_t)im->ranks * sizeof *c.members)};
    if (!c.members)
        return mpg_error_set(err, "out of memory");
    for (int32_t r = 0; r < im->ranks; r++)
        c.members[r] = r;
    if (define_comm(im, &c, err) < 0) {
        free(c.members);
        return -1;
    }
    return 0;
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
    return mpg_trace_write_fact(im->writers[rank], key, value, err);
}

/* People annotate directives: "#clock 1 500 -320   (remark)". */
static void cut_remark(char *text)
{
    char *end = strstr(text, " (");
    if (!end)
        return;
    while (end > text && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    *end = '\0';
}

static int parse_directive(struct import *im, char *line, struct mpg_error *err)
{
    char *rest = line + strcspn(line, " ");
    if (*rest)
        *rest++ = '\0';
    if (strcmp(line, "#host") != 0 && strcmp(line, "#fact") != 0)
        cut_remark(rest);
    if (strcmp(line, "#ranks") == 0)
        return set_ranks(im, rest, err);
    bool known = strcmp(line, "#comm") == 0 || strcmp(line, "#clock") == 0 ||
                 strcmp(line, "#clocks") == 0 || strcmp(line, "#host") == 0 ||
                 strcmp(line, "#fact") == 0;
    if (!known)
        return 0; /* a comment */
    if (!im->ranks)
        return mpg_error_set(err, "%s before #ranks", line);
    if (strcmp(line, "#comm") == 0)
        return parse_comm(im, rest, err);
    if (strcmp(line, "#clocks") == 0) {
        if (strcmp(rest, "shared") != 0)
            return mpg_error_set(err, "'#clocks %s' is not '#clocks shared'", rest);
        for (int32_t r = 0; r < im->ranks; r++)
            if (mpg_trace_write_fact(im->writers[r], "clocks", "shared", err) < 0)
                return -1;
        return 0;
    }
    const char *key = strcmp(line, "#fact") == 0 ? NULL : line + 1;
    return parse_fact(im, key, rest, err);
}

/* Whether RANK is in communicator LABEL, which is defined if it is the world. */
static int check_comm(struct import *im, int32_t label, int32_t rank, struct mpg_error *err)
{
    if (label == 0 && !find_comm(im, 0) && define_world(im, err) < 0)
        return -1;
    const struct import_comm *c = find_comm(im, label);
    if (!c)
        return mpg_error_set(err, "communicator %d is not defined", label);
    for (int32_t i = 0; i < c->size + c->remote_size; i++)
        if (c->members[i] == rank)
            return 0;
    return mpg_error_set(err, "rank %d is not in communicator %d", rank, label);
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
    if (im->parsed.has_comm && check_comm(im, e->comm, rank, err) < 0)
        return -1;
    if (im->parsed.has_newcomm && e->newcomm != MPG_NO_COMM &&
        check_comm(im, e->newcomm, rank, err) < 0)
        return -1;
    return mpg_trace_write_event(im->writers[rank], e, err);
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
    else if (number == 0 || !im->ranks)
        status = mpg_error_set(err, "%s: no '#mpgtext 1' and '#ranks' lines", name);
    free(line);
    return status;
}

static int finish(struct import *im, struct mpg_error *err)
{
    /* So that ranks without any call are in the trace, too. */
    if (!find_comm(im, 0) && define_world(im, err) < 0)
        return -1;
    for (int32_t r = 0; r < im->ranks; r++)
        if (mpg_trace_writer_flush(im->writers[r], err) < 0)
            return -1;
    for (int32_t r = 0; im->directory && r < im->ranks; r++) {
        int fd = im->fds[r];
        im->fds[r] = -1;
        if (close(fd) < 0)
            return mpg_error_errno(err, errno, "%s: cannot write", im->directory);
    }
    return 0;
}

int mpg_text_import(FILE *text, const char *name, const char *directory, int fd,
                    struct mpg_error *err)
{
    struct import im = {.directory = directory, .fd = fd};
    int status = import_lines(&im, text, name, err);
    if (status == 0)
        status = finish(&im, err);
    for (int32_t r = 0; r < im.ranks; r++) {
        mpg_trace_writer_free(im.writers[r]);
        if (directory && im.fds[r] >= 0)
            close(im.fds[r]);
    }
    for (size_t i = 0; i < im.comm_count; i++)
        free(im.comms[i].members);
    free(im.comms);
    free(im.writers);
    free(im.fds);
    mpg_text_event_clear(&im.parsed);
    return status;
}
