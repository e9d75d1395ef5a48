/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of hypotheses: reads files and lines, and refuses contradictions. */
#include "trace/hypothesis/hypothesis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/input.h"
#include "trace/hypothesis/private.h"

enum { MAX_MIB = 1 };

/* Returns a copy of the first N bytes of TEXT without surrounding blanks. */
static char *trimmed(const char *text, size_t n)
{
    while (n > 0 && (*text == ' ' || *text == '\t')) {
        text++;
        n--;
    }
    while (n > 0 && strchr(" \t\r", text[n - 1]))
        n--;
    return strndup(text, n);
}

/* Returns the length of LINE without a comment. '#' begins a comment only where a word could begin. */
static size_t length_of(const char *line)
{
    bool quoted = false, within = false;
    size_t i = 0;
    for (; line[i] && (within || line[i] != '#'); i++) {
        quoted ^= line[i] == '"';
        within = quoted || (line[i] != ' ' && line[i] != '\t');
    }
    return i;
}

/* Returns the text "PATH:LINE", which the caller frees; NULL: out of memory. */
static char *place_of(const char *path, size_t line)
{
    const size_t size = strlen(path) + 24;
    char *where = malloc(size);
    if (where)
        snprintf(where, size, "%s:%zu", path, line);
    return where;
}

/* Parses LINE and adds the hypothesis to H. Takes ownership of WHERE, its place "FILE:LINE", or NULL. Returns 0, or -1
 * with ERR. */
static int add(struct mpg_hypotheses *h, const char *line, char *where, struct mpg_error *err)
{
    struct mpg_hypothesis x = {.where = where, .text = trimmed(line, length_of(line))};
    char *words = x.text ? strdup(x.text) : NULL;
    int status = words ? 0 : mpg_error_set(err, "out of memory");
    if (status == 0 && h->n == MPG_HYPOTHESES_MAX)
        status = mpg_error_set(err, "there are more than %d hypotheses", MPG_HYPOTHESES_MAX);
    if (status == 0)
        status = mpg_hypothesis_parse(&x, words, err);
    free(words);
    struct mpg_hypothesis *item = status == 0 ? realloc(h->item, (h->n + 1) * sizeof *item) : NULL;
    if (status == 0 && !item)
        status = mpg_error_set(err, "out of memory");
    if (status < 0) {
        if (where)
            mpg_error_prefix(err, "%s", where);
        mpg_hypothesis_clear(&x);
        return -1;
    }
    h->item = item;
    h->item[h->n++] = x;
    return 0;
}

int mpg_hypotheses_add(struct mpg_hypotheses *h, const char *line, struct mpg_error *err)
{
    return strchr(line, '\n') ? mpg_error_set(err, "'%s' is more than one line", line)
                              : add(h, line, NULL, err);
}

static int add_lines(struct mpg_hypotheses *h, const char *path, char *text, struct mpg_error *err)
{
    static const char mark[] = "\xef\xbb\xbf"; /* UTF-8 byte order mark, which some editors write */
    size_t number = 0;
    if (strncmp(text, mark, sizeof mark - 1) == 0)
        text += sizeof mark - 1;
    for (char *line = text, *next; line; line = next) {
        char *end = strchr(line, '\n');
        next = end ? end + 1 : NULL;
        if (end)
            *end = '\0';
        number++;
        if (strspn(line, " \t\r") == length_of(line))
            continue;
        char *where = place_of(path, number);
        if (!where)
            return mpg_error_set(err, "out of memory");
        if (add(h, line, where, err) < 0)
            return -1;
    }
    return 0;
}

int mpg_hypotheses_read(struct mpg_hypotheses *h, const char *path, struct mpg_error *err)
{
    const size_t before = h->n;
    size_t n;
    char *text = mpg_input_read(strcmp(path, "-") == 0 ? stdin : mpg_input_open(path), path, MAX_MIB, &n, err);
    if (!text)
        return -1;
    int status = memchr(text, '\0', n) ? mpg_error_set(err, "%s: is no text", path) : add_lines(h, path, text, err);
    if (status == 0 && h->n == before)
        status = mpg_error_set(err, "%s: there is no hypothesis in it", path);
    free(text);
    return status;
}

bool mpg_hypothesis_is_file(const char *given)
{
    return (!strchr(given, ' ') && !mpg_hypothesis_is_verb(given)) || access(given, F_OK) == 0;
}

int mpg_hypotheses_take(struct mpg_hypotheses *h, const char *const *given, size_t n, struct mpg_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (mpg_hypothesis_is_file(given[i]) && mpg_hypotheses_read(h, given[i], err) < 0)
            return mpg_error_prefix(err, "--hypothesis");
    for (size_t i = 0; i < n; i++)
        if (!mpg_hypothesis_is_file(given[i]) && mpg_hypotheses_add(h, given[i], err) < 0)
            return mpg_error_prefix(err, "--hypothesis: '%s'", given[i]);
    return mpg_hypotheses_check(h, err);
}

void mpg_hypotheses_clear(struct mpg_hypotheses *h)
{
    for (size_t i = 0; i < h->n; i++)
        mpg_hypothesis_clear(&h->item[i]);
    free(h->item);
    *h = (struct mpg_hypotheses){0};
}

char *mpg_hypothesis_name(const struct mpg_hypothesis *x, char *buf, size_t size)
{
    snprintf(buf, size, "%s%s'%s'", x->where ? x->where : "", x->where ? ": " : "", x->text);
    return buf;
}

/* --- contradictions --- */

static bool overlap(const struct mpg_rank_set *a, const struct mpg_rank_set *b)
{
    if (a->count == 0 || b->count == 0)
        return true;
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++)
            if (a->ranges[i].first <= b->ranges[j].last && b->ranges[j].first <= a->ranges[i].last)
                return true;
    return false;
}

/* Returns the reason why A and B contradict each other; NULL: they do not, or it depends on the trace. */
static const char *why_not(const struct mpg_hypothesis *a, const struct mpg_hypothesis *b)
{
    if (!a->region || !b->region || strcmp(a->region, b->region) != 0)
        return NULL;
    if (a->kind != b->kind)
        return NULL; /* whether both change the same ranks depends on the trace */
    if (a->kind == MPG_HYPOTHESIS_INSERT || a->kind == MPG_HYPOTHESIS_EXCHANGE)
        return NULL; /* not a contradiction: both are inserted */
    if (a->kind == MPG_HYPOTHESIS_SCALE)
        return overlap(&a->ranks, &b->ranks) ? "both scale it on the same ranks" : NULL;
    return a->comm < 0 || b->comm < 0 || a->comm == b->comm ? "both balance it among the same ranks" : NULL;
}

int mpg_hypotheses_check(const struct mpg_hypotheses *h, struct mpg_error *err)
{
    char one[300], other[300];
    for (size_t i = 0; i < h->n; i++)
        for (size_t j = 0; j < i; j++) {
            if (strcmp(h->item[j].text, h->item[i].text) == 0)
                return mpg_error_set(err, "%s is given twice%s%s", mpg_hypothesis_name(&h->item[i], one, sizeof one),
                                     h->item[j].where ? ", first as " : "", h->item[j].where ? h->item[j].where : "");
            const char *why = why_not(&h->item[j], &h->item[i]);
            if (why)
                return mpg_error_set(err, "%s and %s contradict each other: %s",
                                     mpg_hypothesis_name(&h->item[j], one, sizeof one),
                                     mpg_hypothesis_name(&h->item[i], other, sizeof other), why);
        }
    return 0;
}

/* --- selection --- */

bool mpg_select_fits(const struct mpg_select *s, const struct mpg_selected *x)
{
    if ((s->has_from || s->has_to || s->has_tag) && !x->is_message)
        return false;
    return (s->call == MPG_CALL_COUNT || s->call == mpg_call_plain(x->call)) &&
           (!s->region || (x->region && strcmp(s->region, x->region) == 0)) &&
           (s->site < 0 || s->site == x->site) && (s->comm < 0 || s->comm == x->comm) &&
           (!s->has_from || mpg_rank_set_contains(&s->from, x->from)) &&
           (!s->has_to || mpg_rank_set_contains(&s->to, x->to)) && (!s->has_tag || s->tag == x->tag) &&
           (x->bytes < 0 ? s->min_bytes == 0 && s->max_bytes == INT64_MAX
                         : x->bytes >= s->min_bytes && x->bytes <= s->max_bytes);
}
