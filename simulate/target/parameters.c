/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the lines KEY = VALUE of a target. */
#include "simulate/target/parameters.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/input.h"
#include "common/nearest.h"
#include "common/units.h"

#pragma GCC diagnostic error "-Wswitch-enum"

enum { MAX_MIB = 1, LONGEST_LINE = 4096 };

static const double MAX_TIME_NS = 1e15;

/* The shipped parameter sets: name without .par, and text. */
static const struct {
    const char *name, *text;
} shipped[] = {
#include "simulate/target/shipped.inc"
};

static const char *const policies[] = {"none", "interrupt", "poll", "offload", "calls"};
static const char *const topologies[] = {"full", "bus", "ring", "mesh", "torus", "hypercube", "fattree"};
static const char *const barriers[] = {"linear", "log", "rounds"};

const char *mpg_policy_name(enum mpg_policy policy)
{
    return policies[policy];
}

/* --- values --- */

enum kind {
    KIND_TIME,
    KIND_FIXED_TIME,
    KIND_FRACTION,  /* a distribution, too */
    KIND_RATIO,
    KIND_REAL,
    KIND_BANDWIDTHS, /* one, or one for each level of links, separated by colons */
    KIND_BYTES,
    KIND_COUNT,
    KIND_FLAG,
    KIND_WORD,
    KIND_TOPOLOGY,   /* a word, or a topology with sizes */
    KIND_TEXT
};
enum group { GROUP_OTHER, GROUP_MESSAGES, GROUP_BARRIER };

#define OFFSET(member) offsetof(struct mpg_parameters, member)

static const struct key {
    const char *name;
    enum kind kind;
    enum group group;
    size_t place;               /* offset of the value in struct mpg_parameters; of a KIND_TIME or KIND_FRACTION the parameter */
    const char *otherwise;      /* the default value; NULL: none */
    double min, max;            /* limits of FIXED_TIME, REAL, BYTES, COUNT */
    const char *const *words;   /* of WORD: names of the enum's values */
    int word_number;            /* number of words */
} keys[] = {
    {"MipsRatio", KIND_RATIO, GROUP_OTHER, OFFSET(mips_ratio), NULL, 0, 0, NULL, 0},
    {"CommStartupTime", KIND_TIME, GROUP_MESSAGES, MPG_STARTUP, "100us", 0, 0, NULL, 0},
    {"ByteTransferTime", KIND_TIME, GROUP_MESSAGES, MPG_BYTE, "0.05us", 0, 0, NULL, 0},
    {"MsgBuildTime", KIND_TIME, GROUP_MESSAGES, MPG_BUILD, "0", 0, 0, NULL, 0},
    {"ServiceTime", KIND_TIME, GROUP_MESSAGES, MPG_SERVICE, "0", 0, 0, NULL, 0},
    {"RequestSize", KIND_BYTES, GROUP_OTHER, OFFSET(request_bytes), "16", 0, 1e15, NULL, 0},
    {"HopTime", KIND_TIME, GROUP_MESSAGES, MPG_HOP, "0", 0, 0, NULL, 0},
    {"Topology", KIND_TOPOLOGY, GROUP_MESSAGES, OFFSET(topology), "full", 0, 0, topologies, 7},
    {"Contention", KIND_REAL, GROUP_OTHER, OFFSET(contention), "0", 0, 1e6, NULL, 0},
    {"PortBandwidth", KIND_REAL, GROUP_OTHER, OFFSET(port_bytes_per_s), NULL, 1, 1e18, NULL, 0},
    {"PortBucket", KIND_BYTES, GROUP_OTHER, OFFSET(port_bucket_bytes), "0", 0, 1e18, NULL, 0},
    {"PortQueue", KIND_BYTES, GROUP_OTHER, OFFSET(port_queue_bytes), "0", 0, 1e18, NULL, 0},
    {"OppositeWait", KIND_BYTES, GROUP_OTHER, OFFSET(opposite_bytes), "0", 0, 1e18, NULL, 0},
    {"MemoryBandwidth", KIND_REAL, GROUP_OTHER, OFFSET(memory_bytes_per_s), NULL, 1, 1e18, NULL, 0},
    {"LinkBandwidth", KIND_BANDWIDTHS, GROUP_OTHER, OFFSET(link_bytes_per_s), NULL, 1, 1e18, NULL, 0},
    {"Background", KIND_FRACTION, GROUP_OTHER, MPG_BACKGROUND, "0", 0, 0, NULL, 0},
    {"Policy", KIND_WORD, GROUP_OTHER, OFFSET(policy), "none", 0, 0, policies, 5},
    {"PollInterval", KIND_FIXED_TIME, GROUP_OTHER, OFFSET(poll_interval_ns), "1ms", 1, 1e15, NULL, 0},
    {"PollTime", KIND_TIME, GROUP_OTHER, MPG_POLL, "0", 0, 0, NULL, 0},
    {"InterruptTime", KIND_TIME, GROUP_OTHER, MPG_INTERRUPT, "0", 0, 0, NULL, 0},
    {"Processors", KIND_COUNT, GROUP_OTHER, OFFSET(processors), NULL, 1, INT32_MAX, NULL, 0},
    {"Map", KIND_TEXT, GROUP_OTHER, OFFSET(map), NULL, 0, 0, NULL, 0},
    {"SwitchTime", KIND_FIXED_TIME, GROUP_OTHER, OFFSET(switch_ns), "0", 0, 1e15, NULL, 0},
    {"Quantum", KIND_FIXED_TIME, GROUP_OTHER, OFFSET(quantum_ns), "0", 0, 1e15, NULL, 0},
    {"ClusterSize", KIND_COUNT, GROUP_MESSAGES, OFFSET(cluster), "1", 1, INT32_MAX, NULL, 0},
    {"ClusterStartup", KIND_TIME, GROUP_MESSAGES, MPG_CLUSTER_STARTUP, "0", 0, 0, NULL, 0},
    {"ClusterByte", KIND_TIME, GROUP_MESSAGES, MPG_CLUSTER_BYTE, "0", 0, 0, NULL, 0},
    {"EntryTime", KIND_TIME, GROUP_BARRIER, MPG_ENTRY, "5us", 0, 0, NULL, 0},
    {"ExitTime", KIND_TIME, GROUP_BARRIER, MPG_EXIT, "5us", 0, 0, NULL, 0},
    {"CheckTime", KIND_TIME, GROUP_BARRIER, MPG_CHECK, "2us", 0, 0, NULL, 0},
    {"ExitCheckTime", KIND_TIME, GROUP_BARRIER, MPG_EXIT_CHECK, "2us", 0, 0, NULL, 0},
    {"ModelTime", KIND_TIME, GROUP_BARRIER, MPG_MODEL, "10us", 0, 0, NULL, 0},
    {"BarrierByMsgs", KIND_FLAG, GROUP_BARRIER, OFFSET(barrier_by_messages), "1", 0, 0, NULL, 0},
    {"BarrierMsgSize", KIND_BYTES, GROUP_BARRIER, OFFSET(barrier_bytes), "128", 0, 1e15, NULL, 0},
    {"BarrierAlgorithm", KIND_WORD, GROUP_BARRIER, OFFSET(barrier), "linear", 0, 0, barriers, 3},
};

enum { KEYS = sizeof keys / sizeof *keys };
_Static_assert((int)KEYS == (int)MPG_KEYS, "MPG_KEYS");

enum mpg_key_unit mpg_parameters_unit(const char *key)
{
    static const enum mpg_key_unit units[] = {
        [KIND_TIME] = MPG_KEY_TIME,     [KIND_FIXED_TIME] = MPG_KEY_TIME, [KIND_RATIO] = MPG_KEY_NUMBER,
        [KIND_REAL] = MPG_KEY_NUMBER,   [KIND_BYTES] = MPG_KEY_BYTES,     [KIND_COUNT] = MPG_KEY_COUNT,
        [KIND_FLAG] = MPG_KEY_COUNT,    [KIND_WORD] = MPG_KEY_WORD,       [KIND_TEXT] = MPG_KEY_WORD,
        [KIND_FRACTION] = MPG_KEY_NUMBER, [KIND_BANDWIDTHS] = MPG_KEY_WORD, [KIND_TOPOLOGY] = MPG_KEY_WORD};
    for (size_t i = 0; i < KEYS; i++)
        if (strcmp(keys[i].name, key) == 0)
            return units[keys[i].kind];
    return MPG_KEY_UNKNOWN;
}

/* Sets time or fraction WHICH to TEXT, a distribution or a constant. */
static int set_spec(struct mpg_parameters *p, enum mpg_parameter which, const char *text, struct mpg_error *err)
{
    const bool is_time = which != MPG_BACKGROUND;
    const size_t size = strlen(text) + sizeof "const:";
    char *copy = malloc(size);
    if (!copy)
        return mpg_error_set(err, "out of memory");
    snprintf(copy, size, "%s%s", strchr(text, ':') ? "" : "const:", text);
    mpg_spec_clear(&p->time[which]);
    free(p->text[which]);
    p->text[which] = copy;
    p->time[which] = (struct mpg_spec){0};
    if ((is_time ? mpg_spec_parse : mpg_spec_parse_numbers)(copy, &p->time[which], err) < 0)
        return -1;
    if (p->time[which].ranks.count > 0)
        return mpg_error_set(err, "'%s': a machine's times are no ranks'", text);
    if (is_time ? mpg_spec_can_be_negative(&p->time[which]) : mpg_spec_quantile(&p->time[which], 0.5) < 0)
        return mpg_error_set(err, "'%s' can be negative", text);
    if (mpg_spec_quantile(&p->time[which], 0.5) > (is_time ? MAX_TIME_NS : MPG_BACKGROUND_MAX))
        return mpg_error_set(err, is_time ? "'%s' is more than 11 days" : "'%s' is more than 0.99", text);
    return 0;
}

static int set_number(const struct key *k, const char *text, double *value, struct mpg_error *err)
{
    int64_t whole = 0;
    int status = k->kind == KIND_FIXED_TIME ? mpg_units_parse_time(text, value, err)
                 : k->kind == KIND_REAL || k->kind == KIND_BANDWIDTHS ? mpg_units_parse_real(text, value, err)
                 : k->kind == KIND_BYTES    ? mpg_units_parse_size(text, &whole, err)
                                            : mpg_units_parse_int(text, &whole, err);
    if (status < 0)
        return -1;
    if (k->kind == KIND_BYTES || k->kind == KIND_COUNT)
        *value = (double)whole;
    return *value >= k->min && *value <= k->max
               ? 0
               : mpg_error_set(err, "'%s' is not %g to %g%s", text, k->min, k->max,
                               k->kind == KIND_FIXED_TIME ? " ns" : "");
}

static int set_word(const struct key *k, const char *text, int *value, struct mpg_error *err)
{
    char all[160] = "";
    for (int i = 0; i < k->word_number; i++) {
        if (strcmp(text, k->words[i]) == 0) {
            *value = i;
            return 0;
        }
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i == 0 ? "" : ", ", k->words[i]);
    }
    return mpg_error_set(err, "'%s' is none of %s", text, all);
}

static int set_text(const char *text, char **value, struct mpg_error *err)
{
    char *copy = strdup(text);
    if (!copy)
        return mpg_error_set(err, "out of memory");
    free(*value);
    *value = copy;
    return 0;
}

/* Sets P's topology to TEXT, a word or a topology with sizes. */
static int set_topology(struct mpg_parameters *p, const struct key *k, const char *text, struct mpg_error *err)
{
    int word = MPG_TOPOLOGY_LAYOUT;
    p->layout = (struct mpg_layout){0};
    if ((strchr(text, ':') ? mpg_layout_parse(&p->layout, text, err) : set_word(k, text, &word, err)) < 0)
        return -1;
    p->topology = (enum mpg_topology)word;
    return set_text(text, &p->topology_text, err);
}

/* Sets the bandwidths of P's links to TEXT, numbers separated by colons. */
static int set_bandwidths(struct mpg_parameters *p, const struct key *k, const char *text, struct mpg_error *err)
{
    char copy[LONGEST_LINE], *rest = copy;
    snprintf(copy, sizeof copy, "%s", text);
    p->link_levels = 0;
    for (char *one; (one = strsep(&rest, ":"));) {
        if (p->link_levels == MPG_LAYOUT_SIZES)
            return mpg_error_set(err, "'%s' has more than %d bandwidths", text, MPG_LAYOUT_SIZES);
        if (set_number(k, one, &p->link_bytes_per_s[p->link_levels++], err) < 0)
            return -1;
    }
    return 0;
}

static int set_ratio(const char *text, char **value, struct mpg_error *err)
{
    double ratio;
    if (strncmp(text, "kernel:", 7) == 0 && text[7] && !strchr(text, '@'))
        return set_text(text, value, err);
    if (mpg_units_parse_real(text, &ratio, err) < 0)
        return -1;
    return ratio >= 1e-9 && ratio <= 1e9 ? set_text(text, value, err)
                                         : mpg_error_set(err, "'%s' is not 1e-9 to 1e9", text);
}

static int set_value(struct mpg_parameters *p, const struct key *k, const char *text, struct mpg_error *err)
{
    char *to = (char *)p + k->place;
    double number;
    switch (k->kind) {
    case KIND_TIME:
    case KIND_FRACTION:
        return set_spec(p, (enum mpg_parameter)k->place, text, err);
    case KIND_RATIO:
        return set_ratio(text, (char **)(void *)to, err);
    case KIND_BANDWIDTHS:
        return set_bandwidths(p, k, text, err);
    case KIND_TOPOLOGY:
        return set_topology(p, k, text, err);
    case KIND_TEXT:
        return set_text(text, (char **)(void *)to, err);
    case KIND_WORD:
        return set_word(k, text, (int *)(void *)to, err);
    case KIND_FLAG:
        *(bool *)(void *)to = strcmp(text, "1") == 0;
        return *text && !text[1] && (*text == '0' || *text == '1')
                   ? 0
                   : mpg_error_set(err, "'%s' is not 0 or 1", text);
    case KIND_FIXED_TIME:
    case KIND_REAL:
    case KIND_BYTES:
    case KIND_COUNT:
        break;
    }
    if (set_number(k, text, &number, err) < 0)
        return -1;
    if (k->kind == KIND_COUNT)
        *(int32_t *)(void *)to = (int32_t)number;
    else
        *(double *)(void *)to = number;
    return 0;
}

/* --- the file --- */

static char *trimmed(char *text)
{
    text += strspn(text, " \t\r");
    size_t n = strlen(text);
    while (n > 0 && strchr(" \t\r", text[n - 1]))
        text[--n] = '\0';
    return text;
}

/* Reads LINE, which is line NUMBER of the file: KEY = VALUE, or a comment. */
static int read_line(struct mpg_parameters *p, char *line, unsigned number, struct mpg_error *err)
{
    line[strcspn(line, "#")] = '\0';
    char *key = trimmed(line), *equals = strchr(key, '=');
    if (!*key)
        return 0;
    if (!equals)
        return mpg_error_set(err, "'%.60s' is no KEY = VALUE", key);
    *equals = '\0';
    key = trimmed(key);
    char *value = trimmed(equals + 1);
    size_t i = 0;
    while (i < KEYS && strcmp(keys[i].name, key) != 0)
        i++;
    if (i == KEYS)
        return mpg_error_set(err, "'%.60s' is no key of mpgtarget(5)", key);
    if (number > 0 && p->line[i] > 0)
        return mpg_error_set(err, "%s is given in line %u, too", key, p->line[i]);
    if (!*value)
        return mpg_error_set(err, "%s has no value", key);
    p->line[i] = number;
    p->given[i] = true;
    const bool is_layout = keys[i].kind == KIND_TOPOLOGY && strchr(value, ':'); /* which is no cost */
    p->of_messages = p->of_messages || (keys[i].group == GROUP_MESSAGES && !is_layout);
    p->of_barrier = p->of_barrier || keys[i].group == GROUP_BARRIER;
    p->policy_given = p->policy_given || keys[i].place == OFFSET(policy);
    return set_value(p, &keys[i], value, err) < 0 ? mpg_error_prefix(err, "%s", key) : 0;
}

/* Returns the condition that KEY needs to have an effect, and that P does not fulfil; NULL: KEY has an effect. */
static const char *missing_condition(const struct mpg_parameters *p, const char *key)
{
    if (p->policy != MPG_POLICY_POLL && strncmp(key, "Poll", 4) == 0)
        return "Policy = poll";
    if (p->policy != MPG_POLICY_INTERRUPT && strcmp(key, "InterruptTime") == 0)
        return "Policy = interrupt";
    if (p->cluster == 1 && strncmp(key, "Cluster", 7) == 0 && strcmp(key, "ClusterSize") != 0)
        return "a ClusterSize of 2 or more";
    if (p->port_bytes_per_s <= 0 && (strcmp(key, "PortBucket") == 0 || strcmp(key, "PortQueue") == 0))
        return "PortBandwidth";
    if (p->topology != MPG_TOPOLOGY_LAYOUT && strcmp(key, "LinkBandwidth") == 0)
        return "a Topology with sizes, like torus:8x8";
    if (p->link_levels == 0 && strcmp(key, "Background") == 0)
        return "LinkBandwidth";
    if (p->port_bytes_per_s <= 0 && p->memory_bytes_per_s <= 0 && p->link_levels == 0 &&
        strcmp(key, "OppositeWait") == 0)
        return "PortBandwidth, MemoryBandwidth or LinkBandwidth";
    return NULL;
}

const char *mpg_parameters_need_events(const struct mpg_parameters *p, bool meets)
{
    return p->policy != MPG_POLICY_OFFLOAD               ? "a Policy other than offload"
           : p->contention > 0                           ? "Contention"
           : p->port_bytes_per_s > 0                     ? "a PortBandwidth"
           : p->memory_bytes_per_s > 0                   ? "a MemoryBandwidth"
           : p->link_levels > 0                          ? "a LinkBandwidth"
           : p->processors > 0 || p->map                 ? "Processors or a Map"
           : meets && p->barrier != MPG_BARRIER_ROUNDS ? "a BarrierAlgorithm other than rounds"
                                                         : NULL;
}

int mpg_parameters_set_key_error(const struct mpg_parameters *p, const char *key, struct mpg_error *err)
{
    size_t i = 0;
    while (i + 1 < KEYS && strcmp(keys[i].name, key) != 0)
        i++;
    return p->line[i] > 0 ? mpg_error_prefix(err, "%s:%u: %s", p->name, p->line[i], key) : mpg_error_prefix(err, "%s", key);
}

int mpg_parameters_check(const struct mpg_parameters *p, struct mpg_error *err)
{
    for (size_t i = 0; i < KEYS; i++) {
        const char *lacks = p->given[i] ? missing_condition(p, keys[i].name) : NULL;
        if (lacks && mpg_error_set(err, "%s says nothing without %s", keys[i].name, lacks) < 0)
            return p->line[i] > 0 ? mpg_error_prefix(err, "%s:%u", p->name, p->line[i]) : -1;
    }
    const char *excluded = p->port_bytes_per_s > 0                ? "PortBandwidth"
                           : p->memory_bytes_per_s > 0            ? "MemoryBandwidth"
                           : p->topology == MPG_TOPOLOGY_LAYOUT ? "a Topology with sizes"
                                                                  : NULL;
    if (p->contention > 0 && excluded) {
        mpg_error_set(err, "it and %s exclude each other", excluded);
        return mpg_parameters_set_key_error(p, "Contention", err);
    }
    const int levels = mpg_layout_levels(&p->layout);
    if (p->link_levels > 1 && p->link_levels != levels) {
        mpg_error_set(err, "%d of them, and %s has %d level%s of links", p->link_levels, p->topology_text, levels,
                      levels == 1 ? "" : "s");
        return mpg_parameters_set_key_error(p, "LinkBandwidth", err);
    }
    return 0;
}

int mpg_parameters_set(struct mpg_parameters *p, const char *text, struct mpg_error *err)
{
    char line[LONGEST_LINE];
    if (!strchr(text, '=') || strlen(text) >= sizeof line || strpbrk(text, "#\n"))
        return mpg_error_set(err, "'%.60s' is no KEY=VALUE", text);
    strcpy(line, text);
    if (strncmp(text, "MipsRatio", strlen("MipsRatio")) == 0)
        p->ratio_against = NULL;
    return read_line(p, line, 0, err);
}

static int set_defaults(struct mpg_parameters *p, struct mpg_error *err)
{
    for (size_t i = 0; i < KEYS; i++)
        if (keys[i].otherwise && set_value(p, &keys[i], keys[i].otherwise, err) < 0)
            return -1;
    return 0;
}

struct mpg_parameters *mpg_parameters_parse(const char *text, size_t length, const char *name, struct mpg_error *err)
{
    struct mpg_parameters *p = calloc(1, sizeof *p);
    unsigned number = 0;
    char line[LONGEST_LINE];
    if (!p || !(p->name = strdup(name))) {
        mpg_error_set(err, "out of memory");
        goto fail;
    }
    if (set_defaults(p, err) < 0)
        goto fail;
    for (size_t at = 0; at < length;) {
        const char *end = memchr(text + at, '\n', length - at);
        const size_t n = end ? (size_t)(end - text) - at : length - at;
        number++;
        if (n >= sizeof line || memchr(text + at, '\0', n)) {
            mpg_error_set(err, "%s:%u: no line of text", name, number);
            goto fail;
        }
        memcpy(line, text + at, n);
        line[n] = '\0';
        at += n + 1;
        if (read_line(p, line, number, err) < 0) {
            mpg_error_prefix(err, "%s:%u", name, number);
            goto fail;
        }
    }
    return p;
fail:
    mpg_parameters_free(p);
    return NULL;
}

/* Returns the text of the shipped parameter set NAME; NULL: there is none. */
static const char *find_shipped(const char *name)
{
    const size_t n = strlen(name), stem = n > 4 && strcmp(name + n - 4, ".par") == 0 ? n - 4 : n;
    for (size_t i = 0; i < sizeof shipped / sizeof *shipped; i++)
        if (strlen(shipped[i].name) == stem && strncmp(shipped[i].name, name, stem) == 0)
            return shipped[i].text;
    return NULL;
}

/* Sets ERR to the message that PATH cannot be opened (errno NUMBER). If PATH has no folder, the message lists the shipped
 * names. */
static void set_unreadable(const char *path, int number, struct mpg_error *err)
{
    char all[256] = "";
    struct mpg_nearest nearest = {path, strlen(path), NULL, 0};
    for (size_t i = 0; i < sizeof shipped / sizeof *shipped; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i == 0 ? "" : ", ", shipped[i].name);
    for (size_t i = 0; i < sizeof shipped / sizeof *shipped; i++)
        mpg_nearest_try(&nearest, shipped[i].name);
    mpg_error_errno(err, number, "%s", path);
    if (number == ENOENT && !strchr(path, '/'))
        mpg_error_prefix(err, "--target: neither a shipped machine (%s) nor a file", all);
    const size_t used = strlen(err->text);
    if (number == ENOENT && nearest.word)
        snprintf(err->text + used, sizeof err->text - used, "; did you mean %s?", nearest.word);
}

struct mpg_parameters *mpg_parameters_read(const char *path, struct mpg_error *err)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : mpg_input_open(path);
    const char *known = !file && errno == ENOENT ? find_shipped(path) : NULL;
    size_t n;
    if (known) {
        struct mpg_parameters *p = mpg_parameters_parse(known, strlen(known), path, err);
        if (p && strncmp(path, "cm5", 3) == 0)
            p->ratio_against = "a Sun 4";
        return p;
    }
    if (!file) {
        set_unreadable(path, errno, err);
        return NULL;
    }
    char *text = mpg_input_read(file, path, MAX_MIB, &n, err);
    struct mpg_parameters *p = text ? mpg_parameters_parse(text, n, path, err) : NULL;
    free(text);
    return p;
}

void mpg_parameters_free(struct mpg_parameters *p)
{
    if (!p)
        return;
    for (int i = 0; i < MPG_PARAMETERS; i++) {
        mpg_spec_clear(&p->time[i]);
        free(p->text[i]);
    }
    free(p->name);
    free(p->mips_ratio);
    free(p->topology_text);
    free(p->map);
    free(p);
}

/* --- draws --- */

bool mpg_parameters_are_random(const struct mpg_parameters *p)
{
    bool are = false;
    for (int i = 0; i < MPG_PARAMETERS; i++)
        are = are || mpg_spec_is_random(&p->time[i]);
    return are;
}

double mpg_parameter_draw(const struct mpg_parameters *p, enum mpg_parameter which,
                          const struct mpg_address *address, uint32_t replica)
{
    const struct mpg_spec *spec = &p->time[which];
    if (spec->family == MPG_FAMILY_CONST)
        return spec->a;
    struct mpg_address a = *address;
    a.seed = mpg_seed_of(a.seed, (uint32_t)which + 1);
    const double value = fmax(mpg_spec_quantile(spec, mpg_draw(&a, replica)), 0);
    return which == MPG_BACKGROUND ? fmin(value, MPG_BACKGROUND_MAX) : value;
}

bool mpg_parameters_have_background(const struct mpg_parameters *p)
{
    return strcmp(p->text[MPG_BACKGROUND], "const:0") != 0;
}

double mpg_parameter_median(const struct mpg_parameters *p, enum mpg_parameter which)
{
    return fmax(mpg_spec_quantile(&p->time[which], 0.5), 0);
}
