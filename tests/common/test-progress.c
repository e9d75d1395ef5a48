/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time that is left, in words (TAP). */
#include "common/progress.h"

#include <string.h>

#include "tests/tap.h"

static const struct {
    double left_s;
    const char *text;
} cases[] = {
    {0, "0 s"},          {0.2, "1 s"},          {59, "59 s"},         {59.5, "1 min 0 s"},     {60, "1 min 0 s"},
    {199.9, "3 min 20 s"}, {3599, "59 min 59 s"}, {3599.5, "1 h 0 min"}, {3600, "1 h 0 min"},   {7499, "2 h 5 min"},
    {7501, "2 h 6 min"}, {360000, "100 h 0 min"},
};

int main(void)
{
    char text[48];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mpg_progress_duration(cases[i].left_s, text, sizeof text);
        ok(strcmp(text, cases[i].text) == 0, "%g s: %s, got %s", cases[i].left_s, cases[i].text, text);
    }
    return done();
}
