/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions for tests of the signature format: signatures as texts. */
#ifndef MPG_TEST_SIGNATURE_FILE_H
#define MPG_TEST_SIGNATURE_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "signature/signature.h"

static inline _Noreturn void bail(const char *why, const char *what)
{
    printf("Bail out! %s %s\n", why, what);
    exit(1);
}

/* Writes the LENGTH bytes of TEXT to the file PATH, and loads it. */
static inline struct mpg_signature *load_bytes(const char *path, const char *text, size_t length,
                                               struct mpg_error *err)
{
    FILE *f = fopen(path, "w");
    if (!f || fwrite(text, 1, length, f) != length || fclose(f) != 0)
        bail("cannot write", path);
    return mpg_signature_load(path, err);
}

/* Returns a copy of BASE in which TO replaces the first FROM. The caller frees it. */
static inline char *edit_text(const char *base, const char *from, const char *to)
{
    const char *at = strstr(base, from);
    char *text = at ? malloc(strlen(base) + strlen(to) + 1) : NULL;
    if (!text)
        bail("not in the base text:", from);
    sprintf(text, "%.*s%s%s", (int)(at - base), base, to, at + strlen(from));
    return text;
}

static inline char *write_text(const struct mpg_signature *sig)
{
    struct mpg_error err;
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f || mpg_signature_write(sig, f, &err) < 0 || fclose(f) != 0)
        bail("cannot write to memory:", err.text);
    return text;
}

/* Damages one to three bytes in each of COUNT copies of BASE. Returns the number of wrong loads: successful although the
 * result is invalid, or failed without a message. */
static inline size_t damaged_silently(const char *path, const char *base, int count)
{
    static const char likely[] = "0123456789-.,e[]{}\"";
    struct mpg_error err;
    size_t silent = 0, whole = strlen(base);
    uint64_t state = 2463534242u;
    char *text = malloc(whole + 1);
    if (!text)
        bail("out of memory", "");
    for (int i = 0; i < count; i++) {
        memcpy(text, base, whole + 1);
        for (int changes = 1 + i % 3; changes > 0; changes--) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            text[state % whole] =
                i % 2 ? (char)(state >> 32) : likely[(state >> 32) % (sizeof likely - 1)];
        }
        err.text[0] = '\0';
        struct mpg_signature *sig = load_bytes(path, text, whole, &err);
        silent += sig ? mpg_signature_check(sig, &err) < 0 : !err.text[0];
        mpg_signature_free(sig);
    }
    free(text);
    return silent;
}

/* Loads BASE cut off at every STEPth byte. Returns the number of cuts that load without an error, or fail without a
 * message of one line. */
static inline size_t cut_silently(const char *path, const char *base, size_t step)
{
    struct mpg_error err;
    size_t silent = 0, whole = strlen(base);
    for (size_t length = 0; length + 2 < whole; length += step) {
        err.text[0] = '\0';
        struct mpg_signature *sig = load_bytes(path, base, length, &err);
        silent += sig || !err.text[0] || strchr(err.text, '\n');
        mpg_signature_free(sig);
    }
    return silent;
}

#endif
