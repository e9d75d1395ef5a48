/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The signature in a trace's facts. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "common/base64.h"
#include "trace/reader.h"
#include "trace/store/signature.h"

/* Parses HEAD, the text "CRC BYTES NAME" that precedes a stored signature, into S. Returns false if HEAD is damaged. */
static bool parse_head(const char *head, struct mpg_stored_signature *s)
{
    enum { CRC_DIGITS = 8 };
    char *end;
    if (strspn(head, "0123456789abcdef") != CRC_DIGITS || head[CRC_DIGITS] != ' ' ||
        strspn(head + CRC_DIGITS + 1, "0123456789") == 0)
        return false;
    const unsigned long long bytes = strtoull(head + CRC_DIGITS + 1, &end, 10);
    if (*end != ' ' || end[1] == '\0' || bytes > MPG_STORED_MAX_BYTES)
        return false;
    s->crc32 = (uint32_t)strtoul(head, NULL, 16);
    s->bytes = (size_t)bytes;
    s->name = end + 1;
    return true;
}

bool mpg_trace_find_signature(const struct mpg_trace *t, struct mpg_stored_signature *found)
{
    for (int32_t r = 0; r < mpg_trace_ranks(t); r++) {
        const char *head = mpg_trace_find_fact(t, r, "signature");
        if (!head && !mpg_trace_find_fact(t, r, "signature_part"))
            continue;
        *found = (struct mpg_stored_signature){.rank = r, .name = ""};
        found->damaged = !head || !parse_head(head, found);
        return true;
    }
    return false;
}

/* A signature is stored in parts, as facts of RANK. Returns all parts joined to one text, which the caller frees; NULL: out of
 * memory. */
static char *join_parts(const struct mpg_trace *t, int32_t rank)
{
    const char *key, *value;
    size_t length = 0, used = 0;
    for (int write = 0; write < 2; write++) {
        char *text = write ? malloc(length + 1) : NULL;
        for (size_t i = 0; (text || !write) && mpg_trace_fact(t, rank, i, &key, &value); i++) {
            const size_t n = strcmp(key, "signature_part") == 0 ? strlen(value) : 0;
            if (write)
                memcpy(text + used, value, n);
            *(write ? &used : &length) += n;
        }
        if (text)
            text[length] = '\0';
        if (write)
            return text;
    }
    return NULL;
}

/* Decompresses FRAME, of PACKED bytes. The caller frees the text returned. NULL with ERR: out of memory, or damage, also a
 * size other than S->bytes. */
static char *unpack(const struct mpg_stored_signature *s, const uint8_t *frame, size_t packed,
                    struct mpg_error *err)
{
    if (ZSTD_getFrameContentSize(frame, packed) != s->bytes ||
        s->bytes / MPG_STORED_MAX_RATIO > packed) {
        mpg_error_set(err, "the stored signature does not have the %zu bytes that the trace names", s->bytes);
        return NULL;
    }
    char *text = malloc(s->bytes + 1);
    if (!text) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    if (ZSTD_decompress(text, s->bytes, frame, packed) == s->bytes &&
        (uint32_t)crc32_z(0, (const Bytef *)text, s->bytes) == s->crc32) {
        text[s->bytes] = '\0';
        return text;
    }
    mpg_error_set(err, "it is damaged (checksum)");
    free(text);
    return NULL;
}

char *mpg_trace_read_signature(const struct mpg_trace *t, const struct mpg_stored_signature *s,
                               struct mpg_error *err)
{
    if (s->damaged) {
        mpg_error_set(err, "%s: the stored signature: the fact that describes it is missing or damaged",
                      mpg_trace_path(t));
        return NULL;
    }
    char *text = NULL, *parts = join_parts(t, s->rank);
    size_t packed = parts ? mpg_base64_bytes(parts) : 0;
    uint8_t *frame = packed > 0 ? mpg_base64_decode(parts, packed, err) : NULL;
    if (!parts)
        mpg_error_set(err, "out of memory");
    else if (packed == 0)
        mpg_error_set(err, *parts ? "its parts are no base64" : "its content is not there");
    else if (frame)
        text = unpack(s, frame, packed, err);
    free(parts);
    free(frame);
    if (!text)
        mpg_error_prefix(err, "%s: the stored signature", mpg_trace_path(t));
    return text;
}
