/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The word probably meant by a user, for error messages. */
#ifndef MPG_NEAREST_H
#define MPG_NEAREST_H

#include <stddef.h>

/* Largest number of edits between a mistyped word and the intended word, and the length of the longest compared word. */
enum { MPG_NEAREST_EDITS = 2, MPG_NEAREST_LENGTH = 60 };

/* Returns the optimal string alignment distance (restricted Damerau-Levenshtein) of the first N bytes of A and the
 * first M bytes of B: the number of bytes inserted, deleted or replaced, and of neighbours exchanged, no byte being
 * edited twice. Returns MPG_NEAREST_LENGTH + 1 if N or M is larger than MPG_NEAREST_LENGTH. Source: Boytsov,
 * "Indexing methods for approximate dictionary searching", J. Exp. Algorithmics 16 (2011), section 2.2. */
size_t mpg_nearest_distance(const char *a, size_t n, const char *b, size_t m);

/* A search for the word nearest to TEXT. Initialise with the text, the text's length in bytes, and 0. */
struct mpg_nearest {
    const char *text;
    size_t length;
    const char *word; /* nearest so far, the first of several; NULL: none is within MPG_NEAREST_EDITS edits */
    size_t edits;     /* edits turning WORD into TEXT */
};
/* Compares WORD, which outlives NEAREST. WORD is near if at most MPG_NEAREST_EDITS edits, and fewer edits than half of WORD's
 * bytes, turn WORD into TEXT. */
void mpg_nearest_try(struct mpg_nearest *nearest, const char *word);
/* Tries all WORDS, ended by NULL, and returns the nearest to the first LENGTH bytes of TEXT; NULL: none is near. */
const char *mpg_nearest_word(const char *const *words, const char *text, size_t length);

#endif
