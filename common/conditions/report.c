/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of conditions as text, JSON, TAP and JUnit XML. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/conditions/conditions.h"
#include "common/output.h"
#include "common/printable.h"
#include "common/table/escape.h"
#include "common/text_stream.h"
#include "common/units.h"

enum { CELL = 48 };

static const char *const verdicts[] = {"passed", "failed", "undecided"};

/* ---- the sentence of a result ---- */

/* Formats a change of UNIT with its sign into TEXT of CELL bytes, and returns TEXT. */
static char *format_change(char *text, enum mpg_condition_unit unit, double value)
{
    text[0] = '+';
    if (isinf(value))
        snprintf(text, CELL, "%sunlimited", value > 0 ? "+" : "-");
    else if (unit == MPG_CONDITION_RATIO)
        snprintf(text, CELL, "%+.1f %%", fabs(value) < 0.0005 ? 0 : 100 * value); /* avoids -0.0 */
    else if (unit == MPG_CONDITION_TIME)
        mpg_units_format_time(text + (value > 0), CELL - 1, value);
    else
        snprintf(text, CELL, "%+.3f", fabs(value) < 0.0005 ? 0 : value);
    return text;
}

/* Writes "change +12.3 %, 95 % interval +8.1 % to +16.5 %, n = 4 and 4". */
static void put_sentence(const struct mpg_condition_result *r, FILE *out)
{
    const enum mpg_condition_unit unit = r->condition->unit;
    char change[CELL], low[CELL], high[CELL];
    if (r->about) {
        mpg_printable_put(out, r->about);
        fputs(": ", out);
    }
    if (!isnan(r->change))
        fprintf(out, "change %s, ", format_change(change, unit, r->change));
    if (isinf(r->low) && isinf(r->high) && r->low < r->high)
        fprintf(out, "%.4g %% interval unlimited, ", 100 * r->confidence);
    else if (!isnan(r->low) && !isnan(r->high))
        fprintf(out, "%.4g %% interval %s to %s, ", 100 * r->confidence, format_change(low, unit, r->low),
                format_change(high, unit, r->high));
    fprintf(out, "n = %zu and %zu", r->before, r->after);
    if (r->why)
        fprintf(out, ": %s", r->why);
    else if (r->verdict == MPG_CONDITION_UNDECIDED)
        fputs(": the interval contains the limit", out);
}

/* Writes the line "fail if CONDITION: SENTENCE". */
static void put_line(const struct mpg_condition_result *r, FILE *out)
{
    fputs("fail if ", out);
    mpg_printable_put(out, r->condition->text);
    fputs(": ", out);
    put_sentence(r, out);
    putc('\n', out);
}

void mpg_condition_print_text(const struct mpg_condition_result *r, size_t n, FILE *out)
{
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "%-21s  ", verdicts[r[i].verdict]);
        put_line(&r[i], out);
    }
}

void mpg_condition_print_errors(const char *program, const struct mpg_condition_result *r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (r[i].verdict != MPG_CONDITION_PASSED) {
            fprintf(stderr, "%s: %s: ", program, verdicts[r[i].verdict]);
            put_line(&r[i], stderr);
        }
}

/* ---- JSON ---- */

void mpg_condition_put_json(struct mpg_json *j, const struct mpg_condition_result *r, size_t n)
{
    static const char *const units[] = {"ratio", "ns", "1"};
    mpg_json_array(j, "conditions");
    for (size_t i = 0; i < n; i++) {
        mpg_json_object(j, NULL);
        mpg_json_string(j, "fail_if", r[i].condition->text);
        mpg_json_string(j, "verdict", verdicts[r[i].verdict]);
        mpg_json_string(j, "about", r[i].about);
        mpg_json_string(j, "unit", units[r[i].condition->unit]);
        mpg_json_number(j, "limit", r[i].condition->limit);
        mpg_json_number(j, "change", r[i].change);
        mpg_json_number(j, "change_low", r[i].low);
        mpg_json_number(j, "change_high", r[i].high);
        mpg_json_number(j, "confidence", r[i].confidence);
        mpg_json_count(j, "number_before", r[i].before);
        mpg_json_count(j, "number_after", r[i].after);
        mpg_json_string(j, "reason", r[i].why);
        mpg_json_close(j);
    }
    mpg_json_close(j);
}

/* ---- TAP ---- */

static bool is_good(const struct mpg_condition_result *r, bool strict)
{
    return r->verdict == MPG_CONDITION_PASSED || (r->verdict == MPG_CONDITION_UNDECIDED && !strict);
}

/* Writes TEXT as the description of a TAP line, in which # begins a directive. */
static void put_description(const char *text, FILE *out)
{
    for (const char *end; *text; text = end) {
        end = text + strcspn(text, "#\\");
        mpg_printable_put_bytes(out, text, (size_t)(end - text));
        if (*end)
            fprintf(out, "\\%c", *end++);
    }
}

void mpg_condition_print_tap(const struct mpg_condition_result *r, size_t n, bool strict, FILE *out)
{
    fprintf(out, "TAP version 13\n1..%zu\n", n);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "%s %zu - fail if ", is_good(&r[i], strict) ? "ok" : "not ok", i + 1);
        put_description(r[i].condition->text, out);
        if (r[i].verdict == MPG_CONDITION_UNDECIDED && !strict)
            fputs(" # SKIP undecided", out);
        fprintf(out, "\n# %s: ", verdicts[r[i].verdict]);
        put_sentence(&r[i], out);
        putc('\n', out);
    }
}

/* ---- JUnit ---- */

/* Writes TEXT as the value of an XML attribute or as content. Printable text (common/printable.h) has no character that XML
 * forbids but U+FFFE and U+FFFF, which are written as U+FFFD. */
static void put_xml(const char *text, FILE *out)
{
    char escape[MPG_PRINTABLE_ESCAPE];
    const char *shown;
    size_t length, left = strlen(text);
    for (size_t used; left > 0; text += used, left -= used) {
        used = mpg_printable_next((const unsigned char *)text, left, escape, &shown, &length);
        if (length == 3 && (memcmp(shown, "\xef\xbf\xbe", 3) == 0 || memcmp(shown, "\xef\xbf\xbf", 3) == 0))
            shown = "\xef\xbf\xbd";
        if (length > 1) {
            fwrite(shown, 1, length, out);
            continue;
        }
        switch (*shown) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default: putc(*shown, out);
        }
    }
}

/* Writes an element ELEMENT with the sentence of R as message and content. Returns false: out of memory. */
static bool put_outcome(const char *element, const struct mpg_condition_result *r, FILE *out)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (memory)
        put_sentence(r, memory);
    if (!memory || !mpg_text_end(memory, &text))
        return false;
    fprintf(out, "      <%s ", element);
    if (strcmp(element, "skipped") != 0)
        fprintf(out, "type=\"%s\" ", verdicts[r->verdict]);
    fprintf(out, "message=\"%s: ", verdicts[r->verdict]);
    put_xml(text, out);
    fprintf(out, "\">%s: ", verdicts[r->verdict]);
    put_xml(text, out); /* some servers show the attribute, others the content */
    fprintf(out, "</%s>\n", element);
    free(text);
    return true;
}

int mpg_condition_write_junit(const char *path, const char *program, const struct mpg_condition_result *r, size_t n, bool strict,
                              struct mpg_error *err)
{
    static const char *const outcomes[][2] = {{"", ""}, {"failure", "failure"}, {"skipped", "error"}};
    size_t count[3] = {0};
    for (size_t i = 0; i < n; i++)
        count[r[i].verdict]++;
    struct mpg_output *output = mpg_output_open(path, err);
    if (!output)
        return -1;
    FILE *out = mpg_output_stream(output);
    const size_t errors = strict ? count[MPG_CONDITION_UNDECIDED] : 0;
    fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                 "  <testsuite name=\"%s\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n",
            program, n, count[MPG_CONDITION_FAILED], errors, count[MPG_CONDITION_UNDECIDED] - errors);
    bool written = true;
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "    <testcase classname=\"%s\" name=\"fail if ", program);
        put_xml(r[i].condition->text, out);
        if (r[i].verdict == MPG_CONDITION_PASSED) {
            fputs("\"/>\n", out);
            continue;
        }
        fputs("\">\n", out);
        written = put_outcome(outcomes[r[i].verdict][strict], &r[i], out) && written;
        fputs("    </testcase>\n", out);
    }
    fputs("  </testsuite>\n</testsuites>\n", out);
    if (written)
        return mpg_output_commit(output, err);
    mpg_output_discard(output);
    return mpg_error_set(err, "out of memory");
}
