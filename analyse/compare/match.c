/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matches callsites and regions of the two versions, the sides. A site is a callsite or region of one side, with the times in all
 * runs of this side. Sites with equal call, functions and files form a group. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/compare/compare.h"
#include "common/reserve.h"

struct site {
    enum compare_kind kind;
    enum mpg_call call;
    const char *name; /* the site's name, equal in all runs; the first run owns the text */
    char *group;      /* NAME without line numbers */
    char *function;   /* function of the innermost return address */
    long line;        /* line number of the innermost return address; 0: unknown */
    double *time_ns;  /* time in each run of the side, ns */
    double number;    /* number of calls or visits, mean over runs */
    bool taken;       /* the site is already in a row of the comparison */
};

struct sites {
    size_t n;
    struct site *site;
};

/* ---- sites of a side ---- */

/* Returns a pointer to the colon before the line number in a place like "f (a.c:15)", the text from BEGIN to END; returns END if
 * the place has no line number. */
static const char *line_number(const char *begin, const char *end)
{
    const char *p = end;
    if (p == begin || p[-1] != ')')
        return end;
    for (p--; p > begin && isdigit((unsigned char)p[-1]); p--)
        ;
    return p > begin && p[-1] == ':' && p + 1 < end ? p - 1 : end;
}

/* Sets the group, function and line of S from S's name. Returns 0, or -1: out of memory. */
static int split(struct site *s)
{
    char *to = s->group = malloc(strlen(s->name) + 1);
    if (!to)
        return -1;
    if (s->kind == COMPARE_REGION) {
        strcpy(to, s->name);
        s->function = strdup(s->name);
        return s->function ? 0 : -1;
    }
    for (const char *p = s->name; *p;) {
        const size_t length = strcspn(p, "\n");
        const char *number = line_number(p, p + length);
        if (p == s->name && number < p + length)
            s->line = strtol(number + 1, NULL, 10);
        memcpy(to, p, (size_t)(number - p));
        to += number - p;
        if (number < p + length)
            *to++ = ')';
        p += length;
        if (*p)
            *to++ = *p++;
    }
    *to = '\0';
    const char *file = strstr(s->group, " (");
    s->function = strndup(s->group, file ? (size_t)(file - s->group) : strcspn(s->group, "\n"));
    return s->function ? 0 : -1;
}

static int compare_heads(const struct site *x, const struct site *y)
{
    if (x->kind != y->kind)
        return (x->kind > y->kind) - (x->kind < y->kind);
    return (x->call > y->call) - (x->call < y->call);
}

static int compare_groups(const struct site *x, const struct site *y)
{
    const int order = compare_heads(x, y);
    return order != 0 ? order : strcmp(x->group, y->group);
}

/* Orders sites by group, line and name. */
static int by_group(const void *a, const void *b)
{
    const struct site *x = a, *y = b;
    const int order = compare_groups(x, y);
    if (order != 0)
        return order;
    return x->line != y->line ? (x->line > y->line) - (x->line < y->line) : strcmp(x->name, y->name);
}

/* PART is a callsite or region in run I of a side with N runs. Adds PART to the last site if the names are equal, else to a new
 * site. Returns 0, or -1: out of memory. */
static int add_part(struct sites *sites, const struct compare_part *part, size_t i, size_t n)
{
    struct site *s = sites->n ? &sites->site[sites->n - 1] : NULL;
    if (!s || s->kind != part->kind || s->call != part->call || strcmp(s->name, part->name) != 0) {
        s = &sites->site[sites->n++];
        *s = (struct site){.kind = part->kind, .call = part->call, .name = part->name, .time_ns = calloc(n, sizeof *s->time_ns)};
        if (!s->time_ns || split(s) < 0)
            return -1;
    }
    s->time_ns[i] += part->time_ns;
    s->number += part->number / (double)n;
    return 0;
}

/* Makes the sites of SIDE by merging the sorted parts of all runs. Returns 0, or -1: out of memory. */
static int find_sites(struct sites *sites, const struct compare_runs *side)
{
    size_t parts = 0, *next = calloc(side->n, sizeof *next);
    for (size_t i = 0; i < side->n; i++)
        parts += side->run[i].n;
    *sites = (struct sites){0, calloc(parts + 1, sizeof *sites->site)};
    int status = next && sites->site ? 0 : -1;
    for (size_t k = 0; status == 0 && k < parts; k++) {
        const struct compare_part *min = NULL;
        size_t from = 0;
        for (size_t i = 0; i < side->n; i++) {
            const struct compare_part *part = next[i] < side->run[i].n ? &side->run[i].part[next[i]] : NULL;
            const struct site a = {.kind = part ? part->kind : 0, .call = part ? part->call : 0};
            const struct site b = {.kind = min ? min->kind : 0, .call = min ? min->call : 0};
            const int order = !part ? 1 : !min ? -1 : compare_heads(&a, &b);
            if (order < 0 || (order == 0 && strcmp(part->name, min->name) < 0)) {
                min = part;
                from = i;
            }
        }
        next[from]++;
        status = add_part(sites, min, from, side->n);
    }
    free(next);
    if (status == 0)
        qsort(sites->site, sites->n, sizeof *sites->site, by_group);
    return status;
}

static void free_sites(struct sites *sites)
{
    for (size_t i = 0; sites->site && i < sites->n; i++) {
        free(sites->site[i].group);
        free(sites->site[i].function);
        free(sites->site[i].time_ns);
    }
    free(sites->site);
}

/* ---- rows ---- */

struct matching {
    struct comparison *c;
    struct sites of[COMPARE_SIDES];
    uint32_t capacity;
};

/* Adds SITE, of the given SIDE, to ROW. Returns 0, or -1: out of memory. */
static int add_site(struct matching *m, struct compare_row *row, enum compare_side side, struct site *site)
{
    const size_t n = m->c->side[side].n;
    if (!row->time_ns[side] && !(row->time_ns[side] = calloc(n, sizeof *row->time_ns[side])))
        return -1;
    for (size_t i = 0; i < n; i++)
        row->time_ns[side][i] += site->time_ns[i];
    row->number[side] += site->number;
    row->places[side]++;
    site->taken = true;
    free(row->name[side]);
    row->name[side] = strdup(row->match == COMPARE_TOGETHER ? site->group : site->name);
    return row->name[side] ? 0 : -1;
}

/* Adds a row to the comparison. The row joins N[side] sites of each side, from SITE[side] on (NULL: none). MATCH: criterion of
 * the match. Returns 0, or -1 with ERR: out of memory. */
static int add_row(struct matching *m, enum compare_match match, struct site *const site[COMPARE_SIDES],
                   const size_t n[COMPARE_SIDES], struct mpg_error *err)
{
    struct comparison *c = m->c;
    if (mpg_reserve_at(&c->row, sizeof *c->row, &m->capacity, (uint32_t)c->n + 1, err) < 0)
        return -1;
    const struct site *first = site[COMPARE_BEFORE] ? site[COMPARE_BEFORE] : site[COMPARE_AFTER];
    struct compare_row *row = &c->row[c->n++];
    *row = (struct compare_row){.kind = first->kind, .call = first->call, .match = match};
    for (int side = 0; side < COMPARE_SIDES; side++) {
        for (size_t i = 0; site[side] && i < n[side]; i++)
            if (add_site(m, row, (enum compare_side)side, &site[side][i]) < 0)
                return mpg_error_set(err, "out of memory");
        if (!row->time_ns[side] && !(row->time_ns[side] = calloc(c->side[side].n, sizeof *row->time_ns[side])))
            return mpg_error_set(err, "out of memory");
    }
    return 0;
}

static int add_pair(struct matching *m, enum compare_match match, struct site *before, struct site *after,
                    struct mpg_error *err)
{
    return add_row(m, match, (struct site *const[]){before, after}, (const size_t[]){1, 1}, err);
}

/* Returns the site named NAME among the N sites from SITE on; NULL: none. */
static struct site *find_named(struct site *site, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(site[i].name, name) == 0)
            return &site[i];
    return NULL;
}

/* Matches the sites of a group, N[side] on each side: in the order of lines if both numbers are equal; by equal lines if one side
 * has all lines of the other side; otherwise in a single row. */
static int match_group(struct matching *m, struct site *const site[COMPARE_SIDES], const size_t n[COMPARE_SIDES],
                       struct mpg_error *err)
{
    const int fewer = n[COMPARE_AFTER] < n[COMPARE_BEFORE];
    bool are_among = true;
    if (n[COMPARE_BEFORE] == n[COMPARE_AFTER]) {
        for (size_t i = 0; i < n[COMPARE_BEFORE]; i++) {
            struct site *x = &site[COMPARE_BEFORE][i], *y = &site[COMPARE_AFTER][i];
            if (add_pair(m, strcmp(x->name, y->name) == 0 ? COMPARE_SAME : COMPARE_MOVED, x, y, err) < 0)
                return -1;
        }
        return 0;
    }
    for (size_t i = 0; i < n[fewer]; i++)
        are_among = are_among && find_named(site[!fewer], n[!fewer], site[fewer][i].name);
    if (!are_among)
        return add_row(m, COMPARE_TOGETHER, site, n, err);
    for (size_t i = 0; i < n[fewer]; i++) {
        struct site *x = &site[fewer][i], *y = find_named(site[!fewer], n[!fewer], x->name);
        if (add_pair(m, COMPARE_SAME, fewer ? y : x, fewer ? x : y, err) < 0)
            return -1;
    }
    return 0;
}

/* Returns the number of sites, among the N sites from SITE on, in the group of the first site. */
static size_t group_size(const struct site *site, size_t n)
{
    size_t size = n > 0;
    while (size < n && compare_groups(&site[0], &site[size]) == 0)
        size++;
    return size;
}

static int match_groups(struct matching *m, struct mpg_error *err)
{
    size_t at[COMPARE_SIDES] = {0};
    while (at[0] < m->of[0].n && at[1] < m->of[1].n) {
        struct site *const site[] = {&m->of[0].site[at[0]], &m->of[1].site[at[1]]};
        const size_t n[] = {group_size(site[0], m->of[0].n - at[0]), group_size(site[1], m->of[1].n - at[1])};
        const int order = compare_groups(site[0], site[1]);
        if (order == 0 && match_group(m, site, n, err) < 0)
            return -1;
        at[0] += order <= 0 ? n[0] : 0;
        at[1] += order >= 0 ? n[1] : 0;
    }
    return 0;
}

/* Returns the site of SITES with LIKE's kind, call and function that is in no row yet; NULL: no site or several sites. */
static struct site *find_only(struct sites *sites, const struct site *like)
{
    struct site *only = NULL;
    for (size_t i = 0; i < sites->n; i++) {
        struct site *s = &sites->site[i];
        if (s->taken || compare_heads(s, like) != 0 || strcmp(s->function, like->function) != 0)
            continue;
        if (only)
            return NULL;
        only = s;
    }
    return only;
}

/* Matches the remaining sites by call and function alone. Sites without a match have appeared or disappeared. */
static int match_rest(struct matching *m, struct mpg_error *err)
{
    for (size_t i = 0; i < m->of[0].n; i++) {
        struct site *x = &m->of[0].site[i];
        if (x->taken || x->kind == COMPARE_REGION || find_only(&m->of[0], x) != x)
            continue;
        struct site *y = find_only(&m->of[1], x);
        if (y && add_pair(m, COMPARE_OTHER_FILE, x, y, err) < 0)
            return -1;
    }
    for (int side = 0; side < COMPARE_SIDES; side++)
        for (size_t i = 0; i < m->of[side].n; i++) {
            struct site *s = &m->of[side].site[i];
            if (!s->taken && add_pair(m, side == COMPARE_BEFORE ? COMPARE_DISAPPEARED : COMPARE_APPEARED,
                                      side == COMPARE_BEFORE ? s : NULL, side == COMPARE_AFTER ? s : NULL, err) < 0)
                return -1;
        }
    return 0;
}

int mpg_compare_match_parts(struct comparison *c, struct mpg_error *err)
{
    struct matching m = {.c = c};
    int status = 0;
    for (int side = 0; side < COMPARE_SIDES; side++)
        if (find_sites(&m.of[side], &c->side[side]) < 0)
            status = mpg_error_set(err, "out of memory");
    if (status == 0)
        status = match_groups(&m, err) < 0 || match_rest(&m, err) < 0 ? -1 : 0;
    for (int side = 0; side < COMPARE_SIDES; side++)
        free_sites(&m.of[side]);
    return status;
}
