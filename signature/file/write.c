/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing a signature file. */
#include <errno.h>

#include "signature/file/json.h"

/* Nothing where no checks were made. */
static void write_checks(struct mpg_json_out *out, const struct mpg_signature *sig)
{
    if (sig->checks == 0)
        return;
    mpg_json_line(out);
    mpg_json_begin(out, "checks", '{');
    mpg_json_put_integer(out, "made", sig->checks);
    mpg_json_begin(out, "failed", '[');
    for (size_t i = 0; i < sig->failures; i++) {
        mpg_json_line(out);
        mpg_json_begin(out, NULL, '{');
        mpg_json_put_text(out, "check", sig->failure[i].check);
        mpg_json_begin(out, "parts", '[');
        for (int bit = 0; mpg_signature_part_name(bit); bit++)
            if (sig->failure[i].parts >> bit & 1)
                mpg_json_put_text(out, NULL, mpg_signature_part_name(bit));
        mpg_json_end(out, ']', false);
        if (sig->failure[i].moves >= 0)
            mpg_json_put_number(out, "moves", sig->failure[i].moves);
        mpg_json_put_text(out, "found", sig->failure[i].found);
        mpg_json_put_text(out, "remedy", sig->failure[i].remedy);
        mpg_json_end(out, '}', false);
    }
    mpg_json_end(out, ']', false);
    mpg_json_end(out, '}', false);
}

int mpg_signature_put(const struct mpg_signature *sig, FILE *stream, struct mpg_error *err)
{
    struct mpg_json_out out = {.stream = stream, .empty = true};
    errno = 0;
    mpg_json_begin(&out, NULL, '{');
    mpg_json_line(&out);
    mpg_json_put_text(&out, "format", MPG_SIGNATURE_FORMAT);
    mpg_json_line(&out);
    mpg_json_begin(&out, "version", '[');
    mpg_json_put_integer(&out, NULL, MPG_SIGNATURE_VERSION);
    mpg_json_put_integer(&out, NULL, MPG_SIGNATURE_MINOR);
    mpg_json_end(&out, ']', false);
    mpg_json_line(&out);
    mpg_json_put_facts(&out, "header", sig->fact, sig->facts);
    mpg_json_line(&out);
    write_checks(&out, sig);
    mpg_json_line(&out);
    mpg_json_put_facts(&out, "results", sig->source, sig->sources);
    mpg_write_noise(&out, sig);
    mpg_write_network(&out, sig);
    mpg_write_collectives(&out, sig);
    mpg_write_compute(&out, sig);
    mpg_json_end(&out, '}', true);
    putc('\n', stream);
    if (out.failed)
        return mpg_error_set(err, "%s", out.why.text);
    if (ferror(stream))
        return mpg_error_errno(err, errno ? errno : EIO, "cannot write");
    return 0;
}

int mpg_signature_write(const struct mpg_signature *sig, FILE *stream, struct mpg_error *err)
{
    return mpg_signature_check(sig, err) < 0 ? -1 : mpg_signature_put(sig, stream, err);
}
