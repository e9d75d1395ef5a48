/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads GOAL's text: `num_ranks N`, and for each rank `rank R { ... }` with a statement a line. */
#include "trace/goal/import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/digits.h"

enum { MAX_WORDS = 24 };

struct text {
    struct mpg_line_reader *lines;
    bool in_comment, in_rank;
    bool *seen; /* by rank: the file has a schedule for the rank */
};

/* Overwrites comments in LINE by blanks. */
static void cut_comments(struct text *t, char *line)
{
    for (char *p = line; *p; p++) {
        if (t->in_comment && p[0] == '*' && p[1] == '/') {
            p[0] = p[1] = ' ';
            t->in_comment = false;
        } else if (t->in_comment)
            *p = ' ';
        else if (p[0] == '/' && p[1] == '*') {
            p[0] = p[1] = ' ';
            t->in_comment = true;
        } else if (p[0] == '/' && p[1] == '/')
            *p-- = '\0';
        if (p < line || !p[0])
            break;
    }
}

/* Returns whether WORD is NAME, of lower-case letters, in any case. */
static inline bool is_word(const char *word, const char *name)
{
    for (; *name; word++, name++)
        if ((*word | 0x20) != *name)
            return false;
    return !*word;
}

/* Splits LINE at blanks, and before and after braces and colons, into words. Overwrites blanks, braces and colons: words are
 * parts of LINE, or one of MARKS. */
static int split(char *line, char **words, struct mpg_error *err)
{
    enum { END = 1, BLANK, MARK }; /* blanks are those of the C locale */
    static const uint8_t kinds[256] = {['\0'] = END,   [' '] = BLANK,  ['\t'] = BLANK, ['\n'] = BLANK, ['\v'] = BLANK,
                                       ['\f'] = BLANK, ['\r'] = BLANK, ['{'] = MARK,   ['}'] = MARK,   [':'] = MARK};
    static char marks[3][2] = {"{", "}", ":"};
    int n = 0;
    for (char *p = line; *p;) {
        const uint8_t kind = kinds[(unsigned char)*p];
        if (kind == BLANK) {
            *p++ = '\0';
            continue;
        }
        if (n == MAX_WORDS)
            return mpg_error_set(err, "more than %d words", MAX_WORDS);
        if (kind == MARK) {
            words[n++] = marks[*p == '{' ? 0 : *p == '}' ? 1 : 2];
            *p++ = '\0';
            continue;
        }
        words[n++] = p;
        while (kinds[(unsigned char)*p] == 0)
            p++;
    }
    return n;
}

static bool parse_number(const char *word, int64_t min, int64_t max, int64_t *value)
{
    char *end;
    const char *after = word ? mpg_digits(word, value) : NULL; /* most numbers, and faster than strtoll() */
    if (after != word && !*after)
        return *value >= min && *value <= max;
    errno = 0;
    *value = word ? strtoll(word, &end, 10) : 0;
    return word && end != word && !*end && errno == 0 && *value >= min && *value <= max;
}

/* Parses WORD, a size in the form "80b", into *SIZE, bytes. Returns false if WORD is no size. */
static bool parse_bytes(char *word, uint64_t *size)
{
    int64_t number;
    const size_t n = word ? strlen(word) : 0;
    if (n < 2 || (word[n - 1] != 'b' && word[n - 1] != 'B'))
        return false;
    word[n - 1] = '\0';
    const bool is_number = parse_number(word, 0, INT64_MAX / 8, &number);
    *size = (uint64_t)number;
    return is_number;
}

static int statement_error(char *const *words, int n, struct mpg_error *err)
{
    return mpg_error_set(err, "'%.40s%s%.40s' is not a statement that mpgkit reads", words[0], n > 1 ? " " : "", n > 1 ? words[1]
                         : "");
}

/* Adds the operation in the N WORDS, for example "send 80b to 1 tag 2 cpu 0 nic 0". LABEL: number of the operation's label, or
 * UINT32_MAX. */
static int parse_operation(struct goal_import *im, char **words, int n, uint32_t label, struct mpg_error *err)
{
    struct goal_node node = {.name = label, .peer = -1};
    const bool sends = is_word(words[0], "send"), receives = is_word(words[0], "recv");
    int64_t number = 0;
    int i = 2;
    node.kind = sends ? GOAL_SEND : receives ? GOAL_RECV : GOAL_CALC;
    if (!sends && !receives && !is_word(words[0], "calc"))
        return statement_error(words, n, err);
    if (node.kind == GOAL_CALC) {
        if (n < 2 || !parse_number(words[1], 0, INT64_MAX / 8, &number))
            return mpg_error_set(err, "calc: '%.40s' is no time in ns", n < 2 ? "" : words[1]);
        node.size = (uint64_t)number;
    } else {
        if (n < 4 || !parse_bytes(words[1], &node.size) || !is_word(words[2], sends ? "to" : "from") ||
            !parse_number(words[3], sends ? 0 : -1, im->ranks - 1, &number))
            return mpg_error_set(err, "%s: not '%s BYTESb %s RANK' with a rank below %d", words[0], words[0], sends ? "to"
                                 : "from", im->ranks);
        node.peer = (int32_t)number;
        i = 4;
    }
    for (; i < n; i += 2) {
        const bool is_tag = is_word(words[i], "tag"), is_cpu = is_word(words[i], "cpu");
        if (!is_tag && !is_cpu && !is_word(words[i], "nic"))
            return statement_error(words + i, n - i, err);
        if (i + 1 == n || !parse_number(words[i + 1], is_tag && receives ? -1 : 0, is_tag ? INT32_MAX : 255, &number))
            return mpg_error_set(err, "%s: '%.40s' is out of range", words[i], i + 1 < n ? words[i + 1] : "");
        node.tag = is_tag ? (int32_t)number : node.tag;
        node.cpu = is_cpu ? (uint8_t)number : node.cpu;
    }
    if (label != UINT32_MAX) {
        uint32_t *labelled = &im->labels.labels[label].node;
        char name[GOAL_LABEL_BYTES];
        if (*labelled != UINT32_MAX)
            return mpg_error_set(err, "label %s is defined twice", mpg_goal_label_name(&im->labels, label, name));
        *labelled = (uint32_t)im->graph.n;
    }
    return mpg_goal_add_node(&im->graph, &node, err);
}

/* Adds the edge stated by WORDS, "A requires B" or "A irequires B". The edge holds label numbers until the end of the rank,
 * since a label can be used before the labelled operation. */
static int parse_requires(struct goal_import *im, char **words, struct mpg_error *err)
{
    struct goal_graph *g = &im->graph;
    const int64_t after = mpg_goal_label(&im->labels, words[0], err);
    const int64_t before = after < 0 ? -1 : mpg_goal_label(&im->labels, words[2], err);
    if (before < 0)
        return -1;
    const size_t n = g->n; /* turns off the check of operation numbers, because the numbers are labels */
    g->n = SIZE_MAX;
    const int status = mpg_goal_add_edge(g, (uint32_t)before, (uint32_t)after, is_word(words[1], "irequires"), err);
    g->n = n;
    return status;
}

/* Replaces the labels in edges by operations, and processes the schedule of the rank. */
static int finish_rank(struct goal_import *im, struct mpg_error *err)
{
    struct goal_graph *g = &im->graph;
    for (size_t e = 0; e < g->edge_number; e++) {
        struct goal_edge *edge = &g->edges[e];
        const uint32_t before = im->labels.labels[edge->before].node, after = im->labels.labels[edge->after].node;
        char name[GOAL_LABEL_BYTES];
        if (before == UINT32_MAX || after == UINT32_MAX)
            return mpg_error_set(err, "label %s is not defined",
                                 mpg_goal_label_name(&im->labels, before == UINT32_MAX ? edge->before : edge->after, name));
        edge->before = before;
        edge->after = after;
    }
    const int status = mpg_goal_rank(im, err);
    mpg_goal_reset(g);
    mpg_goal_forget_labels(&im->labels);
    return status;
}

static int begin_rank(struct goal_import *im, struct text *t, char **words, int n, struct mpg_error *err)
{
    int64_t rank;
    if (n < 3 || !is_word(words[0], "rank") || strcmp(words[2], "{") != 0)
        return statement_error(words, n, err);
    if (!parse_number(words[1], 0, im->ranks - 1, &rank))
        return mpg_error_set(err, "rank '%.40s' of %d", words[1], im->ranks);
    if (t->seen[rank])
        return mpg_error_set(err, "rank %lld twice", (long long)rank);
    t->seen[rank] = true;
    im->rank = (int32_t)rank;
    t->in_rank = true;
    return n == 3 ? 0 : mpg_error_set(err, "a statement in the line that begins the rank");
}

/* Takes the N WORDS of a statement. The survey needs operations, but neither labels nor edges. */
static int take_words(struct goal_import *im, struct text *t, char **words, int n, struct mpg_error *err)
{
    const bool has_label = n > 2 && strcmp(words[1], ":") == 0, is_survey = im->pass <= GOAL_SURVEY;
    int64_t label = -1;
    if (!t->in_rank)
        return begin_rank(im, t, words, n, err);
    if (strcmp(words[0], "}") == 0 && n == 1) {
        t->in_rank = false;
        return finish_rank(im, err);
    }
    if (n == 3 && (is_word(words[1], "requires") || is_word(words[1], "irequires")))
        return is_survey ? 0 : parse_requires(im, words, err);
    if (has_label && !is_survey && (label = mpg_goal_label(&im->labels, words[0], err)) < 0)
        return -1;
    return parse_operation(im, words + 2 * has_label, n - 2 * has_label, label < 0 ? UINT32_MAX : (uint32_t)label, err);
}

/* Returns whether LINE, the current line inside of a schedule and no comment, can end the schedule, begin a comment or have a
 * receive from any source or with any tag. */
static bool is_skimmed(const struct text *t, const char *line)
{
    while (*line == ' ' || (*line >= '\t' && *line <= '\r')) /* strspn() needs longer than most lines */
        line++;
    return *line == '}' || mpg_line_reader_has(t->lines, '-') || mpg_line_reader_has(t->lines, '/');
}

static int take_line(struct goal_import *im, struct text *t, char *line, struct mpg_error *err)
{
    char *words[MAX_WORDS];
    int64_t ranks;
    if (im->pass == GOAL_SKIM && t->in_rank && !t->in_comment && !is_skimmed(t, line))
        return 0;
    if (t->in_comment || mpg_line_reader_has(t->lines, '/'))
        cut_comments(t, line);
    const int n = split(line, words, err);
    int status = n < 0 ? -1 : 0;
    if (n > 0 && t->seen)
        status = take_words(im, t, words, n, err);
    else if (n > 0 && (n != 2 || strcasecmp(words[0], "num_ranks") != 0 || !parse_number(words[1], 1, MPG_BUILD_MAX_RANKS,
                                                                                         &ranks)))
        status = mpg_error_set(err, "no 'num_ranks N' with N from 1 to %d", MPG_BUILD_MAX_RANKS);
    else if (n > 0) {
        im->ranks = (int32_t)ranks;
        if (!(t->seen = calloc((size_t)im->ranks, sizeof *t->seen)))
            status = mpg_error_set(err, "out of memory");
    }
    return status;
}

/* Checks that every rank has a schedule, because a short file could claim a million ranks. */
static int check_ranks(const struct goal_import *im, const struct text *t, struct mpg_error *err)
{
    if (!t->seen)
        return mpg_error_set(err, "no 'num_ranks N'");
    if (t->in_rank)
        return mpg_error_set(err, "rank %d has no end", im->rank);
    for (int32_t r = 0; r < im->ranks; r++)
        if (!t->seen[r])
            return mpg_error_set(err, "rank %d of %d has no schedule", r, im->ranks);
    return 0;
}

int mpg_goal_read_text(struct goal_import *im, unsigned long *number, struct mpg_error *err)
{
    struct text t = {.lines = mpg_line_reader_new(im->in)};
    char *line;
    size_t n;
    int status = t.lines ? 0 : mpg_error_set(err, "out of memory");
    for (int more; status == 0 && (more = mpg_line_reader_next(t.lines, &line, &n, err)) != 0;) {
        if (more < 0)
            status = -1;
        else if (mpg_line_reader_has(t.lines, '\0'))
            status = mpg_error_set(err, "holds a zero byte, which no text has");
        else
            status = take_line(im, &t, line, err);
    }
    *number = t.lines ? mpg_line_reader_number(t.lines) : 0;
    if (status == 0)
        status = check_ranks(im, &t, err);
    mpg_line_reader_free(t.lines);
    free(t.seen);
    return status;
}
