/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading --map. */
#include "simulate/predict/places.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mpg_places_clear(struct mpg_places *p)
{
    free(p->node);
    free(p->core_complex);
    *p = (struct mpg_places){0};
}

enum mpg_path_class mpg_places_between(const struct mpg_places *p, int32_t a, int32_t b)
{
    if (p->node[a] != p->node[b])
        return MPG_PATH_BETWEEN;
    return a == b || (p->core_complex[a] >= 0 && p->core_complex[a] == p->core_complex[b]) ? MPG_PATH_COMPLEX
                                                                           : MPG_PATH_NODE;
}

/* --- by rule --- */

/* N of "WORD:N"; 0: TEXT is none such. */
static int read_count(const char *text, const char *word, int64_t *n, struct mpg_error *err)
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
        return mpg_error_set(err, "--map: '%s' is not %s:N with a whole number N from 1 on", text,
                             word);
    *n = value;
    return 0;
}

/* --- from a file --- */

/* Words met so far; a word's number is its place. */
struct words {
    char **word;
    int32_t n, capacity;
};

static int32_t number_of(struct words *words, const char *word)
{
    for (int32_t i = words->n; i > 0; i--) /* mostly the last ones */
        if (strcmp(words->word[i - 1], word) == 0)
            return i - 1;
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

static void clear_words(struct words *words)
{
    for (int32_t i = 0; i < words->n; i++)
        free(words->word[i]);
    free(words->word);
}

/* LINE, the NUMBER-th of the file, as the next rank's place; nothing if it is empty. */
static int read_line(struct mpg_places *p, int32_t *rank, int32_t ranks, char *line, int number,
                     struct words *nodes, struct words *complexes, struct mpg_error *err)
{
    static const char blanks[] = " \t\r\n";
    char name[512], *rest = NULL;
    line[strcspn(line, "#")] = '\0';
    const char *node = strtok_r(line, blanks, &rest), *complex = node ? strtok_r(NULL, blanks, &rest)
                                                                      : NULL;
    if (!node)
        return 0;
    if (complex && strtok_r(NULL, blanks, &rest))
        return mpg_error_set(err, "line %d: more than a node and a core complex", number);
    if (*rank == ranks)
        return mpg_error_set(err, "line %d: the trace has %d ranks only", number, ranks);
    p->node[*rank] = number_of(nodes, node);
    p->core_complex[*rank] = -1;
    if (complex) { /* on two nodes they are two, whatever their names */
        snprintf(name, sizeof name, "%d %.400s", p->node[*rank], complex);
        p->core_complex[*rank] = number_of(complexes, name);
    }
    if (p->node[*rank] < 0 || (complex && p->core_complex[*rank] < 0))
        return mpg_error_set(err, "out of memory");
    ++*rank;
    return 0;
}

static int read_file(struct mpg_places *p, const char *path, int32_t ranks, struct mpg_error *err)
{
    struct words nodes = {0}, complexes = {0};
    char *line = NULL;
    size_t capacity = 0;
    int status = 0, number = 0;
    int32_t rank = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        return mpg_error_set(err, "--map: %s: %s (neither block:N nor cyclic:N)", path,
                             strerror(errno));
    while (status == 0 && getline(&line, &capacity, file) >= 0)
        status = read_line(p, &rank, ranks, line, ++number, &nodes, &complexes, err);
    if (status == 0 && ferror(file))
        status = mpg_error_set(err, "%s", strerror(errno));
    else if (status == 0 && rank < ranks)
        status = mpg_error_set(err, "%d places for %d ranks", rank, ranks);
    if (status < 0)
        mpg_error_prefix(err, "--map: %s", path);
    free(line);
    clear_words(&nodes);
    clear_words(&complexes);
    fclose(file);
    return status;
}

/* --- both --- */

static void find_farthest(struct mpg_places *p)
{
    bool complexes = true;
    p->farthest = MPG_PATH_COMPLEX;
    for (int32_t r = 0; r < p->ranks; r++) {
        if (p->node[r] != p->node[0]) {
            p->farthest = MPG_PATH_BETWEEN;
            return;
        }
        complexes = complexes && p->core_complex[r] >= 0 && p->core_complex[r] == p->core_complex[0];
    }
    if (!complexes && p->ranks > 1)
        p->farthest = MPG_PATH_NODE;
}

int mpg_places_parse(struct mpg_places *p, const char *text, int32_t ranks, struct mpg_error *err)
{
    int64_t block, cyclic;
    if (read_count(text, "block", &block, err) < 0 || read_count(text, "cyclic", &cyclic, err) < 0)
        return -1;
    p->node = calloc((size_t)ranks, sizeof *p->node);
    p->core_complex = calloc((size_t)ranks, sizeof *p->core_complex);
    if (!p->node || !p->core_complex)
        return mpg_error_set(err, "out of memory");
    p->ranks = ranks;
    for (int32_t r = 0; r < ranks && (block > 0 || cyclic > 0); r++) {
        p->node[r] = block > 0 ? (int32_t)(r / block) : (int32_t)(r % cyclic);
        p->core_complex[r] = -1;
    }
    if (block == 0 && cyclic == 0 && read_file(p, text, ranks, err) < 0)
        return -1;
    find_farthest(p);
    return 0;
}
