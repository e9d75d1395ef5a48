/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addressed random draws: one uniform number for every (seed, replica, rank, call, purpose, index), independent of the order of
 * calls. Thread-safe. The generator is Philox4x32-10 (Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC 2011) from
 * Debian's Random123: key = seed, counter = address. The draws of a message's latency, o_s and o_r are parts of one block. */
#ifndef MPG_DRAWS_H
#define MPG_DRAWS_H

#include <stdint.h>

#include <Random123/philox.h>

enum mpg_purpose {
    MPG_DRAW_NOISE = 1,     /* compute interval before the call */
    MPG_DRAW_CALL,          /* kappa of the call */
    MPG_DRAW_LATENCY,       /* lambda of a message; index: position among the call's messages */
    MPG_DRAW_BYTE,          /* tau of a message or of a member's share of a collective */
    MPG_DRAW_ACK,           /* lambda2 of an acknowledgement */
    /* lambda of a round of a collective; index: computed from the round and the collective's number in its call */
    MPG_DRAW_ROUND_LATENCY,
    MPG_DRAW_ROUND_CALL,    /* kappa of a round of a collective */
    MPG_DRAW_PHASE,         /* starting point of a rank in the noise record (call 0) */
    MPG_DRAW_ROW,           /* start of a row of successive messages (simulate/models/flights.h) */
    MPG_DRAW_LAUNCH,        /* benchmark launch that a replica draws from; rank, call and index are 0 */
    MPG_DRAW_WEIGHT,        /* weight of a message that shares capacities; the call is the number of the sender's earlier ones */
    MPG_DRAW_COLLECTIVE = 13, /* a collective as a whole; the call is that of its first member */
    MPG_DRAW_PART,          /* bootstrap: block of a noise record */
    MPG_DRAW_QUANTUM,       /* time lost in a quantum; with index > 0: drawn detours of block CALL */
    /* Parts of the block of the message's latency: */
    MPG_DRAW_SEND,          /* o_s of a message */
    MPG_DRAW_RECEIVE,       /* o_r of a message */
    MPG_DRAW_REMOVED = 0    /* time that the noise of the source machine took from the compute interval before the call */
};

/* The address of a draw, without the replica. */
struct mpg_address {
    uint64_t seed, call;
    int32_t rank;
    enum mpg_purpose purpose;
    uint32_t index; /* < 2^28 */
};

/* Returns the seed for the K-th distribution of a sum, so that the draws of the terms are independent; for K = 0 SEED itself. */
static inline uint64_t mpg_seed_of(uint64_t seed, uint32_t k)
{
    return seed ^ k * UINT64_C(0x9e3779b97f4a7c15);
}

/* Returns a number uniform on the open interval (0, 1) from 64 random BITS. It uses the upper 52 bits: with 53, the half added
 * to the largest would round to 1. */
static inline double mpg_uniform(uint64_t bits)
{
    return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

/* Returns the part of a message's block of random words that PURPOSE uses; -1: PURPOSE has a whole block. */
static inline int mpg_draw_part(enum mpg_purpose purpose)
{
    return purpose == MPG_DRAW_LATENCY ? 0 : purpose == MPG_DRAW_SEND ? 1 : purpose == MPG_DRAW_RECEIVE ? 2 : -1;
}

/* Returns the purpose whose address has the block in which the draw for PURPOSE lies. */
static inline enum mpg_purpose mpg_draw_block(enum mpg_purpose purpose)
{
    return mpg_draw_part(purpose) < 0 ? purpose : MPG_DRAW_LATENCY;
}

/* Returns PART 0 to 2 of the block of random words WORD[0..3] as a number uniform on (0, 1): the 32 bits of word PART, then
 * 10 bits of the last word. The smallest number is 2^-43. */
static inline double mpg_uniform_part(const uint32_t word[4], int part)
{
    const uint64_t bits = (uint64_t)word[part] << 10 | (word[3] >> 10 * part & 0x3ff);
    return ((double)bits + 0.5) * 0x1p-42;
}

/* Returns the block of random words that holds the draw at A in REPLICA. */
static inline philox4x32_ctr_t mpg_draw_words(const struct mpg_address *a, uint32_t replica)
{
    philox4x32_ctr_t counter = {{replica, (uint32_t)a->rank, (uint32_t)a->call,
                                 (uint32_t)mpg_draw_block(a->purpose) << 28 | (a->index & 0x0fffffff)}};
    philox4x32_key_t key = {
        {(uint32_t)a->seed, (uint32_t)(a->seed >> 32) ^ (uint32_t)(a->call >> 32)}};
    return philox4x32(counter, key);
}

/* Returns the draw at A in REPLICA, uniform on the open interval (0, 1). */
static inline double mpg_draw(const struct mpg_address *a, uint32_t replica)
{
    const int part = mpg_draw_part(a->purpose);
    const philox4x32_ctr_t r = mpg_draw_words(a, replica);
    return part < 0 ? mpg_uniform((uint64_t)r.v[1] << 32 | r.v[0]) : mpg_uniform_part(r.v, part);
}

#endif
