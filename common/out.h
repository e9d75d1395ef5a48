/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text with many numbers for a file, through a large buffer: a fraction of fprintf()'s time. Not thread-safe. */
#ifndef MPG_OUT_H
#define MPG_OUT_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MPG_OUT_BYTES = 1 << 16, MPG_OUT_WORD_BYTES = 48 };

/* Text for FILE, which the caller keeps. N: bytes of the text not written to FILE yet. */
struct mpg_out {
    FILE *file;
    size_t n;
    char bytes[MPG_OUT_BYTES + MPG_OUT_WORD_BYTES];
};

/* Begins the text for FILE, without clearing the buffer. */
static inline void mpg_out_begin(struct mpg_out *o, FILE *file)
{
    o->file = file;
    o->n = 0;
}

/* Writes the buffered text to the file. Returns 0, or -1 with errno; then ferror(3) tells of the error, too. */
int mpg_out_flush(struct mpg_out *o);

/* Appends VALUE as a decimal number. */
void mpg_out_number(struct mpg_out *o, int64_t value);

static inline void mpg_out_char(struct mpg_out *o, char c)
{
    if (o->n >= MPG_OUT_BYTES)
        (void)mpg_out_flush(o);
    o->bytes[o->n++] = c;
}

/* Appends the first N bytes of WORD, which has MPG_OUT_WORD_BYTES. */
static inline void mpg_out_word(struct mpg_out *o, const char *word, size_t n)
{
    if (o->n >= MPG_OUT_BYTES)
        (void)mpg_out_flush(o);
    memcpy(o->bytes + o->n, word, MPG_OUT_WORD_BYTES); /* a fixed size is faster */
    o->n += n;
}

static inline void mpg_out_text(struct mpg_out *o, const char *text)
{
    while (*text)
        mpg_out_char(o, *text++);
}

#endif
