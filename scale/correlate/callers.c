/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the callsites that are shown split by callers: typically the callsites in wrappers of MPI calls. */
#include <math.h>
#include <stdlib.h>

#include "scale/correlate/coefficient.h"
#include "scale/correlate/correlate.h"

/* A callsite of some depth, in the tree of callsites. The children are the callers: the callsites with one frame more. */
struct place {
    size_t first, next; /* 1 + index of the first child, and of the next sibling; 0: none */
    bool counts;        /* the callsite's share reaches the threshold in some run */
    double r, share;    /* r_s of the callsite (NAN: undefined); median share at the largest N */
};

struct choosing {
    const struct scale_set *set;
    const struct scale_options *options;
    struct place *place;
    bool *keep;
};

static int measure(struct choosing *c, size_t site, struct mpg_error *err)
{
    const struct scale_options of_share = {.metric = SCALE_SHARE, .zero = c->options->zero};
    struct place *p = &c->place[site];
    struct scale_series series;
    double first;
    if (mpg_scale_series(c->set, &of_share, site, &series, err) < 0)
        return -1;
    int status = series.n > 0 ? mpg_scale_ends(&series, &first, &p->share, err) : 0;
    for (size_t i = 0; i < series.n; i++)
        p->counts |= series.y[i] >= c->options->threshold;
    mpg_scale_series_clear(&series);
    struct scale_correlation r;
    if (status == 0 && mpg_scale_series(c->set, c->options, site, &series, err) == 0) {
        status = mpg_scale_correlate(&series, NULL, &r, err);
        p->r = r.r;
        mpg_scale_series_clear(&series);
    } else
        status = -1;
    return status;
}

/* Returns whether two callers of SITE behave differently: r_s of opposite signs, or shares that differ by a factor of
 * 2. */
static bool do_callers_differ(const struct choosing *c, size_t site)
{
    bool falls = false, rises = false, any = false;
    double min = 0, max = 0;
    for (size_t i = c->place[site].first; i; i = c->place[i - 1].next) {
        const struct place *p = &c->place[i - 1];
        if (!p->counts)
            continue;
        falls |= p->r < 0;
        rises |= p->r > 0;
        min = !any || p->share < min ? p->share : min;
        max = !any || p->share > max ? p->share : max;
        any = true;
    }
    return (falls && rises) || (any && max >= 2 * min && max > min);
}

/* Keeps either SITE or the callers by which SITE is split. Returns whether SITE is split. */
static bool choose(struct choosing *c, size_t site)
{
    bool deeper = do_callers_differ(c, site);
    for (size_t i = c->place[site].first; i; i = c->place[i - 1].next)
        deeper |= choose(c, i - 1);
    if (deeper)
        return true; /* choose() has kept the callers */
    for (size_t i = c->place[site].first; i; i = c->place[i - 1].next)
        c->keep[i - 1] = false;
    c->keep[site] = true;
    return false;
}

int mpg_scale_choose_callers(struct scale_set *set, const struct scale_options *options, struct mpg_error *err)
{
    struct choosing c = {set, options, calloc(set->site_number + 1, sizeof *c.place),
                         calloc(set->site_number + 1, sizeof *c.keep)};
    int status = c.place && c.keep ? 0 : mpg_error_set(err, "out of memory");
    for (size_t i = set->site_number; status == 0 && i-- > 0;) {
        const int64_t parent = set->sites[i].parent;
        if (parent >= 0) {
            c.place[i].next = c.place[parent].first;
            c.place[parent].first = i + 1;
        }
        status = measure(&c, i, err);
    }
    for (size_t i = 0; status == 0 && i < set->site_number; i++)
        if (set->sites[i].parent < 0)
            (void)choose(&c, i);
    if (status == 0)
        mpg_scale_set_keep(set, c.keep);
    free(c.place);
    free(c.keep);
    return status;
}
