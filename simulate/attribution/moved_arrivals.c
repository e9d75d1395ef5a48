/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/attribution/moved_arrivals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "common/reserve.h"

struct mpg_moved_arrivals {
    uint32_t lanes, words;
    struct mpg_value *to;
    uint64_t *from;  /* [value in TO][lane]: 1 + origin as by pack(); 0: the value does not move */
    double *shift_ns; /* [value in TO][lane]: delay of the value after the value's origin, ns */
    uint32_t n, to_capacity, from_capacity, shift_capacity;
    struct mpg_map index; /* value -> 1 + index in TO */
    uint64_t *given;      /* words of bits: lanes whose origin has been recorded */
    double *term;         /* by lane: one term of a move, ns */
    bool failed;
};

struct mpg_moved_arrivals *mpg_moved_arrivals_new(uint32_t lanes, struct mpg_error *err)
{
    struct mpg_moved_arrivals *m = calloc(1, sizeof *m);
    if (!m)
        goto fail;
    m->lanes = lanes;
    m->words = mpg_provenance_words(lanes);
    m->given = calloc(m->words, sizeof *m->given);
    m->term = calloc(lanes, sizeof *m->term);
    if (m->given && m->term)
        return m;
fail:
    mpg_moved_arrivals_free(m);
    mpg_error_set(err, "out of memory");
    return NULL;
}

void mpg_moved_arrivals_free(struct mpg_moved_arrivals *m)
{
    if (!m)
        return;
    free(m->to);
    free(m->from);
    free(m->shift_ns);
    mpg_map_clear(&m->index);
    free(m->given);
    free(m->term);
    free(m);
}

/* --- moves --- */

static uint64_t pack(struct mpg_value v)
{
    return (uint64_t)v.part << 32 | v.number;
}

static struct mpg_value unpack(uint64_t packed)
{
    return (struct mpg_value){(uint32_t)packed, (enum mpg_value_part)(packed >> 32)};
}

/* Appends value TO, which does not move in any lane yet. Returns false if memory runs out. */
static bool append(struct mpg_moved_arrivals *m, struct mpg_value to)
{
    struct mpg_error err;
    if (mpg_reserve_at(&m->to, sizeof *m->to, &m->to_capacity, m->n + 1, &err) < 0 ||
        mpg_reserve_at(&m->from, m->lanes * sizeof *m->from, &m->from_capacity, m->n + 1, &err) < 0 ||
        mpg_reserve_at(&m->shift_ns, m->lanes * sizeof *m->shift_ns, &m->shift_capacity, m->n + 1, &err) < 0)
        return false;
    m->to[m->n] = to;
    memset(m->from + (size_t)m->n * m->lanes, 0, m->lanes * sizeof *m->from);
    memset(m->shift_ns + (size_t)m->n * m->lanes, 0, m->lanes * sizeof *m->shift_ns);
    m->n++;
    return true;
}

void mpg_moved_arrivals_set(struct mpg_moved_arrivals *m, struct mpg_value to, uint32_t w, struct mpg_value from, double shift_ns)
{
    uint64_t *place = m->failed ? NULL : mpg_map_add(&m->index, pack(to), 0);
    if (!place || (*place == 0 && !append(m, to))) {
        m->failed = true;
        return;
    }
    if (*place == 0)
        *place = m->n;
    const size_t i = (size_t)(*place - 1) * m->lanes + w;
    m->from[i] = pack(from) + 1;
    m->shift_ns[i] = shift_ns;
}

/* --- records --- */

static struct mpg_value moving(uint32_t i)
{
    return (struct mpg_value){i, MPG_VALUE_MOVING};
}

/* Sets in BITS, and in the lanes already given, the bits of the lanes from W on with the same origin as W. */
static void set_bits(struct mpg_moved_arrivals *m, const uint64_t *from, uint32_t w, uint64_t *bits)
{
    for (uint32_t i = w; i < m->lanes; i++)
        if (from[i] == from[w]) {
            m->given[i / 64] |= UINT64_C(1) << i % 64;
            bits[i / 64] |= UINT64_C(1) << i % 64;
        }
}

/* Returns, by lane, the shift if it has the sign SIGN, else 0. */
static const double *find_term(struct mpg_moved_arrivals *m, const double *shift_ns, double sign)
{
    for (uint32_t w = 0; w < m->lanes; w++)
        m->term[w] = sign * shift_ns[w] > 0 ? shift_ns[w] : 0;
    return m->term;
}

/* Records the origin of the I-th move for an intermediate value, because other moves may still read the value overwritten by this
 * move. */
static void report_moving(struct mpg_moved_arrivals *m, uint32_t i, struct mpg_provenance *provenance)
{
    const uint64_t *from = m->from + (size_t)i * m->lanes;
    const double *shift_ns = m->shift_ns + (size_t)i * m->lanes;
    memset(m->given, 0, m->words * sizeof *m->given);
    mpg_provenance_add(provenance, moving(i), UINT32_MAX);
    mpg_provenance_from(provenance, m->to[i], NULL, UINT32_MAX);
    for (uint32_t w = 0; w < m->lanes; w++)
        if (from[w] && !(m->given[w / 64] >> w % 64 & 1))
            set_bits(m, from, w, mpg_provenance_from(provenance, unpack(from[w] - 1), NULL, UINT32_MAX));
    mpg_provenance_add_term(provenance, MPG_CRITICAL_ABSORBED, find_term(m, shift_ns, -1));
    mpg_provenance_add_term(provenance, MPG_CRITICAL_ORDER, find_term(m, shift_ns, 1));
}

static int end(struct mpg_moved_arrivals *m, struct mpg_error *err)
{
    for (uint32_t i = 0; i < m->n; i++)
        mpg_map_remove(&m->index, pack(m->to[i]), 0);
    m->n = 0;
    return m->failed ? mpg_error_set(err, "out of memory for critical paths") : 0;
}

int mpg_moved_arrivals_report(struct mpg_moved_arrivals *m, struct mpg_provenance *provenance, struct mpg_error *err)
{
    for (uint32_t i = 0; i < m->n && !m->failed; i++)
        report_moving(m, i, provenance);
    for (uint32_t i = 0; i < m->n && !m->failed; i++) {
        mpg_provenance_add(provenance, m->to[i], UINT32_MAX);
        mpg_provenance_from(provenance, moving(i), NULL, UINT32_MAX);
    }
    return end(m, err);
}
