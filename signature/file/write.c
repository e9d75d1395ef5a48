/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing a signature file. */
#include <errno.h>

#include "signature/file/json.h"

/* Writes the results of the quality checks, if checks were made. */
static void write_checks(struct mpg_json *out, const struct mpg_signature *sig)
{
    if (sig->checks == 0)
        return;
    mpg_json_break(out);
    mpg_json_object(out, "checks");
    mpg_json_integer(out, "made", sig->checks);
    mpg_json_array(out, "failed");
    for (size_t i = 0; i < sig->failures; i++) {
        mpg_json_break(out);
        mpg_json_object(out, NULL);
        mpg_json_text(out, "check", sig->failure[i].check);
        mpg_json_array(out, "parts");
        for (int bit = 0; mpg_signature_part_name(bit); bit++)
            if (sig->failure[i].parts >> bit & 1)
                mpg_json_text(out, NULL, mpg_signature_part_name(bit));
        mpg_json_close(out);
        if (sig->failure[i].moves >= 0)
            mpg_json_number(out, "moves", sig->failure[i].moves);
        mpg_json_text(out, "found", sig->failure[i].found);
        mpg_json_text(out, "remedy", sig->failure[i].remedy);
        mpg_json_close(out);
    }
    mpg_json_close(out);
    mpg_json_close(out);
}

int mpg_signature_put(const struct mpg_signature *sig, FILE *stream, struct mpg_error *err)
{
    struct mpg_json out = mpg_json_to(stream, MPG_JSON_RECORD);
    errno = 0;
    mpg_json_object(&out, NULL);
    mpg_json_break(&out);
    mpg_json_text(&out, "format", MPG_SIGNATURE_FORMAT);
    mpg_json_break(&out);
    mpg_json_array(&out, "version");
    mpg_json_integer(&out, NULL, MPG_SIGNATURE_VERSION);
    mpg_json_integer(&out, NULL, MPG_SIGNATURE_MINOR);
    mpg_json_close(&out);
    mpg_json_break(&out);
    mpg_json_put_facts(&out, "header", sig->fact, sig->facts);
    mpg_json_break(&out);
    write_checks(&out, sig);
    mpg_json_break(&out);
    mpg_json_put_facts(&out, "results", sig->source, sig->sources);
    if (mpg_write_noise(&out, sig, err) < 0)
        return -1;
    mpg_write_network(&out, sig);
    mpg_write_collectives(&out, sig);
    mpg_write_sharing(&out, sig);
    mpg_write_compute(&out, sig);
    mpg_json_close_line(&out);
    putc('\n', stream);
    if (ferror(stream))
        return mpg_error_errno(err, errno ? errno : EIO, "cannot write");
    return 0;
}

int mpg_signature_write(const struct mpg_signature *sig, FILE *stream, struct mpg_error *err)
{
    return mpg_signature_check(sig, err) < 0 ? -1 : mpg_signature_put(sig, stream, err);
}
