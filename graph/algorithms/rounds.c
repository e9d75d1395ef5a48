/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a member sends in a round, pattern by pattern. */
#include "graph/algorithms/rounds.h"

static int32_t modulo(int64_t i, int32_t p)
{
    int64_t r = i % p;
    return (int32_t)(r < 0 ? r + p : r);
}

static uint32_t ceil_log2(int32_t p)
{
    uint32_t n = 0;
    while ((INT64_C(1) << n) < p)
        n++;
    return n;
}

double graph_blocks(const struct mpg_plan *plan, int64_t v, int32_t n)
{
    const double *before = plan->size.before;
    int32_t p = plan->size.p, from = modulo(v, p);
    if (!before)
        return n * plan->block_bytes;
    return from + n <= p ? before[from + n] - before[from]
                         : before[p] - before[from] + before[from + n - p];
}

/* --- a power of two --- */

/* The largest power of two of members that take part in the exchanges of recursive doubling and
 * halving. `rest` members are `gone`: each gives what it has to one that stays, and may get the result
 * from it. They are every other one of the first 2 `rest`, who gives to its neighbour, or the last ones,
 * who give to the first. */
struct fold {
    int32_t power, rest;
    uint32_t steps; /* log2 of power */
    enum goes { EVEN_GO, ODD_GO, LAST_GO } goes;
};

static enum goes who_goes(enum mpg_pattern pattern)
{
    return pattern == MPG_PATTERN_HALVING_UP ? ODD_GO
           : pattern == MPG_PATTERN_BARRIER_DOUBLING  ? LAST_GO
                                             : EVEN_GO;
}

static struct fold fold_of(int32_t p, enum goes goes)
{
    struct fold f = {.power = 1, .goes = goes};
    while (2 * (int64_t)f.power <= p) {
        f.power *= 2;
        f.steps++;
    }
    f.rest = p - f.power;
    return f;
}

static bool is_gone(const struct fold *f, int32_t v)
{
    if (f->goes == LAST_GO)
        return v >= f->power;
    return v < 2 * (int64_t)f->rest && (v % 2 == 1) == (f->goes == ODD_GO);
}

/* To whom V, which is gone, gives. */
static int32_t taker_of(const struct fold *f, int32_t v)
{
    return f->goes == LAST_GO ? v - f->power : f->goes == ODD_GO ? v - 1 : v + 1;
}

/* Who gave to that which stays and has NUMBER < rest. */
static int32_t giver_of(const struct fold *f, int32_t number)
{
    return f->goes == LAST_GO ? f->power + number : 2 * number + (f->goes == ODD_GO);
}

/* A member's number among those that stay, and back. */
static int32_t number_of(const struct fold *f, int32_t v)
{
    if (f->goes == LAST_GO)
        return v;
    return v < 2 * (int64_t)f->rest ? v / 2 : v - f->rest;
}

static int32_t member_of(const struct fold *f, int32_t number)
{
    if (f->goes == LAST_GO)
        return number;
    return number < f->rest ? 2 * number + (f->goes == EVEN_GO) : number + f->rest;
}

/* How many exchanges there are between the fold and what follows. */
static uint32_t exchanges(enum mpg_pattern pattern, const struct fold *f)
{
    bool twice = pattern == MPG_PATTERN_RABENSEIFNER || pattern == MPG_PATTERN_HALVING_UP;
    return twice ? 2 * f->steps : f->steps;
}

static bool is_folded(enum mpg_pattern pattern)
{
    return pattern == MPG_PATTERN_BARRIER_DOUBLING || pattern == MPG_PATTERN_DOUBLING ||
           pattern == MPG_PATTERN_RABENSEIFNER ||
           pattern == MPG_PATTERN_HALVING_UP || pattern == MPG_PATTERN_HALVING ||
           pattern == MPG_PATTERN_SCATTER_DOUBLING || pattern == MPG_PATTERN_BUTTERFLY;
}

static uint32_t rounds_after(enum mpg_pattern pattern, const struct fold *f)
{
    if (pattern == MPG_PATTERN_BUTTERFLY)
        return 1 + (f->rest > 0);
    return pattern == MPG_PATTERN_HALVING_UP ? 0 : f->rest > 0;
}

/* Bytes of the blocks of N numbers from FIRST on, with those of the members that are gone: theirs
 * stand, two by two, one after the other. */
static double blocks_of(const struct mpg_plan *plan, const struct fold *f, int32_t first, int32_t n)
{
    int32_t end = first + n;
    int32_t low = first < f->rest ? 2 * first : first + f->rest;
    int32_t high = end < f->rest ? 2 * end : end + f->rest;
    return graph_blocks(plan, low, high - low);
}

/* Of the halves that NUMBER has got down to before STEP of a butterfly, the blocks that it gives. */
static double given_half(const struct mpg_plan *plan, const struct fold *f, uint32_t step,
                         int32_t number)
{
    int32_t first = 0, half = f->power / 2;
    for (uint32_t i = 0; i < step; i++, half /= 2)
        first += (number >> i & 1) * half;
    return blocks_of(plan, f, first + (number >> step & 1 ? 0 : half), half);
}

/* Exchange STEP of NUMBER; false: it only receives, or rests. */
static bool exchange(const struct mpg_plan *plan, enum mpg_pattern pattern, const struct fold *f,
                     uint32_t step, int32_t number, struct mpg_message *m)
{
    bool back = step >= f->steps;
    int32_t distance = (int32_t)1 << (back ? 2 * f->steps - 1 - step : step);
    m->bytes = plan->vector_bytes;
    switch (pattern) {
    case MPG_PATTERN_HALVING_UP: /* what is gathered at number 0 goes one way */
        if (back && ((number & distance) == 0 || number >= 2 * (int64_t)distance))
            return false;
        m->bytes = plan->vector_bytes / (2.0 * distance);
        break;
    case MPG_PATTERN_RABENSEIFNER:
        m->bytes = plan->vector_bytes / (2.0 * distance);
        break;
    case MPG_PATTERN_BUTTERFLY:
        m->bytes = given_half(plan, f, step, number);
        break;
    case MPG_PATTERN_SCATTER_DOUBLING:
        m->bytes -= blocks_of(plan, f, number & ~(distance - 1), distance);
        break;
    case MPG_PATTERN_HALVING:
        distance = f->power >> (step + 1);
        m->bytes = blocks_of(plan, f, (number ^ distance) & ~(distance - 1), distance);
        break;
    default:
        break;
    }
    m->to = member_of(f, number ^ distance);
    return true;
}

static int32_t mirrored(int32_t number, uint32_t bits)
{
    int32_t result = 0;
    for (uint32_t i = 0; i < bits; i++)
        result |= (number >> i & 1) << (bits - 1 - i);
    return result;
}

/* Results go to whose they are: ROUND 0 and 1 after a butterfly, 0 after others. */
static bool after_exchanges(const struct mpg_plan *plan, enum mpg_pattern pattern,
                            const struct fold *f, uint32_t round, int32_t v,
                            struct mpg_message *m)
{
    if (is_gone(f, v))
        return false;
    int32_t number = number_of(f, v);
    if (pattern == MPG_PATTERN_BUTTERFLY) {
        number = mirrored(number, f->steps);
        m->to = round == 0 ? member_of(f, number) : giver_of(f, number);
        m->bytes = graph_blocks(plan, m->to, 1);
        return round == 0 ? m->to != v : number < f->rest;
    }
    if (number >= f->rest)
        return false;
    m->to = giver_of(f, number);
    m->bytes = pattern == MPG_PATTERN_HALVING || pattern == MPG_PATTERN_SCATTER_DOUBLING
                   ? graph_blocks(plan, m->to, 1)
                   : plan->vector_bytes;
    return true;
}

static bool folded(const struct mpg_plan *plan, enum mpg_pattern pattern, uint32_t round,
                   int32_t v, struct mpg_message *m)
{
    struct fold f = fold_of(plan->size.p, who_goes(pattern));
    uint32_t steps = exchanges(pattern, &f);
    m->reduces = pattern != MPG_PATTERN_BARRIER_DOUBLING;
    if (f.rest > 0 && round-- == 0) {
        m->to = taker_of(&f, v);
        m->bytes = plan->vector_bytes;
        return is_gone(&f, v);
    }
    m->reduces = m->reduces && round < f.steps; /* what follows goes to whose result it is */
    if (round >= steps)
        return after_exchanges(plan, pattern, &f, round - steps, v, m);
    return !is_gone(&f, v) && exchange(plan, pattern, &f, round, number_of(&f, v), m);
}

/* --- all others --- */

/* How many of 0 .. p - 1 have bit K. */
static int32_t with_bit(int32_t p, uint32_t k)
{
    int64_t cycle = INT64_C(2) << k, half = cycle / 2, last = p % cycle;
    return (int32_t)(p / cycle * half + (last > half ? last - half : 0));
}

/* Members that exchange what they got last with one neighbour and the other in turn; two blocks,
 * those of members 2 q and 2 q + 1, but in the first round their own. */
static void neighbor(const struct mpg_plan *plan, uint32_t round, int32_t v,
                     struct mpg_message *m)
{
    int32_t p = plan->size.p, pair = v / 2, shift = (int32_t)(round / 2);
    bool to_right = (v % 2 == 0) == (round % 2 == 0);
    m->to = modulo((int64_t)v + (to_right ? 1 : -1), p);
    if (round == 0) {
        m->bytes = graph_blocks(plan, v, 1);
        return;
    }
    bool even_round = round % 2 == 0, even = v % 2 == 0;
    int64_t q = even == even_round ? (int64_t)pair - shift : (int64_t)pair + shift;
    m->bytes = graph_blocks(plan, 2 * (int64_t)modulo(q, p / 2), 2);
}

/* --- an allgather by doubling that goes on where partners are missing --- */

/* How many of the group of 2 DISTANCE members that p cuts off are there beyond its first DISTANCE,
 * each of which wants a partner; 0: p cuts none off so, as DISTANCE or none are there. */
static int32_t partners_left(int32_t p, int64_t distance)
{
    int64_t rest = p % (2 * distance);
    return rest > distance ? (int32_t)(rest - distance) : 0;
}

static uint32_t uneven_rounds(int32_t p)
{
    uint32_t rounds = 0;
    for (uint32_t k = 0; k < ceil_log2(p); k++)
        rounds += 1 + (partners_left(p, INT64_C(1) << k) > 0 ? k : 0);
    return rounds;
}

/* Exchanges with who is at DISTANCE, as far as there is one. */
static bool gather_from(const struct mpg_plan *plan, int64_t distance, int32_t v,
                        struct mpg_message *m)
{
    int64_t group = v & ~(distance - 1), to = v ^ distance, p = plan->size.p;
    if (to >= p)
        return false;
    m->to = (int32_t)to;
    m->bytes = (double)(distance < p - group ? distance : p - group) * plan->block_bytes;
    return true;
}

/* Those of a group of DISTANCE whose partners were missing get what they would have had from them
 * from the others of their group, who are N: at distance STEP, halved from round to round. */
static bool pass_on(const struct mpg_plan *plan, int64_t distance, int64_t step, int32_t v,
                    struct mpg_message *m)
{
    int32_t n = partners_left(plan->size.p, distance);
    int64_t upper = plan->size.p - n, group = upper - distance;
    int64_t in_half = (v - group) & (2 * step - 1);
    if (v < group || v >= upper || in_half >= step || in_half >= n || in_half + step < n)
        return false;
    m->to = (int32_t)(v + step);
    m->bytes = n * plan->block_bytes;
    return true;
}

static bool gather_uneven(const struct mpg_plan *plan, uint32_t round, int32_t v,
                          struct mpg_message *m)
{
    for (uint32_t k = 0; k < ceil_log2(plan->size.p); k++) {
        int64_t distance = INT64_C(1) << k;
        uint32_t more = partners_left(plan->size.p, distance) > 0 ? k : 0;
        if (round == 0)
            return gather_from(plan, distance, v, m);
        if (round <= more)
            return pass_on(plan, distance, distance >> round, v, m);
        round -= 1 + more;
    }
    return false;
}

/* --- a round --- */

/* Bytes of segment S of a pipeline. */
static double segment(const struct mpg_plan *plan, uint32_t s)
{
    double rest = plan->vector_bytes - s * plan->segment_bytes;
    return rest < plan->segment_bytes ? rest : plan->segment_bytes;
}

/* What v sends to each of the others in an Alltoall. */
static double to_each(const struct mpg_plan *plan, int32_t v)
{
    return plan->size.before ? graph_blocks(plan, v, 1) / (plan->size.p - 1) : plan->block_bytes;
}

bool mpg_round_message(const struct mpg_plan *plan, const struct mpg_phase *phase, uint32_t round,
                       int32_t v, struct mpg_message *m)
{
    int32_t p = plan->size.p;
    int64_t distance = phase->rounds <= 32 ? INT64_C(1) << round : 0, s;
    m->from = v;
    m->round = phase->first_round + round;
    m->bytes = 0;
    m->reduces = phase->reduces;
    if (is_folded(phase->pattern))
        return folded(plan, phase->pattern, round, v, m);
    switch (phase->pattern) {
    case MPG_PATTERN_DISSEMINATION:
        m->to = modulo(v + distance, p);
        return true;
    case MPG_PATTERN_BRUCK:
        m->to = modulo(v - distance, p);
        m->bytes = graph_blocks(plan, v, (int32_t)(distance < p - distance ? distance
                                                                            : p - distance));
        return true;
    case MPG_PATTERN_GATHER_DOUBLING: /* of a power of two; its blocks begin at one of distance */
        m->to = v ^ (int32_t)distance;
        m->bytes = graph_blocks(plan, v & ~(distance - 1), (int32_t)distance);
        return true;
    case MPG_PATTERN_GATHER_UNEVEN:
        return gather_uneven(plan, round, v, m);
    case MPG_PATTERN_RING:
        m->to = modulo((int64_t)v + 1, p);
        m->bytes = phase->equal ? plan->block_bytes : graph_blocks(plan, (int64_t)v - round, 1);
        return true;
    case MPG_PATTERN_PIECES:
        m->to = modulo((int64_t)v + 1, p);
        m->bytes = plan->vector_bytes / p;
        m->reduces = round < (uint32_t)p - 1;
        return true;
    case MPG_PATTERN_REDUCING_RING:
        m->reduces = true;
        m->to = modulo((int64_t)v + 1, p);
        m->bytes = graph_blocks(plan, (int64_t)v - 1 - round, 1);
        return true;
    case MPG_PATTERN_NEIGHBOR:
        neighbor(plan, round, v, m);
        return true;
    case MPG_PATTERN_PAIRWISE:
        m->to = modulo((int64_t)v + 1 + round, p);
        m->bytes = to_each(plan, v);
        return true;
    case MPG_PATTERN_SPREAD:
        m->to = modulo((int64_t)v + 1 + round, p);
        m->bytes = graph_blocks(plan, v, 1);
        return true;
    case MPG_PATTERN_BLOCKWISE:
        m->reduces = true;
        m->to = modulo((int64_t)v + 1 + round, p);
        m->bytes = graph_blocks(plan, m->to, 1);
        return true;
    case MPG_PATTERN_TRANSPOSE:
        m->to = modulo(v + distance, p);
        m->bytes = with_bit(p, round) * plan->block_bytes;
        return true;
    case MPG_PATTERN_PIPELINE_DOWN:
        s = (int64_t)round - v;
        m->to = v + 1;
        if (v + 1 >= p || s < 0 || s >= plan->segments)
            return false;
        m->bytes = segment(plan, (uint32_t)s);
        return true;
    case MPG_PATTERN_PIPELINE_UP:
        s = (int64_t)round - (p - 1 - v);
        m->to = v - 1;
        if (v == 0 || s < 0 || s >= plan->segments)
            return false;
        m->bytes = segment(plan, (uint32_t)s);
        return true;
    case MPG_PATTERN_PREFIX:
        m->to = v ^ (int32_t)distance;
        m->bytes = plan->vector_bytes;
        return m->to < p;
    default:
        return false;
    }
}

uint32_t graph_rounds_of_pattern(const struct mpg_plan *plan, enum mpg_pattern pattern)
{
    int32_t p = plan->size.p;
    if (is_folded(pattern)) {
        struct fold f = fold_of(p, who_goes(pattern));
        return (f.rest > 0) + exchanges(pattern, &f) + rounds_after(pattern, &f);
    }
    switch (pattern) {
    case MPG_PATTERN_GATHER_UNEVEN:
        return uneven_rounds(p);
    case MPG_PATTERN_RING:
    case MPG_PATTERN_REDUCING_RING:
    case MPG_PATTERN_PAIRWISE:
    case MPG_PATTERN_SPREAD:
    case MPG_PATTERN_BLOCKWISE:
        return (uint32_t)p - 1;
    case MPG_PATTERN_PIECES:
        return 2 * ((uint32_t)p - 1);
    case MPG_PATTERN_NEIGHBOR:
        return (uint32_t)p / 2;
    case MPG_PATTERN_PIPELINE_DOWN:
    case MPG_PATTERN_PIPELINE_UP:
        return plan->segments + (uint32_t)p - 2;
    default:
        return ceil_log2(p);
    }
}

void mpg_round_senders(const struct mpg_plan *plan, const struct mpg_phase *phase, uint32_t round,
                       int32_t *low, int32_t *high)
{
    int32_t p = plan->size.p;
    *low = 0;
    *high = p;
    if (phase->pattern != MPG_PATTERN_PIPELINE_DOWN && phase->pattern != MPG_PATTERN_PIPELINE_UP)
        return;
    /* counted from the end where the chain begins, segment SEGMENTS - 1 is at FIRST */
    int64_t first = (int64_t)round - (plan->segments - 1), last = (int64_t)round;
    first = first < 0 ? 0 : first;
    last = last > p - 2 ? p - 2 : last;
    if (phase->pattern == MPG_PATTERN_PIPELINE_DOWN) {
        *low = (int32_t)first;
        *high = (int32_t)last + 1;
    } else {
        *low = (int32_t)(p - 1 - last);
        *high = (int32_t)(p - first);
    }
}
