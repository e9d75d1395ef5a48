/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures are stretched to the width of the page. Texts beside pictures are HTML elements, which are not stretched. */
#include "simulate/pages/runs.h"

#include <math.h>
#include <string.h>

#include "common/table/escape.h"
#include "common/units.h"

enum { ACROSS = 20000, LEVELS = 7, ROW_PX = 18, BAR = 14 };

static const struct {
    enum mpg_overview_part part;
    const char *name;
} views[] = {{MPG_OVERVIEW_WAITING, "waiting"},
             {MPG_OVERVIEW_COMPUTATION, "computation"},
             {MPG_OVERVIEW_MPI, "transfer and MPI overhead"},
             {MPG_OVERVIEW_NOISE, "OS noise"}};
enum { VIEWS = sizeof views / sizeof *views };

struct picture {
    FILE *out;
    const struct mpg_overview *run[2];
    const char *name[2];
    double span_ns[2];   /* lengths of the time axes of the two runs */
    double max[VIEWS];   /* for each shown part of the time: the largest share in a bin */
};

static void put_time(FILE *out, double ns)
{
    char text[32];
    fputs(mpg_units_format_time(text, sizeof text, ns), out);
}

static double round_down(double x)
{
    const double power = pow(10, floor(log10(x))), lead = x / power;
    return power * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
}

/* Writes the labels of the time axis, at round times. */
static void put_axis(const struct picture *p, int which)
{
    const double span_ns = p->span_ns[which], step_ns = round_down(span_ns / 4);
    fprintf(p->out, "<div class=\"axis\" data-run=\"%d\" aria-hidden=\"true\">", which);
    for (int i = 0; i * step_ns <= 0.93 * span_ns; i++) {
        fprintf(p->out, "<span style=\"left:%.2f%%\">", 100 * i * step_ns / span_ns);
        if (i == 0)
            fputs("0", p->out);
        else
            put_time(p->out, i * step_ns);
        fputs("</span>", p->out);
    }
    fputs("</div>\n", p->out);
}

/* --- the heat map --- */

static int level_of(double share, double max)
{
    return share < 0.0005 || !(max > 0) ? 0 : (int)fmin(LEVELS, ceil(LEVELS * share / max));
}

static int level_in(const struct picture *p, const struct mpg_overview *o, int view, size_t group, size_t bin)
{
    return level_of(mpg_overview_share(o, group, bin, views[view].part), p->max[view]);
}

/* Writes the cells of one colour level; neighbouring cells are joined. */
static void put_cells(const struct picture *p, const struct mpg_overview *o, int view, int level)
{
    bool any = false;
    for (size_t g = 0; g < o->groups; g++)
        for (size_t i = 0, end; i < o->bins; i = end) {
            for (end = i; end < o->bins && level_in(p, o, view, g, end) == level; end++)
                ;
            if (end == i) {
                end++;
                continue;
            }
            if (!any)
                fprintf(p->out, "<path class=\"h%d\" d=\"", level);
            any = true;
            fprintf(p->out, "M%zu %zuh%zu", i, g, end - i);
        }
    if (any)
        fputs("\"/>", p->out);
}

static void put_rows(const struct picture *p, const struct mpg_overview *o, int row)
{
    const size_t step = (size_t)((15 + row - 1) / row);
    fputs("<div class=\"rows\" aria-hidden=\"true\">", p->out);
    for (size_t g = 0; g < o->groups; g += step) {
        const int32_t first = mpg_overview_first(o, g), last = mpg_overview_last(o, g);
        fprintf(p->out, "<span style=\"top:%zupx\">", g * (size_t)row);
        if (first == last)
            fprintf(p->out, "%s%d", g == 0 ? "rank " : "", first);
        else
            fprintf(p->out, "%s%d\u2013%d", g == 0 ? "ranks " : "", first, last);
        fputs("</span>", p->out);
    }
    fputs("</div>", p->out);
}

static void put_heat(const struct picture *p, int which)
{
    const struct mpg_overview *o = p->run[which];
    const int row = o->groups <= 8 ? 18 : o->groups <= 16 ? 14 : 10;
    fputs("<div class=\"plot\">", p->out);
    put_rows(p, o, row);
    fprintf(p->out, "<svg class=\"heat\" data-run=\"%d\" data-span=\"%.17g\" tabindex=\"0\" role=\"img\" "
                    "aria-label=\"%s run: parts of the ranks' time over time\" "
                    "viewBox=\"0 0 %d %zu\" preserveAspectRatio=\"none\" style=\"height:%zupx\">",
            which, p->span_ns[which], p->name[which], ACROSS, o->groups, o->groups * (size_t)row);
    fprintf(p->out, "<rect class=\"run\" width=\"%.1f\" height=\"%zu\"/>", ACROSS * o->run_ns / p->span_ns[which], o->groups);
    fprintf(p->out, "<g transform=\"scale(%.9g 1) translate(0 .5)\">", ACROSS * o->bin_ns / p->span_ns[which]);
    for (int view = 0; view < VIEWS; view++) {
        fprintf(p->out, "<g class=\"v%d\">", view);
        for (int level = 1; level <= LEVELS; level++)
            put_cells(p, o, view, level);
        fputs("</g>", p->out);
    }
    fputs("</g></svg></div>\n", p->out);
}

static void put_views(const struct picture *p)
{
    for (int view = 0; view < VIEWS; view++)
        fprintf(p->out, "<input type=\"radio\" name=\"part\" id=\"part%d\"%s/><label for=\"part%d\">%s</label>\n", view,
                view == 0 ? " checked=\"\"" : "", view, views[view].name);
    fputs("<p class=\"scale\">", p->out);
    for (int view = 0; view < VIEWS; view++)
        fprintf(p->out, "<span class=\"v%d\">0 <i></i> %.3g %%</span>", view, 100 * p->max[view]);
    fputs("</p>\n", p->out);
}

static void put_name(const struct picture *p, int which, bool has_bins)
{
    fprintf(p->out, "<h3>%s run, ", p->name[which]);
    put_time(p->out, p->run[which]->run_ns);
    if (has_bins) {
        fputs(", in bins of ", p->out);
        put_time(p->out, p->run[which]->bin_ns);
    }
    fputs("</h3>\n", p->out);
}

/* --- the calls --- */

static bool is_of(const struct mpg_overview_slice *s, const char *kind, bool several)
{
    return (s->calls > 1) == several && strcmp(mpg_overview_kind(s->place.call), kind) == 0;
}

static void put_slices(const struct picture *p, int which, const char *kind, bool several)
{
    const struct mpg_overview *o = p->run[which];
    const double scale = ACROSS / p->span_ns[which];
    bool any = false;
    for (size_t i = 0; i < o->rows; i++) {
        long last = -1;
        for (size_t k = 0; k < o->row[i].n; k++) {
            const struct mpg_overview_slice *s = &o->row[i].slice[k];
            const long from = lround(floor(s->from_ns * scale)), to = lround(ceil(s->to_ns * scale));
            if (!is_of(s, kind, several) || to <= last)
                continue;
            if (!any)
                fprintf(p->out, "<path class=\"%s%s\" d=\"", kind, several ? " several" : "");
            any = true;
            fprintf(p->out, "M%ld %zuh%ld", from > last ? from : last, i * ROW_PX + ROW_PX / 2, to - (from > last ? from : last));
            last = to;
        }
    }
    if (any)
        fputs("\"/>", p->out);
}

static void put_calls(const struct picture *p, int which)
{
    static const char *const kinds[] = {"send", "receive", "wait", "collective", "other"};
    const struct mpg_overview *o = p->run[which];
    fputs("<div class=\"plot\"><div class=\"rows\" aria-hidden=\"true\">", p->out);
    for (size_t i = 0; i < o->rows; i++)
        fprintf(p->out, "<span style=\"top:%zupx\">%s%d</span>", i * ROW_PX, i == 0 ? "rank " : "", o->row[i].rank);
    fprintf(p->out, "</div><svg class=\"calls\" data-run=\"%d\" tabindex=\"0\" role=\"img\" "
                    "aria-label=\"%s run: MPI calls over time\" "
                    "viewBox=\"0 0 %d %zu\" preserveAspectRatio=\"none\" style=\"height:%zupx\">",
            which, p->name[which], ACROSS, o->rows * ROW_PX, o->rows * ROW_PX);
    fputs("<path class=\"computing\" d=\"", p->out);
    for (size_t i = 0; i < o->rows; i++)
        fprintf(p->out, "M0 %zuh%.0f", i * ROW_PX + ROW_PX / 2, ACROSS * o->run_ns / p->span_ns[which]);
    fputs("\"/><g>", p->out);
    for (int several = 1; several >= 0; several--)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            put_slices(p, which, kinds[k], several);
    fputs("</g></svg></div>\n", p->out);
}

static void put_legend(const struct picture *p)
{
    static const char *const legend[][2] = {{"send", "sends"}, {"receive", "receives"}, {"wait", "waits and tests"},
                                            {"collective", "collectives"}, {"other", "other calls"}};
    fputs("<p class=\"legend\">", p->out);
    for (size_t i = 0; i < sizeof legend / sizeof *legend; i++)
        fprintf(p->out, "<span><i class=\"%s\"></i>%s</span> ", legend[i][0], legend[i][1]);
    fputs("<span><i class=\"computing\"></i>computation</span></p>\n", p->out);
}

/* --- all of it --- */

static void find_max(struct picture *p)
{
    for (int view = 0; view < VIEWS; view++)
        for (int which = 0; which < 2; which++)
            for (size_t g = 0; g < p->run[which]->groups; g++)
                for (size_t i = 0; i < p->run[which]->bins; i++)
                    p->max[view] = fmax(p->max[view], mpg_overview_share(p->run[which], g, i, views[view].part));
}

static void find_spans(struct picture *p)
{
    const double longest_ns = fmax(1, fmax(p->run[0]->run_ns, p->run[1]->run_ns));
    for (int which = 0; which < 2; which++)
        p->span_ns[which] = mpg_overview_fit(p->run[0], p->run[1]) ? longest_ns : fmax(1, p->run[which]->run_ns);
}

static bool gathers(const struct picture *p)
{
    bool any = false;
    for (int which = 0; which < 2; which++)
        for (size_t i = 0; i < p->run[which]->rows; i++)
            any = any || p->run[which]->row[i].width_ns > 0;
    return any;
}

static void put_explanation(const struct picture *p)
{
    const struct mpg_overview *o = p->run[0];
    fprintf(p->out, "<p class=\"soft\">The recorded run and the %s run with the median run time, since the first rank left "
                    "MPI_Init. ",
            strcmp(p->name[1], "Predicted") == 0 ? "predicted" : "perturbed");
    if (p->span_ns[0] == p->span_ns[1])
        fputs("Both have one time axis.", p->out);
    else
        fputs("One takes more than ten times as long, so each has a time axis of its own. Zooming shows the same part of both.",
              p->out);
    fprintf(p->out, " The heat map shows how much of each bin of time %s spend in one part of their time.",
            o->groups < (size_t)o->ranks ? "groups of neighbouring ranks" : "ranks");
    if (o->rows < (size_t)o->ranks)
        fprintf(p->out, " Calls are those of %zu ranks: half of them have the most %s, half the least.", o->rows,
                strcmp(p->name[1], "Predicted") == 0 ? "computation" : "noise");
    if (gathers(p))
        fputs(" Short calls that follow each other are drawn as one, in a lighter tone.", p->out);
    fputs("</p>\n<p class=\"soft\" id=\"keys\" hidden=\"\">Zoom: Ctrl and the wheel, + and \u2212, Shift and drag over a range. "
          "Pan: drag, \u2190 and \u2192. Row: \u2191 and \u2193; call or bin of the row: comma and full stop. Whole run: 0. "
          "<button type=\"button\" id=\"in\">zoom in</button> <button type=\"button\" id=\"out\">zoom out</button> "
          "<button type=\"button\" id=\"whole\">whole run</button> <output id=\"range\"></output></p>\n", p->out);
}

void mpg_page_runs(const struct mpg_page_parts *parts, const char *second, FILE *out)
{
    if (!parts->recorded || !parts->predicted) {
        fputs("<section id=\"runs\"><h2>The runs over time</h2><p class=\"soft\">Not drawn: ", out);
        mpg_html_write_text(out, parts->why_no_waits ? parts->why_no_waits : "there is no single run");
        fputs("</p></section>\n", out);
        return;
    }
    struct picture p = {.out = out, .run = {parts->recorded, parts->predicted}, .name = {"Recorded", second}};
    find_spans(&p);
    find_max(&p);
    fputs("<section id=\"runs\"><h2>The runs over time</h2>\n", out);
    put_explanation(&p);
    put_views(&p);
    for (int which = 0; which < 2; which++) {
        put_name(&p, which, true);
        put_heat(&p, which);
        put_axis(&p, which);
    }
    put_legend(&p);
    for (int which = 0; which < 2; which++) {
        put_name(&p, which, false);
        put_calls(&p, which);
        put_axis(&p, which);
    }
    fputs("<p id=\"at\" class=\"readout\" aria-live=\"polite\"></p>\n</section>\n", out);
}
