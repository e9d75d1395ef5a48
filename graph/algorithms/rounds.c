/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The patterns of the algorithms: the message of a member in a round. */
#include "graph/algorithms/descriptors.h"

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

double mpg_graph_blocks(const struct mpg_plan *plan, int64_t v, int32_t n)
{
    const double *before = plan->size.before;
    int32_t p = plan->size.p, from = modulo(v, p);
    if (!before)
        return n * plan->block_bytes;
    return from + n <= p ? before[from + n] - before[from]
                         : before[p] - before[from] + before[from + n - p];
}

/* --- numbers of rounds --- */

static uint32_t log2_rounds(const struct turn *t)
{
    return ceil_log2(t->plan->size.p);
}

static uint32_t a_round_each_other(const struct turn *t)
{
    return (uint32_t)t->plan->size.p - 1;
}

static uint32_t twice_each_other(const struct turn *t)
{
    return 2 * ((uint32_t)t->plan->size.p - 1);
}

static uint32_t half_as_many(const struct turn *t)
{
    return (uint32_t)t->plan->size.p / 2;
}

/* --- folding to a power of two of members --- */

/* Recursive doubling and halving need a power of two of members: `power`, the largest power of two <= p, members take part in
 * the exchanges ("remaining" members). Each of the `rest` = p - power members ("gone") first gives the member's data to a
 * remaining member and can get the result from this remaining member. EVEN_GO, ODD_GO: of the first 2 * rest members the even,
 * or odd, members are gone and give to a neighbour. LAST_GO: the last `rest` members are gone and give to the first `rest`. */
enum gone_members { EVEN_GO, ODD_GO, LAST_GO };
struct fold {
    int32_t power, rest;
    uint32_t steps; /* log2 of power */
    enum gone_members gone_members;
};

/* Exchange number STEP, between the remaining members NUMBER and NUMBER ^ DISTANCE (numbered without gone members). */
struct exchange {
    struct fold f;
    uint32_t step;
    int32_t number, distance;
};

struct fold_rule {
    enum gone_members gone_members;
    bool is_twice; /* all exchanges are made a second time, in reverse order */
    bool reduces;  /* receivers reduce in the first pass of exchanges, not in the reversed exchanges and later */
    /* Sets M's bytes, for the member e->number as sender. Returns false if the member sends nothing in this exchange. */
    bool (*exchange)(const struct mpg_plan *plan, const struct exchange *e, struct mpg_message *m);
    int32_t (*distance)(const struct fold *f, uint32_t step);
    /* Sets receiver and bytes of the message M, whose sender is a remaining member, in round ROUND after the exchanges.
     * Returns false if the sender sends nothing. NULL: no rounds follow the exchanges. */
    bool (*give)(const struct mpg_plan *plan, const struct fold *f, uint32_t round, struct mpg_message *m);
    uint32_t own_rounds; /* rounds after the exchanges that exist even if no member is gone */
};

static struct fold fold_of(int32_t p, enum gone_members gone_members)
{
    struct fold f = {.power = 1, .gone_members = gone_members};
    while (2 * (int64_t)f.power <= p) {
        f.power *= 2;
        f.steps++;
    }
    f.rest = p - f.power;
    return f;
}

static bool is_gone(const struct fold *f, int32_t v)
{
    if (f->gone_members == LAST_GO)
        return v >= f->power;
    return v < 2 * (int64_t)f->rest && (v % 2 == 1) == (f->gone_members == ODD_GO);
}

/* Returns the remaining member that gets the data of V, a gone member. */
static int32_t receiver_from_gone(const struct fold *f, int32_t v)
{
    return f->gone_members == LAST_GO ? v - f->power : f->gone_members == ODD_GO ? v - 1 : v + 1;
}

/* Returns the gone member whose data remaining member NUMBER < rest has received. */
static int32_t giver_of(const struct fold *f, int32_t number)
{
    return f->gone_members == LAST_GO ? f->power + number : 2 * number + (f->gone_members == ODD_GO);
}

/* number_of() and member_of() convert between a member and its number among the remaining members. */
static int32_t number_of(const struct fold *f, int32_t v)
{
    if (f->gone_members == LAST_GO)
        return v;
    return v < 2 * (int64_t)f->rest ? v / 2 : v - f->rest;
}

static int32_t member_of(const struct fold *f, int32_t number)
{
    if (f->gone_members == LAST_GO)
        return number;
    return number < f->rest ? 2 * number + (f->gone_members == EVEN_GO) : number + f->rest;
}

/* Returns the bytes of the blocks of N remaining members from number FIRST on, and of the gone members that gave data to any
 * of the N. These blocks are contiguous, because gone members give to neighbours. */
static double blocks_of(const struct mpg_plan *plan, const struct fold *f, int32_t first, int32_t n)
{
    int32_t end = first + n;
    int32_t low = first < f->rest ? 2 * first : first + f->rest;
    int32_t high = end < f->rest ? 2 * end : end + f->rest;
    return mpg_graph_blocks(plan, low, high - low);
}

/* Returns the distance of exchange STEP: 1, 2, 4 ..., and in the reversed exchanges back to 1. */
static int32_t doubled(const struct fold *f, uint32_t step)
{
    return (int32_t)1 << (step < f->steps ? step : 2 * f->steps - 1 - step);
}

static int32_t halved(const struct fold *f, uint32_t step)
{
    return f->power >> (step + 1);
}

static bool exchange_vectors(const struct mpg_plan *plan, const struct exchange *e, struct mpg_message *m)
{
    (void)e;
    m->bytes = plan->vector_bytes;
    return true;
}

static bool exchange_parts(const struct mpg_plan *plan, const struct exchange *e, struct mpg_message *m)
{
    m->bytes = plan->vector_bytes / (2.0 * e->distance);
    return true;
}

/* Sends as exchange_parts() does. The reversed exchanges are a gather to remaining member 0, in which members send only
 * towards number 0. */
static bool gather_parts(const struct mpg_plan *plan, const struct exchange *e, struct mpg_message *m)
{
    if (e->step >= e->f.steps && ((e->number & e->distance) == 0 || e->number >= 2 * (int64_t)e->distance))
        return false;
    return exchange_parts(plan, e, m);
}

/* Sends to the partner the blocks of the partner's half of the members. */
static bool exchange_halves(const struct mpg_plan *plan, const struct exchange *e, struct mpg_message *m)
{
    m->bytes = blocks_of(plan, &e->f, (e->number ^ e->distance) & ~(e->distance - 1), e->distance);
    return true;
}

/* Sends all of the vector but the blocks of the members in the sender's group of DISTANCE members. */
static bool exchange_other_groups(const struct mpg_plan *plan, const struct exchange *e, struct mpg_message *m)
{
    m->bytes = plan->vector_bytes - blocks_of(plan, &e->f, e->number & ~(e->distance - 1), e->distance);
    return true;
}

/* Sends half of the part of the vector that the member still reduces: the half that the partner goes on with. */
static bool exchange_butterfly(const struct mpg_plan *plan, const struct exchange *e, struct mpg_message *m)
{
    int32_t first = 0, half = e->f.power / 2;
    for (uint32_t i = 0; i < e->step; i++, half /= 2)
        first += (e->number >> i & 1) * half;
    m->bytes = blocks_of(plan, &e->f, first + (e->number >> e->step & 1 ? 0 : half), half);
    return true;
}

/* Sends the whole result to the gone member whose data the sender took. */
static bool give_vector(const struct mpg_plan *plan, const struct fold *f, uint32_t round, struct mpg_message *m)
{
    const int32_t number = number_of(f, m->from);
    (void)round; /* there is only one round */
    if (number >= f->rest)
        return false;
    m->to = giver_of(f, number);
    m->bytes = plan->vector_bytes;
    return true;
}

/* A sender that took the data of a gone member sends to the gone member this member's block of the result. */
static bool give_block(const struct mpg_plan *plan, const struct fold *f, uint32_t round, struct mpg_message *m)
{
    if (!give_vector(plan, f, round, m))
        return false;
    m->bytes = mpg_graph_blocks(plan, m->to, 1);
    return true;
}

static int32_t mirrored(int32_t number, uint32_t bits)
{
    int32_t result = 0;
    for (uint32_t i = 0; i < bits; i++)
        result |= (number >> i & 1) << (bits - 1 - i);
    return result;
}

/* After a butterfly a remaining member holds the result of another member: the member whose number has the bits in reverse
 * order. Sends the results to these members (round 0), then to the gone members. */
static bool give_mirrored(const struct mpg_plan *plan, const struct fold *f, uint32_t round, struct mpg_message *m)
{
    const int32_t number = mirrored(number_of(f, m->from), f->steps);
    m->to = round == 0 ? member_of(f, number) : giver_of(f, number);
    m->bytes = mpg_graph_blocks(plan, m->to, 1);
    return round == 0 ? m->to != m->from : number < f->rest;
}

static uint32_t exchanges(const struct fold_rule *rule, const struct fold *f)
{
    return rule->is_twice ? 2 * f->steps : f->steps;
}

static uint32_t folded_rounds(const struct turn *t)
{
    const struct fold_rule *rule = t->phase->pattern->fold;
    const struct fold f = fold_of(t->plan->size.p, rule->gone_members);
    return (f.rest > 0) + exchanges(rule, &f) + (rule->give ? rule->own_rounds + (f.rest > 0) : 0);
}

static bool folded(const struct turn *t, struct mpg_message *m)
{
    const struct fold_rule *rule = t->phase->pattern->fold;
    struct exchange e = {.f = fold_of(t->plan->size.p, rule->gone_members), .step = t->round};
    const uint32_t steps = exchanges(rule, &e.f);
    m->reduces = rule->reduces;
    if (e.f.rest > 0 && e.step-- == 0) {
        m->to = receiver_from_gone(&e.f, t->v);
        m->bytes = t->plan->vector_bytes;
        return is_gone(&e.f, t->v);
    }
    /* Receivers reduce only in the first pass of exchanges; later messages carry results. */
    m->reduces = m->reduces && e.step < e.f.steps;
    if (is_gone(&e.f, t->v))
        return false;
    if (e.step >= steps)
        return rule->give(t->plan, &e.f, e.step - steps, m);
    e.number = number_of(&e.f, t->v);
    e.distance = rule->distance(&e.f, e.step);
    m->to = member_of(&e.f, e.number ^ e.distance);
    return rule->exchange(t->plan, &e, m);
}

#define FOLDED(name, ...) \
    const struct mpg_pattern name = {.message = folded, .rounds = folded_rounds, .fold = &(const struct fold_rule){__VA_ARGS__}}

FOLDED(mpg_graph_recursive_doubling_barrier, LAST_GO, .exchange = exchange_vectors, .distance = doubled, .give = give_vector);
FOLDED(mpg_graph_recursive_doubling_allreduce, EVEN_GO, .reduces = true, .exchange = exchange_vectors, .distance = doubled,
       .give = give_vector);
FOLDED(mpg_graph_rabenseifner_allreduce, EVEN_GO, .is_twice = true, .reduces = true, .exchange = exchange_parts,
       .distance = doubled, .give = give_vector);
FOLDED(mpg_graph_rabenseifner_reduce, ODD_GO, .is_twice = true, .reduces = true, .exchange = gather_parts, .distance = doubled);
FOLDED(mpg_graph_recursive_halving, EVEN_GO, .reduces = true, .exchange = exchange_halves, .distance = halved,
       .give = give_block);
FOLDED(mpg_graph_recursive_doubling_reduce_scatter, EVEN_GO, .reduces = true, .exchange = exchange_other_groups,
       .distance = doubled, .give = give_block);
FOLDED(mpg_graph_butterfly, EVEN_GO, .reduces = true, .exchange = exchange_butterfly, .distance = doubled, .give = give_mirrored,
       .own_rounds = 1);

/* --- barrier --- */

/* Returns the distance between sender and receiver in ROUND: 1, 2, 4 ... */
static int64_t distance_in(uint32_t round)
{
    return INT64_C(1) << round;
}

static bool disseminate(const struct turn *t, struct mpg_message *m)
{
    m->to = modulo(t->v + distance_in(t->round), t->plan->size.p);
    return true;
}

const struct mpg_pattern mpg_graph_dissemination = {.message = disseminate, .rounds = log2_rounds};

/* --- pipelines --- */

/* Sets M's bytes to the size of segment S of a pipeline. Returns false if the pipeline has no segment S. */
static bool send_segment(const struct mpg_plan *plan, int64_t s, struct mpg_message *m)
{
    if (s < 0 || s >= plan->segments)
        return false;
    const double rest = plan->vector_bytes - (double)s * plan->segment_bytes;
    m->bytes = rest < plan->segment_bytes ? rest : plan->segment_bytes;
    return true;
}

static bool send_down(const struct turn *t, struct mpg_message *m)
{
    m->to = t->v + 1;
    return m->to < t->plan->size.p && send_segment(t->plan, (int64_t)t->round - t->v, m);
}

static bool send_up(const struct turn *t, struct mpg_message *m)
{
    m->to = t->v - 1;
    return t->v > 0 && send_segment(t->plan, (int64_t)t->round - (t->plan->size.p - 1 - t->v), m);
}

static uint32_t pipeline_rounds(const struct turn *t)
{
    return t->plan->segments + (uint32_t)t->plan->size.p - 2;
}

/* Sets the range of senders in ROUND, *LOW .. *HIGH - 1, in a pipeline that starts at member 0: member v sends segment
 * ROUND - v. */
static void senders_down(const struct mpg_plan *plan, uint32_t round, int32_t *low, int32_t *high)
{
    const int64_t first = (int64_t)round - (plan->segments - 1), last = round;
    *low = (int32_t)(first < 0 ? 0 : first);
    *high = last > plan->size.p - 2 ? plan->size.p - 1 : (int32_t)last + 1;
}

static void senders_up(const struct mpg_plan *plan, uint32_t round, int32_t *low, int32_t *high)
{
    int32_t first, end;
    senders_down(plan, round, &first, &end);
    *low = plan->size.p - end;
    *high = plan->size.p - first;
}

const struct mpg_pattern mpg_graph_pipeline_down = {.message = send_down, .rounds = pipeline_rounds, .senders = senders_down};
const struct mpg_pattern mpg_graph_pipeline_up = {.message = send_up, .rounds = pipeline_rounds, .senders = senders_up};

/* --- allgather --- */

static bool gather_bruck(const struct turn *t, struct mpg_message *m)
{
    const int64_t distance = distance_in(t->round), p = t->plan->size.p;
    m->to = modulo(t->v - distance, t->plan->size.p);
    m->bytes = mpg_graph_blocks(t->plan, t->v, (int32_t)(distance < p - distance ? distance : p - distance));
    return true;
}

const struct mpg_pattern mpg_graph_bruck_allgather = {.message = gather_bruck, .rounds = log2_rounds};

static bool is_power_of_two(int32_t p)
{
    return (p & (p - 1)) == 0;
}

/* Each member sends the blocks gathered so far: the blocks of the member's aligned group of DISTANCE members. */
static bool gather_doubling(const struct turn *t, struct mpg_message *m)
{
    const int64_t distance = distance_in(t->round);
    m->to = t->v ^ (int32_t)distance;
    m->bytes = mpg_graph_blocks(t->plan, t->v & ~(distance - 1), (int32_t)distance);
    return true;
}

const struct mpg_pattern mpg_graph_recursive_doubling_allgather = {
    .message = gather_doubling, .rounds = log2_rounds, .fits = is_power_of_two, .otherwise = &mpg_graph_bruck_allgather};

static bool pass_around(const struct turn *t, struct mpg_message *m)
{
    m->to = modulo((int64_t)t->v + 1, t->plan->size.p);
    m->bytes = t->phase->equal ? t->plan->block_bytes : mpg_graph_blocks(t->plan, (int64_t)t->v - t->round, 1);
    return true;
}

const struct mpg_pattern mpg_graph_ring_allgather = {.message = pass_around, .rounds = a_round_each_other};

/* Each member exchanges blocks with the two neighbours in turn: in the first round the member's own block, then the two blocks
 * received last, of members 2 q and 2 q + 1. */
static bool neighbor(const struct turn *t, struct mpg_message *m)
{
    int32_t p = t->plan->size.p, pair = t->v / 2, shift = (int32_t)(t->round / 2);
    bool to_right = (t->v % 2 == 0) == (t->round % 2 == 0);
    m->to = modulo((int64_t)t->v + (to_right ? 1 : -1), p);
    if (t->round == 0) {
        m->bytes = mpg_graph_blocks(t->plan, t->v, 1);
        return true;
    }
    bool even_round = t->round % 2 == 0, even = t->v % 2 == 0;
    int64_t q = even == even_round ? (int64_t)pair - shift : (int64_t)pair + shift;
    m->bytes = mpg_graph_blocks(t->plan, 2 * (int64_t)modulo(q, p / 2), 2);
    return true;
}

static bool is_even(int32_t p)
{
    return p % 2 == 0;
}

const struct mpg_pattern mpg_graph_neighbor_exchange = {
    .message = neighbor, .rounds = half_as_many, .fits = is_even, .otherwise = &mpg_graph_ring_allgather};

static bool send_block_to_each(const struct turn *t, struct mpg_message *m)
{
    m->to = modulo((int64_t)t->v + 1 + t->round, t->plan->size.p);
    m->bytes = mpg_graph_blocks(t->plan, t->v, 1);
    return true;
}

const struct mpg_pattern mpg_graph_pairwise_allgather = {.message = send_block_to_each, .rounds = a_round_each_other};

/* --- allgather by recursive doubling, with extra rounds for missing partners (MPICH) --- */

/* Returns the number of members in the second half of the last group of 2 DISTANCE members, if the half is incomplete; 0 if
 * the half is complete or empty. An equal number of members of the first half have a partner in the second half; the rest have
 * no partner. */
static int32_t partners_left(int32_t p, int64_t distance)
{
    int64_t rest = p % (2 * distance);
    return rest > distance ? (int32_t)(rest - distance) : 0;
}

static uint32_t rounds_of_any(const struct turn *t)
{
    const int32_t p = t->plan->size.p;
    uint32_t rounds = 0;
    for (uint32_t k = 0; k < ceil_log2(p); k++)
        rounds += 1 + (partners_left(p, INT64_C(1) << k) > 0 ? k : 0);
    return rounds;
}

/* Sets M to the message from V to the partner at DISTANCE: the blocks of V's group of DISTANCE members. Returns false if V has
 * no partner. */
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

/* In the last group of 2 DISTANCE members only N members of the first half have a partner and get the blocks of the second
 * half. These members pass the blocks on to the rest of the first half, each to the member at distance STEP, which is halved
 * from round to round. */
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

static bool gather_of_any(const struct turn *t, struct mpg_message *m)
{
    uint32_t round = t->round;
    for (uint32_t k = 0; k < ceil_log2(t->plan->size.p); k++) {
        int64_t distance = distance_in(k);
        uint32_t more = partners_left(t->plan->size.p, distance) > 0 ? k : 0;
        if (round == 0)
            return gather_from(t->plan, distance, t->v, m);
        if (round <= more)
            return pass_on(t->plan, distance, distance >> round, t->v, m);
        round -= 1 + more;
    }
    return false;
}

const struct mpg_pattern mpg_graph_allgather_of_any = {.message = gather_of_any, .rounds = rounds_of_any};

/* --- alltoall --- */

static bool send_to_each(const struct turn *t, struct mpg_message *m)
{
    m->to = modulo((int64_t)t->v + 1 + t->round, t->plan->size.p);
    m->bytes = t->plan->size.before ? mpg_graph_blocks(t->plan, t->v, 1) / (t->plan->size.p - 1) : t->plan->block_bytes;
    return true;
}

const struct mpg_pattern mpg_graph_pairwise_alltoall = {.message = send_to_each, .rounds = a_round_each_other};

/* Returns how many of the numbers 0 .. p - 1 have bit K set. */
static int32_t with_bit(int32_t p, uint32_t k)
{
    int64_t cycle = INT64_C(2) << k, half = cycle / 2, last = p % cycle;
    return (int32_t)(p / cycle * half + (last > half ? last - half : 0));
}

static bool transpose_bruck(const struct turn *t, struct mpg_message *m)
{
    m->to = modulo(t->v + distance_in(t->round), t->plan->size.p);
    m->bytes = with_bit(t->plan->size.p, t->round) * t->plan->block_bytes;
    return true;
}

const struct mpg_pattern mpg_graph_bruck_alltoall = {.message = transpose_bruck, .rounds = log2_rounds};

/* --- reductions and scans --- */

static bool reduce_around(const struct turn *t, struct mpg_message *m)
{
    m->to = modulo((int64_t)t->v + 1, t->plan->size.p);
    m->bytes = t->plan->vector_bytes / t->plan->size.p;
    m->reduces = t->round < (uint32_t)t->plan->size.p - 1;
    return true;
}

const struct mpg_pattern mpg_graph_ring_allreduce = {.message = reduce_around, .rounds = twice_each_other};

static bool reduce_blocks_around(const struct turn *t, struct mpg_message *m)
{
    m->reduces = true;
    m->to = modulo((int64_t)t->v + 1, t->plan->size.p);
    m->bytes = mpg_graph_blocks(t->plan, (int64_t)t->v - 1 - t->round, 1);
    return true;
}

const struct mpg_pattern mpg_graph_ring_reduce_scatter = {.message = reduce_blocks_around, .rounds = a_round_each_other};

static bool reduce_block_of_each(const struct turn *t, struct mpg_message *m)
{
    m->reduces = true;
    m->to = modulo((int64_t)t->v + 1 + t->round, t->plan->size.p);
    m->bytes = mpg_graph_blocks(t->plan, m->to, 1);
    return true;
}

const struct mpg_pattern mpg_graph_pairwise_reduce_scatter = {.message = reduce_block_of_each, .rounds = a_round_each_other};

static bool scan_doubling(const struct turn *t, struct mpg_message *m)
{
    m->to = t->v ^ (int32_t)distance_in(t->round);
    m->bytes = t->plan->vector_bytes;
    return m->to < t->plan->size.p;
}

const struct mpg_pattern mpg_graph_recursive_doubling_scan = {.message = scan_doubling, .rounds = log2_rounds};

/* --- a round --- */

bool mpg_round_message(const struct mpg_plan *plan, const struct mpg_phase *phase, uint32_t round,
                       int32_t v, struct mpg_message *m)
{
    m->from = v;
    m->round = phase->first_round + round;
    m->bytes = 0;
    m->reduces = phase->reduces;
    return phase->pattern->message(&(struct turn){plan, phase, round, v}, m);
}

void mpg_round_senders(const struct mpg_plan *plan, const struct mpg_phase *phase, uint32_t round,
                       int32_t *low, int32_t *high)
{
    *low = 0;
    *high = plan->size.p;
    if (phase->pattern->senders)
        phase->pattern->senders(plan, round, low, high);
}
