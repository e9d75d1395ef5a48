/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the lines of the text form that define communicators, topologies, windows, files, modules and callsites. */
#include "trace/text/definitions.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/text/event.h"

/* A growing list of ranks. */
struct list {
    int32_t *ranks;
    size_t n, capacity;
};

static int append(struct list *l, int32_t rank, struct mpg_error *err)
{
    if (l->n == l->capacity) {
        const size_t capacity = l->n ? 2 * l->n : 16;
        int32_t *grown = realloc(l->ranks, capacity * sizeof *grown);
        if (!grown || l->n >= INT32_MAX / 2)
            return mpg_error_set(err, "out of memory");
        l->ranks = grown;
        l->capacity = capacity;
    }
    l->ranks[l->n++] = rank;
    return 0;
}

/* Parses the members of a communicator, "RANK... [| RANK...]", into MEMBERS, and the sizes of the groups into C. RANKS: number
 * of ranks of the trace. */
static int parse_members(int32_t ranks, char *text, struct mpg_build_comm *c, struct list *members, struct mpg_error *err)
{
    bool remote = false;
    for (char *word; (word = mpg_text_word(&text));) {
        if (strcmp(word, "|") == 0 && !remote && c->size) {
            remote = true;
            continue;
        }
        char *end;
        long rank = strtol(word, &end, 10);
        if (strcmp(word, "*") == 0)
            rank = MPG_FOREIGN;
        else if (end == word || *end || rank < 0 || rank >= ranks)
            return mpg_error_set(err, "'%s' in communicator %d: members are ranks from 0 to %d "
                                      "or *", word, c->label, ranks - 1);
        if (append(members, (int32_t)rank, err) < 0)
            return -1;
        ++*(remote ? &c->remote_size : &c->size);
    }
    if (c->size == 0 || (remote && c->remote_size == 0))
        return mpg_error_set(err, "communicator %d has no members", c->label);
    return 0;
}

/* Parses "[of PARENT] [instance N] =" of a communicator into C. */
static int parse_origin(char **text, struct mpg_build_comm *c, struct mpg_error *err)
{
    for (char *word; (word = mpg_text_word(text)) && strcmp(word, "=") != 0;) {
        bool of = strcmp(word, "of") == 0;
        char *value = of || strcmp(word, "instance") == 0 ? mpg_text_word(text) : NULL;
        if (!value)
            return mpg_error_set(err, "'#comm %d %s' is not like '#comm 1 of 0 = 0 2'", c->label,
                                 word);
        if (mpg_text_parse_int32(value, 0, of ? &c->parent : &c->instance, err) < 0)
            return -1;
    }
    return 0;
}

/* Parses the definition of a communicator, "LABEL [of PARENT] [instance N] = RANK... [| RANK...]". */
int mpg_text_parse_comm(struct mpg_build *build, int32_t ranks, char *text, struct mpg_error *err)
{
    struct mpg_build_comm c = {.parent = MPG_NO_COMM, .instance = -1};
    struct list members = {.n = 0};
    char *label = mpg_text_word(&text);
    struct mpg_error why;
    if (!label || mpg_text_parse_int32(label, 0, &c.label, &why) < 0)
        return mpg_error_set(err, "'#comm %s' is not like '#comm 1 = 0 2'", label ? label : "");
    int status = parse_origin(&text, &c, err) < 0 || parse_members(ranks, text, &c, &members, err) < 0 ? -1 : 0;
    if (status == 0) {
        c.members = members.ranks;
        status = mpg_build_comm(build, &c, err);
    }
    free(members.ranks);
    return status;
}

/* Parses the neighbours "SOURCE... > DESTINATION..." into NEIGHBOURS; *SOURCES: number of sources. */
static int parse_neighbours(char *text, struct list *neighbours, uint32_t *sources, struct mpg_error *err)
{
    bool behind = false;
    for (char *word; (word = mpg_text_word(&text));) {
        int32_t rank = MPG_PROC_NULL;
        if (strcmp(word, ">") == 0 && !behind) {
            behind = true;
            *sources = (uint32_t)neighbours->n;
        } else if ((strcmp(word, "null") != 0 && mpg_text_parse_int32(word, 0, &rank, err) < 0) ||
                   append(neighbours, rank, err) < 0)
            return -1;
    }
    return behind ? 0 : mpg_error_set(err, "a topology has a '>' between sources and destinations");
}

/* Parses the definition of a topology, "RANK LABEL = SOURCE... > DESTINATION...". */
int mpg_text_parse_topology(struct mpg_build *build, int32_t ranks, char *text, struct mpg_error *err)
{
    char *rank_word = mpg_text_word(&text), *comm_word = mpg_text_word(&text);
    char *equals = mpg_text_word(&text);
    int32_t rank, comm;
    uint32_t sources = 0;
    struct list neighbours = {.n = 0};
    if (!equals || strcmp(equals, "=") != 0)
        return mpg_error_set(err, "a topology is: #topology RANK COMM = SOURCE... > "
                                  "DESTINATION...");
    if (mpg_text_parse_int32(rank_word, 0, &rank, err) < 0 ||
        mpg_text_parse_int32(comm_word, 0, &comm, err) < 0)
        return -1;
    if (rank >= ranks)
        return mpg_error_set(err, "rank %d is not from 0 to %d", rank, ranks - 1);
    int status = parse_neighbours(text, &neighbours, &sources, err);
    if (status == 0)
        status = mpg_build_topology(build, rank, comm, sources, (uint32_t)neighbours.n - sources, neighbours.ranks, err);
    free(neighbours.ranks);
    return status;
}

/* Parses the definition of a window or file, "LABEL = COMM NUMBER". */
int mpg_text_parse_object(struct mpg_build *build, enum mpg_object_kind kind, char *text, struct mpg_error *err)
{
    const char *const name = kind == MPG_OBJECT_FILE ? "file" : "window";
    char *word[4] = {0};
    for (int i = 0; i < 4; i++)
        word[i] = mpg_text_word(&text);
    int32_t label, comm, number;
    if (!word[3] || strcmp(word[1], "=") != 0 || mpg_text_word(&text))
        return mpg_error_set(err, "a %s is: #%s LABEL = COMM NUMBER", name, name);
    if (mpg_text_parse_int32(word[0], 0, &label, err) < 0 || mpg_text_parse_int32(word[2], 0, &comm, err) < 0 ||
        mpg_text_parse_int32(word[3], 0, &number, err) < 0)
        return -1;
    return mpg_build_object(build, kind, label, comm, number, err);
}

/* Parses a build-id, hexadecimal digits or "-" for none, into BUILD_ID of *SIZE bytes. */
static int parse_build_id(const char *text, uint8_t build_id[64], uint32_t *size, struct mpg_error *err)
{
    size_t n = strlen(text);
    *size = 0;
    if (strcmp(text, "-") == 0)
        return 0;
    if (n % 2 || n > 128 || strspn(text, "0123456789abcdefABCDEF") != n)
        return mpg_error_set(err, "'%s' is not a build-id in hexadecimal digits, or -", text);
    *size = (uint32_t)(n / 2);
    for (size_t i = 0; i < n / 2; i++) {
        char digits[3] = {text[2 * i], text[2 * i + 1], '\0'};
        build_id[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    return 0;
}

/* Parses the definition of a module, 'NUMBER = BUILD-ID "PATH"'. */
int mpg_text_parse_module(struct mpg_build *build, char *text, struct mpg_error *err)
{
    char *word[4] = {0};
    for (int i = 0; i < 4; i++)
        word[i] = mpg_text_word(&text);
    int32_t label;
    uint8_t build_id[64];
    uint32_t size;
    if (!word[3] || strcmp(word[1], "=") != 0 || mpg_text_word(&text))
        return mpg_error_set(err, "a module is: #module NUMBER = BUILD-ID \"PATH\"");
    if (mpg_text_parse_int32(word[0], 0, &label, err) < 0 ||
        parse_build_id(word[2], build_id, &size, err) < 0 || mpg_text_unquote(word[3], err) < 0)
        return -1;
    return mpg_build_module(build, label, build_id, size, word[3], err);
}

/* Parses a frame, "MODULE+0xOFFSET"; MODULE "?": unknown. */
static int parse_frame(char *word, struct mpg_frame *f, struct mpg_error *err)
{
    char *plus = strchr(word, '+'), *end = word;
    *f = (struct mpg_frame){.module = -1};
    errno = 0;
    if (plus && strncmp(plus, "+0x", 3) == 0 && isxdigit((unsigned char)plus[3]))
        f->offset = strtoull(plus + 1, &end, 16);
    if (end == word || *end || errno)
        return mpg_error_set(err, "'%s' is not like 0+0x11d6", word);
    *plus = '\0';
    return strcmp(word, "?") == 0 ? 0 : mpg_text_parse_int32(word, 0, &f->module, err);
}

/* Parses the definition of a callsite, "NUMBER = FRAME...", innermost frame first. */
int mpg_text_parse_site(struct mpg_build *build, char *text, struct mpg_error *err)
{
    enum { MAX_FRAMES = 64 };
    char *number = mpg_text_word(&text), *equals = mpg_text_word(&text);
    int32_t label;
    struct mpg_frame frames[MAX_FRAMES];
    uint32_t n = 0;
    if (!equals || strcmp(equals, "=") != 0)
        return mpg_error_set(err, "a callsite is: #site NUMBER = MODULE+0xOFFSET...");
    if (mpg_text_parse_int32(number, 0, &label, err) < 0)
        return -1;
    for (char *word; (word = mpg_text_word(&text));) {
        if (n == MAX_FRAMES)
            return mpg_error_set(err, "callsite %d has more than %d frames", label, MAX_FRAMES);
        if (parse_frame(word, &frames[n++], err) < 0)
            return -1;
    }
    return mpg_build_site(build, label, n, frames, err);
}
