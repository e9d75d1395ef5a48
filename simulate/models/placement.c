/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the options --map and --source=map, and places ranks by hosts. */
#include "simulate/models/placement.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/input.h"
#include "common/map.h"

void mpg_placement_clear(struct mpg_placement *p)
{
    free(p->node);
    free(p->core_complex);
    *p = (struct mpg_placement){0};
}

enum mpg_path_class mpg_placement_path_class(const struct mpg_placement *p, int32_t a, int32_t b)
{
    if (p->node[a] != p->node[b])
        return MPG_PATH_BETWEEN;
    const bool near = p->core_complex[a] >= 0 && p->core_complex[a] == p->core_complex[b];
    return a == b || near ? MPG_PATH_COMPLEX : MPG_PATH_NODE;
}

/* --- by rule --- */

/* Reads N of "WORD:N". Returns 0 if TEXT has another form. */
static int read_count(const char *name, const char *text, const char *word, int64_t *n,
                      struct mpg_error *err)
{
    size_t length = strlen(word);
    char *end;
    *n = 0;
    if (strncmp(text, word, length) != 0 || text[length] != ':')
        return 0;
    errno = 0;
    const char *digits = text + length + 1;
    long long value = strtoll(digits, &end, 10);
    if (!isdigit((unsigned char)*digits) || *end || errno || value < 1 || value > INT32_MAX)
        return mpg_error_set(err, "--%s: '%s' is not %s:N with a whole number N from 1 on", name,
                             text, word);
    *n = value;
    return 0;
}

/* --- from a file --- */

/* The distinct words so far, each with or without a node; the index of a word is the word's number. */
struct words {
    char **word;
    int32_t n, capacity;
    struct mpg_map places; /* (node and number of earlier words with this hash, hash) -> number of the word */
};

/* FNV-1a hash (Fowler, Noll, Vo) of WORD. */
static uint64_t hash_of(const char *word)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *word; word++)
        hash = (hash ^ (unsigned char)*word) * 0x100000001b3u;
    return hash;
}

/* Adds a word and returns its number; -1: out of memory. */
static int32_t add_word(struct words *words, const char *word)
{
    if (words->n == words->capacity) {
        int32_t capacity = words->capacity ? 2 * words->capacity : 64;
        char **grown = realloc(words->word, (size_t)capacity * sizeof *grown);
        if (!grown)
            return -1;
        words->word = grown;
        words->capacity = capacity;
    }
    return (words->word[words->n] = strdup(word)) ? words->n++ : -1;
}

/* Returns the number of WORD on NODE (-1: without node), adding new words; -1: out of memory. */
static int32_t number_of(struct words *words, int32_t node, const char *word)
{
    const uint64_t hash = hash_of(word);
    for (uint64_t before = (uint64_t)(node + 1) << 32;; before++) {
        const uint64_t *place = mpg_map_find(&words->places, before, hash);
        if (place && strcmp(words->word[*place], word) == 0)
            return (int32_t)*place;
        if (place)
            continue;
        uint64_t *added = mpg_map_add(&words->places, before, hash);
        int32_t number = added ? add_word(words, word) : -1;
        if (number >= 0)
            *added = (uint64_t)number;
        return number;
    }
}

static void clear_words(struct words *words)
{
    for (int32_t i = 0; i < words->n; i++)
        free(words->word[i]);
    free(words->word);
    mpg_map_clear(&words->places);
}

/* Reads LINE, line NUMBER of the file, as the placement of the next rank. Skips empty lines. */
static int read_line(struct mpg_placement *p, int32_t *rank, int32_t ranks, char *line, int number,
                     struct words *nodes, struct words *complexes, struct mpg_error *err)
{
    static const char blanks[] = " \t\r\n";
    char *rest = NULL;
    line[strcspn(line, "#")] = '\0';
    const char *node = strtok_r(line, blanks, &rest);
    const char *complex = node ? strtok_r(NULL, blanks, &rest) : NULL;
    if (!node)
        return 0;
    if (complex && strtok_r(NULL, blanks, &rest))
        return mpg_error_set(err, "line %d: more than a node and a core complex", number);
    if (*rank == ranks)
        return mpg_error_set(err, "line %d: the trace has %d ranks only", number, ranks);
    p->node[*rank] = number_of(nodes, -1, node);
    p->core_complex[*rank] = -1;
    if (complex && p->node[*rank] >= 0) /* equal names on two nodes are two core complexes */
        p->core_complex[*rank] = number_of(complexes, p->node[*rank], complex);
    if (p->node[*rank] < 0 || (complex && p->core_complex[*rank] < 0))
        return mpg_error_set(err, "out of memory");
    ++*rank;
    return 0;
}

static int read_file(struct mpg_placement *p, const char *name, const char *path, int32_t ranks,
                     struct mpg_error *err)
{
    struct words nodes = {0}, complexes = {0};
    char *line = NULL;
    size_t capacity = 0;
    int status = 0, number = 0;
    int32_t rank = 0;
    FILE *file = mpg_input_open(path);
    if (!file)
        return mpg_error_set(err, "--%s: %s: %s (neither block:N nor cyclic:N)", name, path,
                             strerror(errno));
    while (status == 0 && getline(&line, &capacity, file) >= 0)
        status = read_line(p, &rank, ranks, line, ++number, &nodes, &complexes, err);
    if (status == 0 && ferror(file))
        status = mpg_error_set(err, "%s", strerror(errno));
    else if (status == 0 && rank < ranks)
        status = mpg_error_set(err, "%d places for %d ranks", rank, ranks);
    if (status < 0)
        mpg_error_prefix(err, "--%s: %s", name, path);
    free(line);
    clear_words(&nodes);
    clear_words(&complexes);
    fclose(file);
    return status;
}

/* --- path classes between ranks --- */

/* Finds the path classes that occur. Working memory, zero at first: FIRST[node] is 1 + the first rank of the node;
 * COMPLEXES[c] is the number of ranks in core complex c. */
static void find_taken(struct mpg_placement *p, int32_t *first, int32_t *complexes)
{
    for (int32_t r = 0; r < p->ranks; r++) {
        const int32_t complex = p->core_complex[r];
        int32_t *of_node = &first[p->node[r]]; /* 1 + the first rank of the node */
        if (*of_node > 0 && (complex < 0 || complex != p->core_complex[*of_node - 1]))
            p->taken[MPG_PATH_NODE] = true;
        if (complex >= 0 && complexes[complex]++ > 0)
            p->taken[MPG_PATH_COMPLEX] = true;
        if (p->node[r] != p->node[0])
            p->taken[MPG_PATH_BETWEEN] = true;
        if (*of_node == 0)
            *of_node = r + 1;
    }
    p->farthest = p->taken[MPG_PATH_BETWEEN] ? MPG_PATH_BETWEEN
                  : p->taken[MPG_PATH_NODE]  ? MPG_PATH_NODE
                                             : MPG_PATH_COMPLEX;
    p->taken[p->farthest] = true;
}

static int find_paths(struct mpg_placement *p, struct mpg_error *err)
{
    /* Numbers of nodes and core complexes are below the number of ranks. */
    int32_t *first = calloc((size_t)p->ranks, sizeof *first);
    int32_t *complexes = calloc((size_t)p->ranks, sizeof *complexes);
    if (first && complexes)
        find_taken(p, first, complexes);
    int status = first && complexes ? 0 : mpg_error_set(err, "out of memory");
    free(first);
    free(complexes);
    return status;
}

static int reserve(struct mpg_placement *p, int32_t ranks, struct mpg_error *err)
{
    p->node = calloc((size_t)ranks, sizeof *p->node);
    p->core_complex = calloc((size_t)ranks, sizeof *p->core_complex);
    p->ranks = ranks;
    return p->node && p->core_complex ? 0 : mpg_error_set(err, "out of memory");
}

int mpg_placement_parse(struct mpg_placement *p, const char *name, const char *text, int32_t ranks,
                     struct mpg_error *err)
{
    int64_t block, cyclic;
    if (read_count(name, text, "block", &block, err) < 0 ||
        read_count(name, text, "cyclic", &cyclic, err) < 0 || reserve(p, ranks, err) < 0)
        return -1;
    for (int32_t r = 0; r < ranks && (block > 0 || cyclic > 0); r++) {
        p->node[r] = block > 0 ? (int32_t)(r / block) : (int32_t)(r % cyclic);
        p->core_complex[r] = -1;
    }
    if (block == 0 && cyclic == 0 && read_file(p, name, text, ranks, err) < 0)
        return -1;
    return find_paths(p, err);
}

int mpg_placement_of_hosts(struct mpg_placement *p, const int32_t *host, int32_t ranks,
                        struct mpg_error *err)
{
    struct mpg_map nodes = {0};
    int32_t count = 0;
    int status = reserve(p, ranks, err);
    for (int32_t r = 0; status == 0 && r < ranks; r++) {
        uint64_t *node = mpg_map_add(&nodes, (uint64_t)(uint32_t)host[r], 0); /* 1 + number of the node */
        if (!node) {
            status = mpg_error_set(err, "out of memory");
            break;
        }
        if (*node == 0)
            *node = (uint64_t)++count;
        p->node[r] = (int32_t)*node - 1;
        p->core_complex[r] = -1;
    }
    mpg_map_clear(&nodes);
    return status < 0 ? -1 : find_paths(p, err);
}

/* --- paths --- */

/* For each class, the classes to try, nearest first. */
static const enum mpg_path_class order[MPG_PATHS][MPG_PATHS] = {
    [MPG_PATH_COMPLEX] = {MPG_PATH_COMPLEX, MPG_PATH_NODE, MPG_PATH_BETWEEN},
    [MPG_PATH_NODE] = {MPG_PATH_NODE, MPG_PATH_COMPLEX, MPG_PATH_BETWEEN},
    [MPG_PATH_BETWEEN] = {MPG_PATH_BETWEEN, MPG_PATH_NODE, MPG_PATH_COMPLEX}};

const struct mpg_network_path *mpg_placement_path(const struct mpg_signature *sig,
                                               enum mpg_path_class class)
{
    const struct mpg_network_path *path = NULL;
    for (int i = 0; i < MPG_PATHS && !path; i++)
        path = mpg_signature_path(sig, order[class][i]);
    return path;
}

const struct mpg_network_path *mpg_placement_own_path(const struct mpg_signature *sig, int i)
{
    for (int k = 0; k < MPG_PATHS; k++) {
        const struct mpg_network_path *path = mpg_signature_path(sig, order[MPG_PATH_COMPLEX][k]);
        if (path && i-- == 0)
            return path;
    }
    return NULL;
}
