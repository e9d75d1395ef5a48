/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An overview as JSON. Shares of time are in whole thousandths, times in whole ns. Each name of a call or callsite occurs once,
 * in a list; slices refer to names by number. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/overview.h"
#include "trace/stat/names.h"

enum { SITES = 256, SITE_BYTES = 160 }; /* maximum number of callsites with a name, and of bytes of a name */

const char *mpg_overview_key(enum mpg_overview_part part)
{
    static const char *const key[] = {"computation", "waiting", "mpi", "noise", "tracer"};
    return key[part];
}

const char *mpg_overview_kind(enum mpg_call call)
{
    switch (mpg_call_kind(call)) {
    case MPG_KIND_SEND:
    case MPG_KIND_ISEND:
    case MPG_KIND_PREADY:
        return "send";
    case MPG_KIND_RECV:
    case MPG_KIND_IRECV:
    case MPG_KIND_MRECV:
    case MPG_KIND_IMRECV:
    case MPG_KIND_SENDRECV:
        return "receive";
    case MPG_KIND_COMPLETE:
    case MPG_KIND_PROBE:
    case MPG_KIND_MPROBE:
        return "wait";
    case MPG_KIND_COLLECTIVE:
    case MPG_KIND_ICOLLECTIVE:
    case MPG_KIND_NEIGHBOR:
    case MPG_KIND_CONSTRUCTOR:
    case MPG_KIND_WIN_FENCE:
        return "collective";
    default:
        return "other";
    }
}

/* ---- names ---- */

struct numbers {
    int call[MPG_CALL_COUNT], calls; /* number by which slices refer to each call, from 1; 0: the call does not occur */
    uint32_t site[SITES];
    size_t sites;
};

static int number_site(struct numbers *x, uint32_t site)
{
    if (site == 0)
        return -1;
    for (size_t i = 0; i < x->sites; i++)
        if (x->site[i] == site)
            return (int)i;
    if (x->sites == SITES)
        return -1;
    x->site[x->sites++] = site;
    return (int)x->sites - 1;
}

static int number_call(struct numbers *x, enum mpg_call call)
{
    if (x->call[call] == 0)
        x->call[call] = ++x->calls;
    return x->call[call] - 1;
}

void mpg_overview_put_names(struct mpg_json *j, const int number_of[MPG_CALL_COUNT], int n)
{
    mpg_json_array(j, "names");
    for (int number = 1; number <= n; number++)
        for (int call = 0; call < MPG_CALL_COUNT; call++)
            if (number_of[call] == number) {
                char name[80];
                snprintf(name, sizeof name, "%s%s", mpg_call_prefix((enum mpg_call)call), mpg_call_name((enum mpg_call)call));
                mpg_json_object(j, NULL);
                mpg_json_string(j, "name", name);
                mpg_json_string(j, "kind", mpg_overview_kind((enum mpg_call)call));
                mpg_json_close(j);
            }
    mpg_json_close(j);
}

/* Writes the array "callsites": innermost function and line of each callsite in X. */
static int put_sites(struct mpg_json *j, const struct numbers *x, const struct mpg_trace *trace, struct mpg_error *err)
{
    struct mpg_site_names names;
    int status = mpg_site_names_begin(&names, trace, 1, NULL, err);
    mpg_json_array(j, "callsites");
    for (size_t i = 0; i < x->sites && status == 0; i++) {
        const char *name = mpg_site_name(&names, x->site[i], err);
        char line[SITE_BYTES];
        if (!name)
            status = -1;
        else {
            snprintf(line, sizeof line, "%.*s", (int)strcspn(name, "\n"), name);
            mpg_json_string(j, NULL, line);
        }
    }
    mpg_json_close(j);
    mpg_site_names_end(&names);
    return status;
}

/* ---- a run ---- */

static void put_parts(struct mpg_json *j, const struct mpg_overview *o)
{
    mpg_json_object(j, "parts");
    for (int k = 0; k < MPG_OVERVIEW_PARTS; k++) {
        mpg_json_array(j, mpg_overview_key((enum mpg_overview_part)k));
        for (size_t g = 0; g < o->groups; g++) {
            mpg_json_array(j, NULL);
            for (size_t i = 0; i < o->bins; i++)
                mpg_json_integer(j, NULL, llround(1000 * mpg_overview_share(o, g, i, (enum mpg_overview_part)k)));
            mpg_json_close(j);
        }
        mpg_json_close(j);
    }
    mpg_json_close(j);
}

/* Writes slice S as [from, length, call, callsite, peer, awaited, wait]; a slice of several calls also has the number of calls
 * and the time within calls. */
static void put_slice(struct mpg_json *j, const struct mpg_overview_slice *s, struct numbers *x)
{
    const int64_t from_ns = (int64_t)floor(s->from_ns);
    mpg_json_array(j, NULL);
    mpg_json_integer(j, NULL, from_ns);
    mpg_json_integer(j, NULL, (int64_t)ceil(s->to_ns) - from_ns);
    mpg_json_integer(j, NULL, number_call(x, s->place.call));
    mpg_json_integer(j, NULL, number_site(x, s->place.site));
    mpg_json_integer(j, NULL, s->peer);
    mpg_json_integer(j, NULL, s->awaited);
    mpg_json_integer(j, NULL, llround(s->wait_ns));
    if (s->calls > 1) {
        mpg_json_integer(j, NULL, s->calls);
        mpg_json_integer(j, NULL, llround(s->in_calls_ns));
    }
    mpg_json_close(j);
}

static void put_bins(struct mpg_json *j, const struct mpg_overview *o)
{
    mpg_json_number(j, "run_ns", o->run_ns);
    mpg_json_number(j, "bin_ns", o->bin_ns);
    put_parts(j, o);
}

static void put_groups(struct mpg_json *j, const struct mpg_overview *o)
{
    mpg_json_array(j, "groups");
    for (size_t g = 0; g < o->groups; g++) {
        mpg_json_array(j, NULL);
        mpg_json_integer(j, NULL, mpg_overview_first(o, g));
        mpg_json_integer(j, NULL, mpg_overview_last(o, g));
        mpg_json_close(j);
    }
    mpg_json_close(j);
}

void mpg_overview_put_heat_map(struct mpg_json *j, const char *key, const struct mpg_overview *const *run,
                               const char *const *keys, size_t n)
{
    mpg_json_object(j, key);
    put_groups(j, run[0]);
    for (size_t i = 0; i < n; i++) {
        mpg_json_object(j, keys[i]);
        put_bins(j, run[i]);
        mpg_json_close(j);
    }
    mpg_json_close(j);
}

static void put_run(struct mpg_json *j, const char *key, const struct mpg_overview *o, struct numbers *x)
{
    mpg_json_object(j, key);
    put_bins(j, o);
    mpg_json_array(j, "calls");
    for (size_t i = 0; i < o->rows; i++) {
        mpg_json_array(j, NULL);
        for (size_t k = 0; k < o->row[i].n; k++)
            put_slice(j, &o->row[i].slice[k], x);
        mpg_json_close(j);
    }
    mpg_json_close(j);
    mpg_json_close(j);
}

int mpg_overview_json(struct mpg_json *j, const char *key, const struct mpg_trace *trace, const struct mpg_overview *const *run,
                      const char *const *keys, size_t n, struct mpg_error *err)
{
    struct numbers x = {.calls = 0};
    mpg_json_object(j, key);
    put_groups(j, run[0]);
    mpg_json_array(j, "ranks");
    for (size_t i = 0; i < run[0]->rows; i++)
        mpg_json_integer(j, NULL, run[0]->row[i].rank);
    mpg_json_close(j);
    for (size_t i = 0; i < n; i++)
        put_run(j, keys[i], run[i], &x);
    mpg_overview_put_names(j, x.call, x.calls);
    const int status = put_sites(j, &x, trace, err);
    mpg_json_close(j);
    return status;
}
