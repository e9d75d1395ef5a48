/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/engine/trail_lanes.h"

/* Sets the bits of lanes of CODE, of those whose message by E, a view, is of SOURCE (E is NULL: of all). */
static void set_bits(const struct mpg_tally *tally, const struct mpg_choosing *choice, const struct mpg_edge *e,
                     const uint32_t *codes, uint32_t code, int32_t source, uint64_t *bits)
{
    for (uint32_t w = 0; w < tally->n && bits; w++)
        if (codes[w] == code && (!e || mpg_choosing_source(choice, e->slot, w, e->source) == source))
            bits[w / 64] |= UINT64_C(1) << w % 64;
}

/* Whether a lane of CODE before W has a message of SOURCE by E. */
static bool is_told(const struct mpg_choosing *choice, const struct mpg_edge *e, const uint32_t *codes, uint32_t code, uint32_t w,
                    int32_t source)
{
    for (uint32_t i = 0; i < w; i++)
        if (codes[i] == code && mpg_choosing_source(choice, e->slot, i, e->source) == source)
            return true;
    return false;
}

int mpg_trail_add_lanes(struct mpg_trail *trail, struct mpg_tally *tally, const struct mpg_choosing *choice, const struct mpg_step *s,
                        const struct mpg_edge *e, const uint32_t *codes, uint32_t code, struct mpg_path_value from,
                        const double *terms, struct mpg_error *err)
{
    uint32_t between = UINT32_MAX;
    if (!choice || !tally->pairs || !e || !e->is_view) {
        if (e && tally->pairs && mpg_tally_edge(tally, s, e, &between, err) < 0)
            return -1;
        set_bits(tally, choice, NULL, codes, code, -1, mpg_trail_from(trail, from, terms, between));
        return 0;
    }
    for (uint32_t w = 0; w < tally->n; w++) {
        const int32_t source = mpg_choosing_source(choice, e->slot, w, e->source);
        if (codes[w] != code || is_told(choice, e, codes, code, w, source))
            continue;
        if (mpg_tally_between(tally, s->stream, source, s->rank, &between, err) < 0)
            return -1;
        set_bits(tally, choice, e, codes, code, source, mpg_trail_from(trail, from, terms, between));
    }
    return 0;
}
