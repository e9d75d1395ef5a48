/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addressed random draws: a uniform number for every (seed, replica, rank,
 * call, purpose, index), the same in any order of asking. Thread-safe.
 *
 * Philox4x32-10 (Salmon et al., Parallel random numbers: as easy as 1, 2, 3,
 * SC 2011) from Debian's Random123: key = seed, counter = the address. What every message has, the draws of
 * its latency, its o_s and its o_r, are parts of one block. */
#ifndef MPG_DRAWS_H
#define MPG_DRAWS_H

#include <stdint.h>

#include <Random123/philox.h>

enum mpg_purpose {
    MPG_DRAW_NOISE = 1,     /* compute interval before the call */
    MPG_DRAW_CALL,          /* kappa of the call */
    MPG_DRAW_LATENCY,       /* lambda of a message; index: which the call started */
    MPG_DRAW_BYTE,          /* tau of a message or of a collective's share */
    MPG_DRAW_ACK,           /* lambda2 */
    MPG_DRAW_ROUND_LATENCY, /* lambda of a collective's round; index: the round */
    MPG_DRAW_ROUND_CALL,    /* kappa of a collective's round */
    MPG_DRAW_PHASE,         /* where the noise replay starts (call 0) */
    MPG_DRAW_ROW,           /* which row of successive messages (simulate/models/flights.h) */
    MPG_DRAW_LAUNCH,        /* which launch of a benchmark a measurement is (all else 0) */
    MPG_DRAW_SEND,          /* o_s of a message: a part of the block of its latency */
    MPG_DRAW_RECEIVE,       /* o_r of a message: another one */
    MPG_DRAW_COLLECTIVE,    /* a meeting as a whole; the call: of its first member */
    MPG_DRAW_PART,          /* which part of a noise record is measured again */
    MPG_DRAW_QUANTUM,       /* what a quantum loses; index > 0: detours that are drawn, of block CALL */
    MPG_DRAW_REMOVED = 0    /* what interruptions of the source took from the compute interval before the call */
};

/* Everything of the address but the replica. */
struct mpg_address {
    uint64_t seed, call;
    int32_t rank;
    enum mpg_purpose purpose;
    uint32_t index; /* < 2^28 */
};

/* SEED for the K-th of several distributions that perturb the same thing on the same
 * rank, so that their draws are independent; the first has the seed itself. */
static inline uint64_t mpg_seed_of(uint64_t seed, uint32_t k)
{
    return seed ^ k * UINT64_C(0x9e3779b97f4a7c15);
}

/* Of 64 random BITS, uniform on the open interval (0, 1). The first 52 are used:
 * with 53, the half added to the largest would round to 1. */
static inline double mpg_uniform(uint64_t bits)
{
    return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

/* Which part of its block a draw for PURPOSE is; -1: the block is its own. */
static inline int mpg_draw_part(enum mpg_purpose purpose)
{
    return purpose == MPG_DRAW_LATENCY ? 0 : purpose == MPG_DRAW_SEND ? 1 : purpose == MPG_DRAW_RECEIVE ? 2 : -1;
}

/* For what the block is made that has the draw for PURPOSE. */
static inline enum mpg_purpose mpg_draw_block(enum mpg_purpose purpose)
{
    return mpg_draw_part(purpose) < 0 ? purpose : MPG_DRAW_LATENCY;
}

/* PART 0..2 of a block whose words are WORD[0..3], uniform on (0, 1): word PART and below it 10 bits of the last
 * one, 42 in all. The least is 2^-43. */
static inline double mpg_uniform_part(const uint32_t word[4], int part)
{
    const uint64_t bits = (uint64_t)word[part] << 10 | (word[3] >> 10 * part & 0x3ff);
    return ((double)bits + 0.5) * 0x1p-42;
}

/* The block of the draw at A in REPLICA. */
static inline philox4x32_ctr_t mpg_draw_words(const struct mpg_address *a, uint32_t replica)
{
    philox4x32_ctr_t counter = {{replica, (uint32_t)a->rank, (uint32_t)a->call,
                                 (uint32_t)mpg_draw_block(a->purpose) << 28 | (a->index & 0x0fffffff)}};
    philox4x32_key_t key = {
        {(uint32_t)a->seed, (uint32_t)(a->seed >> 32) ^ (uint32_t)(a->call >> 32)}};
    return philox4x32(counter, key);
}

/* The draw at A in REPLICA, uniform on the open interval (0, 1). */
static inline double mpg_draw(const struct mpg_address *a, uint32_t replica)
{
    const int part = mpg_draw_part(a->purpose);
    const philox4x32_ctr_t r = mpg_draw_words(a, replica);
    return part < 0 ? mpg_uniform((uint64_t)r.v[1] << 32 | r.v[0]) : mpg_uniform_part(r.v, part);
}

#endif
