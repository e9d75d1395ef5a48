/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a user has written, told from what anybody else has: a digest under a key that only the user knows. */
#ifndef MPG_SEAL_H
#define MPG_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MPG_SEAL_KEY_BYTES = 16 };

/* The user's key, which is made if it is not there: $XDG_STATE_HOME/mpgkit/key, by default in ~/.local/state. false: there is
 * none and none can be made, or the file is not the user's alone. */
bool mpg_seal_key(uint8_t key[MPG_SEAL_KEY_BYTES]);

/* SipHash-2-4 of SIZE bytes (J.-P. Aumasson, D. J. Bernstein, SipHash: a fast short-input PRF, 2012). */
uint64_t mpg_seal(const uint8_t key[MPG_SEAL_KEY_BYTES], const void *data, size_t size);

#endif
