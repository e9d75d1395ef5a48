/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hypotheses. Accepted hypotheses are within their bounds, survive printing and parsing, and can be queried for
 * their selection. */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "trace/hypothesis/hypothesis.h"

static void check_one(const struct mpg_hypothesis *x)
{
    struct mpg_hypotheses again = {0};
    struct mpg_error err = {""};
    char name[64];
    const struct mpg_selected what = {
        .call = MPG_CALL_Isend, .region = "foo", .site = 3, .is_message = true, .to = 1, .bytes = 8};
    (void)mpg_select_fits(&x->select, &what);
    if (!x->text || !x->where || strlen(mpg_hypothesis_name(x, name, sizeof name)) >= sizeof name)
        abort();
    if (!(x->factor >= 0 && x->factor <= 1e9) || (mpg_hypothesis_is_of_work(x) && !*x->region))
        abort();
    if (mpg_hypotheses_add(&again, x->text, &err) < 0 || again.n != 1 || again.item->kind != x->kind)
        abort();
    mpg_hypotheses_clear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpg_hypotheses h = {0};
    struct mpg_error err = {""};
    if (mpg_hypotheses_read(&h, fuzz_file(data, size), &err) < 0)
        fuzz_check_error(&err);
    else if (h.n == 0 || h.n > MPG_HYPOTHESES_MAX)
        abort();
    for (size_t i = 0; i < h.n; i++)
        check_one(&h.item[i]);
    err.text[0] = '\0';
    if (h.n > 0 && mpg_hypotheses_check(&h, &err) < 0)
        fuzz_check_error(&err);
    mpg_hypotheses_clear(&h);
    return 0;
}
