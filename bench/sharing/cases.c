/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cases of a sharing run: numbers of pairs, directions and sizes. */
#include "config.h"

#include <stdlib.h>

#include "bench/sharing/measure.h"

static int add(struct mpg_sharing_cases *cases, const struct mpg_sharing_case *made, struct mpg_error *err)
{
    struct mpg_sharing_case *grown = realloc(cases->item, (cases->n + 1) * sizeof *grown);
    if (!grown)
        return mpg_error_set(err, "out of memory");
    cases->item = grown;
    grown[cases->n++] = *made;
    return 0;
}

/* Returns the number of pairs after PAIRS: twice as many, at most ALL. */
static int next_pairs(int pairs, int all)
{
    return pairs == all ? all + 1 : pairs > all / 2 ? all : 2 * pairs;
}

/* Sets the messages of a sender: WINDOW messages in flight, or fewer with a total of IN_FLIGHT_BYTES, and as many windows as
 * needed for the messages or bytes of a repetition. */
static void set_messages(struct mpg_sharing_case *c, int64_t window, int64_t in_flight_bytes)
{
    int64_t fits = in_flight_bytes / c->size_bytes;
    if (c->directions == MPG_SHARING_OPPOSITE || c->directions == MPG_SHARING_LEAD) {
        c->window = c->messages = 1;
        return;
    }
    c->window = fits < 1 ? 1 : fits < window ? fits : window;
    int64_t windows = MPG_SHARING_MESSAGES / c->window, enough = MPG_SHARING_BYTES / (c->window * c->size_bytes);
    windows = windows < enough ? windows : enough;
    c->messages = c->window * (windows < 1 ? 1 : windows);
}

/* Returns whether the directions of C are measured with the pairs and the size of C. */
static bool is_measured(const struct mpg_sharing_case *c)
{
    if (c->directions == MPG_SHARING_OPPOSITE)
        return c->pairs <= MPG_SHARING_OPPOSITE_PAIRS && c->size_bytes >= MPG_SHARING_OPPOSITE_BYTES;
    if (c->directions == MPG_SHARING_LEAD)
        return c->pairs == MPG_SHARING_LEAD_PAIRS && c->size_bytes >= MPG_SHARING_OPPOSITE_BYTES;
    return true;
}

int mpg_sharing_cases_make(const struct mpg_sharing_group group[MPG_PATHS], const int64_t *size, int64_t n,
                           int64_t window, int64_t in_flight_bytes, int64_t max,
                           struct mpg_sharing_cases *cases, struct mpg_error *err)
{
    int groups = 0;
    *cases = (struct mpg_sharing_cases){0, NULL};
    for (int p = 0; p < MPG_PATHS; p++)
        for (int pairs = 1; group[p].pairs > 1 && pairs <= group[p].pairs; pairs = next_pairs(pairs, group[p].pairs)) {
            struct mpg_sharing_case made = {.path = (enum mpg_path)p, .pairs = pairs, .group = groups++, .max = max};
            for (int64_t i = 0; i < MPG_SHARING_LEAD * n; i++) {
                made.directions = 1 + (int)(i % MPG_SHARING_LEAD);
                made.size_bytes = size[i / MPG_SHARING_LEAD];
                if (!is_measured(&made))
                    continue;
                set_messages(&made, window, in_flight_bytes);
                if (add(cases, &made, err) < 0)
                    return -1;
            }
        }
    return 0;
}
