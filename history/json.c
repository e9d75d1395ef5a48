/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "history/json.h"

#include <inttypes.h>
#include <string.h>

#include "common/table/escape.h"

static void write_text(FILE *to, const char *before, const char *text)
{
    fputs(before, to);
    mpg_json_write_string(to, text);
}

void mpg_history_write_json(FILE *to, const struct mpg_history_run *run, bool answer)
{
    fprintf(to, "{\"id\": %" PRId64, run->id);
    write_text(to, ", \"time_utc\": ", run->time);
    write_text(to, ", \"mpgkit_version\": ", run->version);
    write_text(to, ", \"directory\": ", run->directory);
    fprintf(to, ", \"seed\": %" PRId64 ", \"arguments\": [", run->seed);
    for (size_t i = 0; i < run->arguments; i++)
        write_text(to, i > 0 ? ", " : "", run->argument[i]);
    fputs("], \"inputs\": [", to);
    for (size_t i = 0; i < run->inputs; i++) {
        write_text(to, i > 0 ? ", {\"role\": " : "{\"role\": ", run->input[i].role);
        write_text(to, ", \"path\": ", run->input[i].path);
        write_text(to, ", \"checksum\": ", run->input[i].sum);
        putc('}', to);
    }
    putc(']', to);
    if (answer) {
        fputs(", \"answer\": ", to);
        mpg_json_write_text(to, run->answer, run->answer_bytes);
    }
    putc('}', to);
}

bool mpg_history_has_argument(const struct mpg_history_run *run, const char *argument)
{
    for (size_t i = 0; i < run->arguments; i++)
        if (strcmp(run->argument[i], argument) == 0)
            return true;
    return false;
}

const struct mpg_history_input *mpg_history_changed_input(const struct mpg_history_run *run, const struct mpg_history_input *like)
{
    for (size_t i = 0; i < run->inputs; i++)
        if (strcmp(run->input[i].role, like->role) == 0 && strcmp(run->input[i].path, like->path) == 0)
            return strcmp(run->input[i].sum, like->sum) != 0 ? &run->input[i] : NULL;
    return NULL;
}

/* Writes array KEY of the arguments of A missing in B. */
static void write_missing_arguments(FILE *to, const char *key, const struct mpg_history_run *a, const struct mpg_history_run *b)
{
    const char *before = "";
    fprintf(to, ",\n \"%s\": [", key);
    for (size_t i = 0; i < a->arguments; i++)
        if (!mpg_history_has_argument(b, a->argument[i])) {
            write_text(to, before, a->argument[i]);
            before = ", ";
        }
    putc(']', to);
}

void mpg_history_write_json_difference(FILE *to, const struct mpg_history_run run[2], const char *answers, size_t bytes)
{
    const char *before = "";
    fputs("{\n \"format\": \"mpghistory-diff\",\n \"version\": 2,\n \"runs\": [\n  ", to);
    mpg_history_write_json(to, &run[0], false);
    fputs(",\n  ", to);
    mpg_history_write_json(to, &run[1], false);
    putc(']', to);
    write_missing_arguments(to, "arguments_only_first", &run[0], &run[1]);
    write_missing_arguments(to, "arguments_only_second", &run[1], &run[0]);
    fputs(",\n \"inputs_changed\": [", to);
    for (size_t i = 0; i < run[0].inputs; i++)
        if (mpg_history_changed_input(&run[1], &run[0].input[i])) {
            fputs(before, to);
            write_text(to, "{\"role\": ", run[0].input[i].role);
            write_text(to, ", \"path\": ", run[0].input[i].path);
            putc('}', to);
            before = ", ";
        }
    fprintf(to, "],\n \"same_answer\": %s,\n \"answer_difference\": ", bytes == 0 ? "true" : "false");
    mpg_json_write_text(to, answers, bytes);
    fputs("\n}\n", to);
}
