/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SimGrid's actions, with the arguments in the order of SimGrid's replayer. */
#include "trace/ti/action.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/digits.h"
#include "trace/build/build.h"

/* Arguments, a letter each:
 *   p  partner  g tag  c  count  f  flops  s seconds
 *   S  source   D destination  k count of a receive
 *   r  root, may be missing
 *   t  type, may be missing; u  second type
 *   l  list of counts, one for each rank; x  a number, X a list that mpgkit does not need */
static const struct {
    const char *name; /* in small letters; a trace may also have capital letters */
    enum ti_action_kind kind;
    enum mpg_call call;
    const char *arguments;
} actions[] = {
    {"init", TI_INIT, MPG_CALL_Init, ""},
    {"finalize", TI_FINALIZE, MPG_CALL_Finalize, ""},
    {"compute", TI_COMPUTE, MPG_CALL_COUNT, "f"},
    {"sleep", TI_SLEEP, MPG_CALL_COUNT, "s"},
    {"send", TI_SEND, MPG_CALL_Send, "pgct"},
    {"ssend", TI_SEND, MPG_CALL_Ssend, "pgct"},
    {"bsend", TI_SEND, MPG_CALL_Bsend, "pgct"},
    {"isend", TI_ISEND, MPG_CALL_Isend, "pgct"},
    {"issend", TI_ISEND, MPG_CALL_Issend, "pgct"},
    {"ibsend", TI_ISEND, MPG_CALL_Ibsend, "pgct"},
    {"recv", TI_RECV, MPG_CALL_Recv, "pgct"},
    {"irecv", TI_IRECV, MPG_CALL_Irecv, "pgct"},
    {"sendrecv", TI_SENDRECV, MPG_CALL_Sendrecv, "cDkSt"},
    {"wait", TI_WAIT, MPG_CALL_Wait, "SDg"},
    {"test", TI_TEST, MPG_CALL_Test, "SDg"},
    {"waitall", TI_WAITALL, MPG_CALL_Waitall, ""},
    {"barrier", TI_COLLECTIVE, MPG_CALL_Barrier, ""},
    {"bcast", TI_COLLECTIVE, MPG_CALL_Bcast, "crt"},
    {"reduce", TI_COLLECTIVE, MPG_CALL_Reduce, "cfrt"},
    {"allreduce", TI_COLLECTIVE, MPG_CALL_Allreduce, "cft"},
    {"alltoall", TI_COLLECTIVE, MPG_CALL_Alltoall, "cxtu"},
    {"gather", TI_COLLECTIVE, MPG_CALL_Gather, "cxrtu"},
    {"scatter", TI_COLLECTIVE, MPG_CALL_Scatter, "cxrtu"},
    {"allgather", TI_COLLECTIVE, MPG_CALL_Allgather, "cxtu"},
    {"gatherv", TI_COLLECTIVE, MPG_CALL_Gatherv, "cXrtu"},
    {"allgatherv", TI_COLLECTIVE, MPG_CALL_Allgatherv, "cXtu"},
    {"scatterv", TI_COLLECTIVE, MPG_CALL_Scatterv, "lcrtu"},
    {"alltoallv", TI_COLLECTIVE, MPG_CALL_Alltoallv, "xlxXtu"},
    {"reducescatter", TI_COLLECTIVE, MPG_CALL_Reduce_scatter, "lft"},
    {"scan", TI_COLLECTIVE, MPG_CALL_Scan, "cft"},
    {"exscan", TI_COLLECTIVE, MPG_CALL_Exscan, "cft"},
    {"location", TI_NOTHING, MPG_CALL_COUNT, ""},
    {"comm_size", TI_NOTHING, MPG_CALL_COUNT, ""},
    {"comm_split", TI_NOTHING, MPG_CALL_COUNT, ""},
    {"comm_dup", TI_NOTHING, MPG_CALL_COUNT, ""},
};

enum { ACTIONS = sizeof actions / sizeof *actions };

/* Sizes of types by number, bytes: double, int, char, short, long, float, byte. */
static const uint8_t sizes[] = {8, 4, 1, 2, 8, 4, 1};

static int wrong(const struct ti_action *a, const char *what, const char *word, struct mpg_error *err)
{
    return mpg_error_set(err, "%s: '%.40s' is no %s", a->name, word ? word : "", what);
}

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Returns the next word at *TEXT and ends it with a zero byte; NULL: none. */
static char *next_word(char **text)
{
    char *word = *text;
    while (is_blank(*word))
        word++;
    char *end = word;
    while (*end && !is_blank(*end))
        end++;
    *text = *end ? end + 1 : end;
    *end = '\0';
    return end > word ? word : NULL;
}

/* Returns whether WORD equals NAME, without capital letters, except for capital letters. */
static inline bool is_named(const char *word, const char *name)
{
    for (; *name; word++, name++)
        if (*word != *name && !(*name >= 'a' && (*word | 0x20) == *name))
            return false;
    return !*word;
}

int mpg_ti_split(struct ti_action *a, struct mpg_error *err)
{
    for (char *word; (word = next_word(&a->rest));) {
        if (a->n == a->capacity) {
            const size_t capacity = a->capacity ? 2 * a->capacity : 16;
            char **grown = realloc(a->words, capacity * sizeof *grown);
            if (!grown)
                return mpg_error_set(err, "out of memory");
            a->words = grown;
            a->capacity = capacity;
        }
        a->words[a->n++] = word;
    }
    return 0;
}

/* Returns the end of the rank at TEXT, which goes to *RANK; NULL: there is none. */
static char *parse_rank(char *text, int32_t *rank)
{
    char *end;
    int64_t digits;
    const char *after = mpg_digits(text, &digits); /* most ranks, and faster than strtol() */
    const long number = after > text ? (long)digits : strtol(text, &end, 10);
    end = after > text ? text + (after - text) : end;
    if (end == text || number < 0 || number >= MPG_BUILD_MAX_RANKS || (*end && !isspace((unsigned char)*end)))
        return NULL;
    *rank = (int32_t)number;
    return end;
}

int mpg_ti_parse(struct ti_action *a, char *text, struct mpg_error *err)
{
    char *rest = text, *end;
    while (is_blank(*rest))
        rest++;
    if (!*rest || *rest == '#')
        return 0;
    if (!(end = parse_rank(rest, &a->rank)))
        return mpg_error_set(err, "'%.40s' begins with no rank", rest);
    if (!(a->name = next_word(&end)))
        return mpg_error_set(err, "a rank without an action");
    a->rest = end;
    a->n = 0;
    int i = 0;
    while (i < ACTIONS && !is_named(a->name, actions[i].name))
        i++;
    if (i == ACTIONS)
        return mpg_error_set(err, "mpgkit does not read action '%.40s' (SimGrid writes some that its own replay does not "
                                  "know)",
                             a->name);
    a->number = i;
    a->kind = actions[i].kind;
    a->call = actions[i].call;
    return 1;
}

/* Parses WORD, a number from MIN to MAX, possibly as 1e6, into *VALUE; a fraction is dropped. Returns false if WORD is no
 * number from MIN to MAX. */
static bool parse_whole(const char *word, int64_t min, int64_t max, int64_t *value)
{
    char *end;
    const char *after = word ? mpg_digits(word, value) : NULL;
    if (word && after > word && !*after)
        return *value >= min && *value <= max;
    const double number = word ? strtod(word, &end) : 0;
    if (!word || end == word || *end || !(number >= (double)min && number <= (double)max))
        return false;
    *value = (int64_t)number;
    return true;
}

static bool parse_real(const char *word, double *value)
{
    char *end;
    int64_t digits;
    const char *after = word ? mpg_digits(word, &digits) : NULL;
    if (after != word && !*after && digits < INT64_C(1) << 53) { /* exact, and faster than strtod() */
        *value = (double)digits;
        return true;
    }
    *value = word ? strtod(word, &end) : -1;
    return word && end != word && !*end && *value >= 0 && *value < 1e18;
}

/* Sets *SIZE to the bytes of an element of type number WORD; if WORD is NULL, *SIZE keeps the default. Returns false if WORD
 * is no type. */
static bool parse_type(const char *word, int64_t *size)
{
    int64_t type;
    if (!word)
        return true;
    if (!parse_whole(word, 0, 1000, &type))
        return false;
    *size = (size_t)type < sizeof sizes ? sizes[type] : 1;
    return true;
}

static int parse_counts(struct ti_action *a, size_t at, int32_t ranks, struct mpg_error *err)
{
    if (a->count_capacity < (size_t)ranks) {
        int64_t *grown = realloc(a->counts, (size_t)ranks * sizeof *grown);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        a->counts = grown;
        a->count_capacity = (size_t)ranks;
    }
    for (int32_t i = 0; i < ranks; i++)
        if (!parse_whole(a->words[at + (size_t)i], 0, INT64_C(1) << 50, &a->counts[i]))
            return wrong(a, "count", a->words[at + (size_t)i], err);
    a->count_number = (size_t)ranks;
    return 0;
}

/* Parses the argument of kind LETTER, which begins at word *AT, and moves *AT behind the argument. Returns 0, or -1 with ERR. */
static int parse_argument(struct ti_action *a, char letter, size_t *at, int32_t ranks, int64_t *size, int64_t *count,
                          struct mpg_error *err)
{
    const bool is_list = letter == 'l' || letter == 'X';
    const char *word = *at < a->n ? a->words[*at] : NULL;
    int64_t number = 0;
    if (is_list && a->n - *at < (size_t)ranks)
        return mpg_error_set(err, "%s: fewer counts than the %d ranks", a->name, ranks);
    switch (letter) {
    case 'p':
        if (!parse_whole(word, -1, MPG_BUILD_MAX_RANKS, &number))
            return wrong(a, "rank", word, err);
        a->partner = (int32_t)number;
        break;
    case 'S':
    case 'D':
        if (!parse_whole(word, -1, MPG_BUILD_MAX_RANKS, &number))
            return wrong(a, "rank", word, err);
        *(letter == 'S' ? &a->source : &a->destination) = (int32_t)number;
        break;
    case 'g':
        if (!parse_whole(word, -1, INT32_MAX, &number))
            return wrong(a, "tag", word, err);
        a->tag = (int32_t)number;
        break;
    case 'c':
        if (!parse_whole(word, 0, INT64_C(1) << 50, count))
            return wrong(a, "count", word, err);
        break;
    case 'k':
        if (!parse_whole(word, 0, INT64_C(1) << 50, &a->recvbytes))
            return wrong(a, "count", word, err);
        break;
    case 'f':
        if (!parse_real(word, &a->flops))
            return wrong(a, "number of flops", word, err);
        break;
    case 's':
        if (!parse_real(word, &a->seconds))
            return wrong(a, "time", word, err);
        break;
    case 'r':
        if (word && !parse_whole(word, 0, ranks - 1, &number))
            return wrong(a, "rank", word, err);
        a->root = (int32_t)number;
        break;
    case 't':
        return parse_type(word, size) ? (++*at, 0) : wrong(a, "type", word, err);
    case 'l':
        if (parse_counts(a, *at, ranks, err) < 0)
            return -1;
        break;
    default:
        break;
    }
    *at += is_list ? (size_t)ranks : 1;
    return 0;
}

/* Sets the bytes of action A, as defined by mpgtext(5). Elements have SIZE bytes; the number of elements is COUNT, or the sum
 * of A's list of counts. */
static void set_bytes(struct ti_action *a, int64_t count, int64_t size)
{
    int64_t sum = 0;
    a->bytes = count * size;
    for (size_t i = 0; i < a->count_number; i++) {
        a->counts[i] *= size;
        sum += sum < INT64_MAX / 4 ? a->counts[i] : 0;
    }
    if (a->call == MPG_CALL_Reduce_scatter) {
        a->bytes = sum;
        a->count_number = 0;
    }
    if (a->call == MPG_CALL_Scatterv && a->rank != a->root)
        a->count_number = 0;
}

int mpg_ti_parse_arguments(struct ti_action *a, int32_t ranks, bool is_double, struct mpg_error *err)
{
    int64_t size = is_double ? 8 : 1, count = 0;
    size_t at = 0;
    if (mpg_ti_split(a, err) < 0)
        return -1;
    a->has_argument = a->n > 0;
    a->flops = a->seconds = 0;
    a->root = 0;
    a->count_number = 0;
    if ((a->kind == TI_WAIT || a->kind == TI_TEST || a->kind == TI_SEND || a->kind == TI_RECV || a->kind == TI_ISEND ||
         a->kind == TI_IRECV) && a->n < 3)
        return mpg_error_set(err, "%s: no tag: actions of SimGrid up to 3.19 (simgrid_convert_TI_traces makes newer ones)",
                             a->name);
    for (const char *letter = actions[a->number].arguments; *letter; letter++) {
        if (at == a->n && strchr("rtux", *letter))
            break;
        if (parse_argument(a, *letter, &at, ranks, &size, &count, err) < 0)
            return -1;
    }
    set_bytes(a, count, size);
    if (a->kind == TI_SENDRECV) { /* the received message has a type of its own */
        const char *type = a->n > 5 ? a->words[5] : NULL;
        size = is_double ? 8 : 1;
        if (!parse_type(type, &size))
            return wrong(a, "type", type, err);
        a->recvbytes *= size;
    }
    return 0;
}

void mpg_ti_clear(struct ti_action *a)
{
    free(a->words);
    free(a->counts);
}
