/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses VERB [REGION] KEY=VALUE...: each key at most once, of the verb's keys. */
#include <stdlib.h>
#include <string.h>

#include "trace/hypothesis/private.h"

static const double min_factor = 1e-9, max_factor = 1e9;

/* A line being parsed. */
struct line {
    struct mpg_hypothesis *x;
    unsigned given; /* set of the keys given so far, a bit of bit_of() for each */
    bool has_factor, has_time, has_to;
};

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

/* --- words --- */

/* Returns the next word of *TEXT, without quotes and escapes, and moves *TEXT behind it; NULL: none. *FAILED: a closing quote is
 * missing (ERR says so). */
static char *next_word(char **text, struct mpg_error *err, bool *failed)
{
    char *start = *text + strspn(*text, " \t"), *in = start, *out = start;
    bool quoted = false;
    *failed = false;
    if (!*start)
        return NULL;
    for (; *in && (quoted || (*in != ' ' && *in != '\t')); in++) {
        if (*in == '"') {
            quoted = !quoted;
            continue;
        }
        if (*in == '\\' && quoted && (in[1] == '"' || in[1] == '\\'))
            in++;
        *out++ = *in;
    }
    *failed = quoted;
    if (quoted)
        mpg_error_set(err, "the closing double quote is missing");
    *text = *in ? in + 1 : in;
    *out = '\0';
    return start;
}

static int copy_text(const char *key, const char *value, char **out, struct mpg_error *err)
{
    if (!*value)
        return mpg_error_set(err, "%s= lacks a name", key);
    *out = strdup(value);
    return *out ? 0 : out_of_memory(err);
}

static int parse_number(const char *key, const char *value, int32_t *out, struct mpg_error *err)
{
    int64_t number = -1;
    if (mpg_units_parse_int(value, &number, NULL) < 0 || number < 0 || number > INT32_MAX)
        return mpg_error_set(err, "%s=%s is no number from 0 on", key, value);
    *out = (int32_t)number;
    return 0;
}

/* --- keys --- */

static int take_ranks(struct line *l, const char *value, struct mpg_error *err)
{
    return mpg_rank_set_parse(value, &l->x->ranks, err);
}

static int take_from(struct line *l, const char *value, struct mpg_error *err)
{
    l->x->select.has_from = true;
    return mpg_rank_set_parse(value, &l->x->select.from, err);
}

/* Parses the value of to=: N is a rank; +K and -K are offsets from the sender. */
static int take_receiver(struct line *l, const char *value, struct mpg_error *err)
{
    struct mpg_hypothesis *x = l->x;
    int64_t number = 0;
    l->has_to = true;
    x->to_relative = *value == '+' || *value == '-';
    const char *digits = value + x->to_relative;
    if (!*digits || digits[strspn(digits, "0123456789")] || mpg_units_parse_int(digits, &number, NULL) < 0 ||
        number > INT32_MAX)
        return mpg_error_set(err, "to=%s is neither a rank (3) nor a distance from the sender (+1, -1)", value);
    if (x->to_relative && number == 0)
        return mpg_error_set(err, "to=%s is the sender itself", value);
    x->to = (int32_t)(*value == '-' ? -number : number);
    return 0;
}

static int take_to(struct line *l, const char *value, struct mpg_error *err)
{
    if (l->x->kind == MPG_HYPOTHESIS_INSERT)
        return take_receiver(l, value, err);
    l->x->select.has_to = true;
    return mpg_rank_set_parse(value, &l->x->select.to, err);
}

static int take_factor(struct line *l, const char *value, struct mpg_error *err)
{
    double *factor = &l->x->factor;
    l->has_factor = true;
    if (mpg_units_parse_real(value, factor, NULL) < 0 ||
        !((*factor >= min_factor && *factor <= max_factor) || *factor == 0))
        return mpg_error_set(err, "factor=%s is neither 0 nor a number from 1e-9 to 1e9", value);
    return 0;
}

static int take_time(struct line *l, const char *value, struct mpg_error *err)
{
    l->has_time = true;
    if (mpg_units_parse_time(value, &l->x->time_ns, err) < 0)
        return mpg_error_prefix(err, "time=%s", value);
    return l->x->time_ns > 0 ? 0 : mpg_error_set(err, "time=%s is no time above 0", value);
}

static int take_comm(struct line *l, const char *value, struct mpg_error *err)
{
    return parse_number("comm", value,
                        l->x->kind == MPG_HYPOTHESIS_BALANCE ? &l->x->comm : &l->x->select.comm, err);
}

static int take_by(struct line *l, const char *value, struct mpg_error *err)
{
    l->x->by_total = strcmp(value, "total") == 0;
    return l->x->by_total || strcmp(value, "instance") == 0
               ? 0
               : mpg_error_set(err, "by=%s is not by=instance or by=total", value);
}

/* Returns the reason why a hypothesis with VERB and call=CALL selects nothing; NULL: it can select something. */
static const char *why_unselected(enum mpg_call call, enum mpg_hypothesis_kind verb)
{
    switch (mpg_call_kind(call)) {
    case MPG_KIND_SEND:
    case MPG_KIND_SENDRECV:
    case MPG_KIND_ISEND:
    case MPG_KIND_ISENDRECV:
    case MPG_KIND_START:
    case MPG_KIND_COLLECTIVE:
    case MPG_KIND_ICOLLECTIVE:
    case MPG_KIND_NEIGHBOR:
    case MPG_KIND_INEIGHBOR:
    case MPG_KIND_RMA:
    case MPG_KIND_IRMA:
        return NULL;
    case MPG_KIND_WIN_FENCE:
    case MPG_KIND_WIN_EPOCH:
    case MPG_KIND_WIN_TARGET:
    case MPG_KIND_WIN_ALL:
    case MPG_KIND_WIN_GROUP:
        if (call != MPG_CALL_Win_fence && call != MPG_CALL_Win_complete && call != MPG_CALL_Win_unlock &&
            call != MPG_CALL_Win_unlock_all)
            return "an epoch of a window is selected by the call that ends it: Win_fence, Win_complete, Win_unlock or "
                   "Win_unlock_all";
        return verb == MPG_HYPOTHESIS_DROP ? NULL : "an epoch has the bytes of its transfers: Put, Get ...";
    case MPG_KIND_SEND_INIT:
    case MPG_KIND_PSEND_INIT:
    case MPG_KIND_PREADY:
    case MPG_KIND_COLLECTIVE_INIT:
    case MPG_KIND_NEIGHBOR_INIT:
        return "a persistent operation is selected by the call that starts it: Start or Startall";
    case MPG_KIND_CONSTRUCTOR:
    case MPG_KIND_ICONSTRUCTOR:
    case MPG_KIND_WIN_CONSTRUCTOR:
    case MPG_KIND_WIN_FREE:
        return "calls that make or free communicators and windows cannot be changed";
    default:
        return "messages are selected by the call that sends them";
    }
}

static int take_call(struct line *l, const char *value, struct mpg_error *err)
{
    const char *name = strncmp(value, "MPI_", 4) == 0 ? value + 4 : value;
    const enum mpg_call call = mpg_call_by_name(name);
    if (call == MPG_CALL_COUNT)
        return mpg_error_set(err, "call=%s is not an MPI call", value);
    const char *why = why_unselected(mpg_call_plain(call), l->x->kind);
    if (why)
        return mpg_error_set(err, "call=%s selects nothing that %s can change (%s)", value,
                             l->x->kind == MPG_HYPOTHESIS_DROP ? "drop" : "resize", why);
    l->x->select.call = mpg_call_plain(call);
    return 0;
}

static int take_region(struct line *l, const char *value, struct mpg_error *err)
{
    return copy_text("region", value, &l->x->select.region, err);
}

static int take_site(struct line *l, const char *value, struct mpg_error *err)
{
    return value[strspn(value, "-0123456789")] ? copy_text("site", value, &l->x->select.place, err)
                                               : parse_number("site", value, &l->x->select.site, err);
}

static int take_tag(struct line *l, const char *value, struct mpg_error *err)
{
    l->x->select.has_tag = true;
    return parse_number("tag", value, &l->x->select.tag, err);
}

/* Parses the value of bytes=: LO-HI, LO- and -HI select messages by size; a single N is the new size. */
static int take_bytes(struct line *l, const char *value, struct mpg_error *err)
{
    struct mpg_select *s = &l->x->select;
    char low[64];
    const char *dash = strchr(value, '-');
    const size_t n = dash ? (size_t)(dash - value) : 0;
    if (!dash || l->x->kind == MPG_HYPOTHESIS_INSERT) {
        if (l->x->kind == MPG_HYPOTHESIS_DROP)
            return mpg_error_set(err, "bytes=%s is not LO-HI", value);
        return mpg_units_parse_size(value, &l->x->size_bytes, err) < 0 || l->x->size_bytes < 0
                   ? mpg_error_set(err, "bytes=%s is no size", value)
                   : 0;
    }
    memcpy(low, value, n < sizeof low ? n : 0);
    low[n < sizeof low ? n : 0] = '\0';
    if (n >= sizeof low || (n == 0 && !dash[1]) ||
        (n > 0 && (mpg_units_parse_size(low, &s->min_bytes, NULL) < 0 || s->min_bytes < 0)) ||
        (dash[1] && (mpg_units_parse_size(dash + 1, &s->max_bytes, NULL) < 0 || s->max_bytes < 0)))
        return mpg_error_set(err, "bytes=%s is not LO-HI", value);
    return s->min_bytes > s->max_bytes ? mpg_error_set(err, "bytes=%s is empty", value) : 0;
}

/* --- a line --- */

enum {
    OF_SCALE = 1 << MPG_HYPOTHESIS_SCALE,
    OF_BALANCE = 1 << MPG_HYPOTHESIS_BALANCE,
    OF_INSERT = 1 << MPG_HYPOTHESIS_INSERT,
    OF_DROP = 1 << MPG_HYPOTHESIS_DROP,
    OF_RESIZE = 1 << MPG_HYPOTHESIS_RESIZE,
    OF_SELECT = OF_DROP | OF_RESIZE
};

static const struct key {
    const char *name;
    unsigned verbs; /* set of the verbs that take this key, a bit each */
    int (*take)(struct line *, const char *, struct mpg_error *);
} keys[] = {{"ranks", OF_SCALE | OF_INSERT, take_ranks},
            {"factor", OF_SCALE | OF_RESIZE, take_factor},
            {"time", OF_INSERT, take_time},
            {"comm", OF_BALANCE | OF_SELECT, take_comm},
            {"by", OF_BALANCE, take_by},
            {"call", OF_SELECT, take_call},
            {"region", OF_SELECT, take_region},
            {"site", OF_SELECT, take_site},
            {"from", OF_SELECT, take_from},
            {"to", OF_SELECT | OF_INSERT, take_to},
            {"tag", OF_SELECT, take_tag},
            {"bytes", OF_SELECT | OF_INSERT, take_bytes}};
enum { KEYS = sizeof keys / sizeof *keys };

static const char *const verbs[] = {"scale", "balance", "insert", "drop", "resize"};
enum { VERBS = sizeof verbs / sizeof *verbs };

/* Returns the index of WORD among the verbs; VERBS: it is none. */
static size_t find_verb(const char *word)
{
    size_t verb = 0;
    while (verb < VERBS && strcmp(verbs[verb], word) != 0)
        verb++;
    return verb;
}

bool mpg_hypothesis_is_verb(const char *word)
{
    return find_verb(word) < VERBS;
}

/* Returns the bit of a key in l->given. bytes= has two bits, since resize can have both: bytes=LO-HI selects, bytes=N is
 * the new size. */
static unsigned bit_of(const struct line *l, size_t key, const char *value)
{
    const bool is_size = l->x->kind == MPG_HYPOTHESIS_RESIZE && strcmp(keys[key].name, "bytes") == 0 &&
                         !strchr(value, '-');
    return 1u << (is_size ? KEYS : key);
}

static int take_word(struct line *l, char *word, struct mpg_error *err)
{
    const char *verb = verbs[l->x->kind];
    char *value = strchr(word, '=');
    size_t i = 0;
    if (!value)
        return mpg_error_set(err, "'%s' is not KEY=VALUE", word);
    *value++ = '\0';
    while (i < KEYS && strcmp(keys[i].name, word) != 0)
        i++;
    if (i == KEYS || !(keys[i].verbs >> l->x->kind & 1))
        return mpg_error_set(err, "%s has no %s=", verb, word);
    const unsigned bit = bit_of(l, i, value);
    if (l->given & bit)
        return mpg_error_set(err, "%s= is given twice", word);
    l->given |= bit;
    return keys[i].take(l, value, err);
}

/* Returns the name of a key given in S that calls like S's do not have, so that S selects nothing; NULL: none. */
static const char *key_of_others(const struct mpg_select *s)
{
    bool has_peers = true, has_tag = true, has_bytes = true;
    if (s->call == MPG_CALL_COUNT)
        return NULL;
    switch (mpg_call_kind(s->call)) {
    case MPG_KIND_COLLECTIVE:
    case MPG_KIND_ICOLLECTIVE:
        has_peers = has_tag = false;
        break;
    case MPG_KIND_NEIGHBOR:
    case MPG_KIND_INEIGHBOR:
    case MPG_KIND_RMA:
    case MPG_KIND_IRMA:
        has_tag = false;
        break;
    case MPG_KIND_WIN_FENCE:
    case MPG_KIND_WIN_ALL:
        has_peers = has_tag = has_bytes = false;
        break;
    case MPG_KIND_WIN_EPOCH:
    case MPG_KIND_WIN_TARGET:
        has_tag = has_bytes = false;
        break;
    default:
        break;
    }
    return s->has_from && !has_peers ? "from"
           : s->has_to && !has_peers ? "to"
           : s->has_tag && !has_tag  ? "tag"
           : !has_bytes && (s->min_bytes > 0 || s->max_bytes < INT64_MAX) ? "bytes"
                                                                              : NULL;
}

/* WORD stands where a region's name is expected. Returns whether it is a key of VERB with a value instead. */
static bool is_key(const char *word, enum mpg_hypothesis_kind verb)
{
    const size_t n = strcspn(word, "=");
    for (size_t i = 0; word[n] && i < KEYS; i++)
        if (strncmp(keys[i].name, word, n) == 0 && !keys[i].name[n] && (keys[i].verbs >> verb & 1))
            return true;
    return false;
}

/* Checks that an insert has either time=, for a computation, or bytes= and to=, for a message. */
static int check_insert(const struct line *l, struct mpg_error *err)
{
    const char *region = l->x->region;
    const bool has_bytes = l->x->size_bytes >= 0;
    if (!l->has_time && !has_bytes && !l->has_to)
        return mpg_error_set(err, "insert %s: time= is missing, or bytes= and to=", region);
    if (l->has_time && (has_bytes || l->has_to))
        return mpg_error_set(err, "insert %s: time= and %s= are both given: a computation and a message are two hypotheses",
                             region, has_bytes ? "bytes" : "to");
    return l->has_time || (has_bytes && l->has_to)
               ? 0
               : mpg_error_set(err, "insert %s: %s= is missing", region, has_bytes ? "to" : "bytes");
}

/* Checks that a line has the keys that its verb requires. */
static int check_line(const struct line *l, struct mpg_error *err)
{
    const struct mpg_hypothesis *x = l->x;
    const char *key = key_of_others(&x->select);
    if (key)
        return mpg_error_set(err, "%s selects nothing: MPI_%s has no %s=", verbs[x->kind], mpg_call_name(x->select.call), key);
    if (x->kind == MPG_HYPOTHESIS_SCALE && !l->has_factor)
        return mpg_error_set(err, "scale %s: factor= is missing", x->region);
    if (x->kind == MPG_HYPOTHESIS_INSERT)
        return check_insert(l, err);
    const bool selects_to = x->select.min_bytes == 0 && x->select.max_bytes < INT64_MAX;
    if (x->kind == MPG_HYPOTHESIS_RESIZE && !l->has_factor && x->size_bytes < 0 && selects_to)
        return mpg_error_set(err, "resize: the new size is missing: give factor= or bytes=N (bytes=-%lld selects messages "
                                  "of at most this size)", (long long)x->select.max_bytes);
    if (x->kind == MPG_HYPOTHESIS_RESIZE && l->has_factor == (x->size_bytes >= 0))
        return mpg_error_set(err, "resize: %s", l->has_factor ? "factor= and bytes= are both given"
                                                              : "the new size is missing: give factor= or bytes=");
    return 0;
}

int mpg_hypothesis_parse(struct mpg_hypothesis *x, char *text, struct mpg_error *err)
{
    struct line l = {.x = x};
    bool failed;
    char *word = next_word(&text, err, &failed);
    if (!word)
        return mpg_error_set(err, "there is no hypothesis");
    const size_t verb = find_verb(word);
    if (failed)
        return -1;
    if (verb == VERBS)
        return mpg_error_set(err, "'%s' is not scale, balance, insert, drop or resize", word);
    x->kind = (enum mpg_hypothesis_kind)verb;
    x->size_bytes = x->comm = -1;
    x->select = (struct mpg_select){
        .call = MPG_CALL_COUNT, .site = -1, .comm = -1, .max_bytes = INT64_MAX};
    if (mpg_hypothesis_is_of_work(x)) {
        const bool quoted = text[strspn(text, " \t")] == '"';
        word = next_word(&text, err, &failed);
        if (failed)
            return -1;
        if (!word || !*word || (is_key(word, x->kind) && !quoted))
            return mpg_error_set(err, "%s: a region is missing", verbs[verb]);
        if (!(x->region = strdup(word)))
            return out_of_memory(err);
    }
    while ((word = next_word(&text, err, &failed)))
        if (failed || take_word(&l, word, err) < 0)
            return -1;
    if (check_line(&l, err) < 0)
        return -1;
    if (x->kind == MPG_HYPOTHESIS_INSERT && !l.has_time)
        x->kind = MPG_HYPOTHESIS_EXCHANGE;
    return 0;
}

void mpg_hypothesis_clear(struct mpg_hypothesis *x)
{
    free(x->text);
    free(x->where);
    free(x->region);
    free(x->select.region);
    free(x->select.place);
    mpg_rank_set_clear(&x->ranks);
    mpg_rank_set_clear(&x->select.from);
    mpg_rank_set_clear(&x->select.to);
    *x = (struct mpg_hypothesis){0};
}
