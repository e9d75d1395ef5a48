/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/pages/answer.h"

#include <stdlib.h>
#include <string.h>

#include "common/table/escape.h"
#include "simulate/reports/short_answer.h"

struct writing {
    const struct mpg_report *report;
    FILE *out;
    bool has_title, has_headline, in_list;
};

static void begin_list(struct writing *w)
{
    if (!w->in_list)
        fputs("<dl>\n", w->out);
    w->in_list = true;
}

static void end_list(struct writing *w)
{
    if (w->in_list)
        fputs("</dl>\n", w->out);
    w->in_list = false;
}

static void put_part(FILE *out, const char *text, size_t bytes)
{
    char *part = strndup(text, bytes);
    if (part)
        mpg_html_write_text(out, part);
    free(part);
}

static const char unreliable[] = "NOT RELIABLE";

/* Writes TEXT as HTML: words that begin with "--" are not broken, "NOT RELIABLE" is emphasised. */
static void put_text(FILE *out, const char *text)
{
    const char *option, *mark = strstr(text, unreliable);
    if (mark) {
        put_part(out, text, (size_t)(mark - text));
        fprintf(out, "<strong class=\"unreliable\">%s</strong>", unreliable);
        text = mark + strlen(unreliable);
    }
    while ((option = strstr(text, "--")) != NULL) {
        const size_t length = strcspn(option, " ;,)");
        put_part(out, text, (size_t)(option - text));
        fputs("<span class=\"option\">", out);
        put_part(out, option, length);
        fputs("</span>", out);
        text = option + length;
    }
    mpg_html_write_text(out, text);
}

static void put_head(struct writing *w, const char *text)
{
    fputs(w->has_title ? "<p class=\"soft\">" : "<h1>", w->out);
    put_text(w->out, text);
    fputs(w->has_title ? "</p>\n" : "</h1>\n", w->out);
    w->has_title = true;
}

/* Writes NOTES as a folded list with the HTML id ID, headed WHAT; nothing if NOTES is empty. */
static void put_folded(FILE *out, const char *id, const char *what, const struct mpg_notes *notes)
{
    if (notes->n == 0)
        return;
    fprintf(out, "<details id=\"%s\"><summary>%s (%zu)</summary>\n<dl class=\"notes\">\n", id, what, notes->n);
    for (size_t i = 0; i < notes->n; i++) {
        fputs("<div><dt>", out);
        mpg_html_write_text(out, notes->line[i].topic);
        fputs("</dt><dd>", out);
        put_text(out, notes->line[i].text);
        fputs("</dd></div>\n", out);
    }
    fputs("</dl></details>\n", out);
}

/* Returns the number of bytes of TEXT before the interval, which follows after two blanks. */
static size_t headline_bytes(const char *text)
{
    const char *end = strstr(text, "  ");
    return end ? (size_t)(end - text) : strlen(text);
}

static void put_value(struct writing *w, const struct mpg_answer_line *line)
{
    begin_list(w);
    const size_t strong = w->has_headline ? 0 : headline_bytes(line->text);
    fputs(strong > 0 ? "<div class=\"headline\" id=\"verdict\"><dt>" : "<div><dt>", w->out);
    mpg_html_write_text(w->out, line->name);
    fputs("</dt><dd>", w->out);
    if (strong > 0) {
        fputs("<b>", w->out);
        put_part(w->out, line->text, strong);
        fputs("</b>", w->out);
    }
    w->has_headline = true;
    put_text(w->out, line->text + strong);
    if (strcmp(line->name, "Assumes") == 0)
        put_folded(w->out, "assumed", "All assumptions", w->report->assumed);
    fputs("</dd></div>\n", w->out);
}

static void put_warning(struct writing *w, const struct mpg_answer_line *line)
{
    fputs("<p class=\"warning\"><b>Warning:</b> ", w->out);
    put_text(w->out, line->text);
    fputs("</p>\n", w->out);
}

static void put_line(void *whom, const struct mpg_answer_line *line)
{
    struct writing *w = whom;
    switch (line->kind) {
    case MPG_ANSWER_HEAD:
        put_head(w, line->text);
        break;
    case MPG_ANSWER_WARNING:
        put_warning(w, line);
        break;
    case MPG_ANSWER_VALUE:
        put_value(w, line);
        break;
    case MPG_ANSWER_GAP:
        end_list(w);
        break;
    }
}

int mpg_page_answer(const struct mpg_report *r, FILE *out, struct mpg_error *err)
{
    struct writing w = {.report = r, .out = out};
    double *scratch = malloc(r->result->replicas * sizeof *scratch);
    if (!scratch)
        return mpg_error_set(err, "out of memory");
    const struct mpg_summary run = mpg_report_run(r, scratch);
    fputs("<header id=\"answer\">\n", out);
    const int status = mpg_short_answer_lines(r, &run, put_line, &w, err);
    end_list(&w);
    put_folded(out, "attention", "All warnings", r->warnings);
    fputs("</header>\n", out);
    free(scratch);
    return status;
}
