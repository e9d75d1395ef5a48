/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgtrace stat of a profile: ranks, and callsites summed over ranks. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "common/printable.h"
#include "common/table/table.h"
#include "common/text_stream.h"
#include "common/units.h"
#include "trace/commands.h"
#include "trace/profile/profile.h"
#include "trace/stat/symbols.h"

/* A row of the profile, summed over ranks. A rank without the row counts as 0 ns in MIN_NS. */
struct line {
    struct mpg_profile_row sum;
    int32_t ranks; /* number of ranks that have this row */
    double min_ns, max_ns;    /* smallest and largest sum of a rank */
};

struct report {
    struct line *lines;
    size_t number, capacity;
    struct mpg_map index; /* (call, callsite) -> 1 + index in LINES */
    int32_t ranks, running, died, ended;
    uint64_t calls;
    double run_ns, longest_ns, mpi_ns;
    double min_share, max_share;    /* smallest and largest share, 0 to 1, of a rank's run that is in MPI */
    int32_t min_rank, max_rank;
    char *program, *date, *host, *values; /* VALUES: names of the counters of the first rank with counters */
    int64_t counted[MPG_PROFILE_MAX_VALUES];
    int32_t counting; /* number of ranks that recorded the counters in VALUES */
};

static bool is_in_run(enum mpg_call call)
{
    const enum mpg_kind kind = mpg_call_kind(call);
    return kind != MPG_KIND_INIT && kind != MPG_KIND_FINALIZE;
}

static struct line *find_line(struct report *r, const struct mpg_profile_row *row)
{
    uint64_t *frame = mpg_map_add(&r->index, row->call, (uint64_t)(row->site - MPG_OTHER_SITES));
    if (!frame)
        return NULL;
    if (*frame)
        return &r->lines[*frame - 1];
    if (r->number == r->capacity) {
        const size_t more = r->capacity ? 2 * r->capacity : 64;
        struct line *grown = realloc(r->lines, more * sizeof *grown);
        if (!grown)
            return NULL;
        r->lines = grown;
        r->capacity = more;
    }
    r->lines[r->number] = (struct line){
        .sum = {.call = row->call, .site = row->site, .min_ns = INT64_MAX}};
    *frame = ++r->number;
    return &r->lines[*frame - 1];
}

static int add_row(struct report *r, const struct mpg_profile_row *row, struct mpg_error *err)
{
    struct line *line = find_line(r, row);
    if (!line)
        return mpg_error_set(err, "out of memory");
    struct mpg_profile_row *sum = &line->sum;
    sum->count += row->count;
    sum->time_ns += row->time_ns;
    sum->min_ns = row->min_ns < sum->min_ns ? row->min_ns : sum->min_ns;
    sum->max_ns = row->max_ns > sum->max_ns ? row->max_ns : sum->max_ns;
    sum->sent_bytes += row->sent_bytes;
    sum->received_bytes += row->received_bytes;
    const double time_ns = (double)row->time_ns;
    if (line->ranks++ == 0 || time_ns < line->min_ns)
        line->min_ns = time_ns;
    if (time_ns > line->max_ns)
        line->max_ns = time_ns;
    return 0;
}

/* Stores the value of the current rank's fact WANTED in *TEXT, unless *TEXT has an earlier rank's value. */
static void keep_fact(const struct mpg_profile *p, const char *wanted, char **text)
{
    const char *key, *value;
    for (size_t i = 0; !*text && mpg_profile_fact(p, i, &key, &value); i++)
        if (strcmp(key, wanted) == 0)
            *text = strdup(value);
}

/* Adds RANK's counter values to the sums if RANK recorded the counters of the first rank with counters. */
static void add_counted(struct report *r, const struct mpg_profile *p, const struct mpg_profile_rank *rank)
{
    char *own = NULL;
    keep_fact(p, "values", &own);
    keep_fact(p, "values", &r->values);
    if (own && r->values && strcmp(own, r->values) == 0) {
        r->counting++;
        for (size_t i = 0; i < rank->row_number; i++)
            for (uint32_t k = 0; k < rank->value_number; k++)
                r->counted[k] = (int64_t)((uint64_t)r->counted[k] + (uint64_t)rank->rows[i].values[k]);
    }
    free(own);
}

static void print_counted(const struct report *r)
{
    if (!r->values)
        return;
    fputs("counted     ", stdout);
    const char *name = r->values;
    for (uint32_t k = 0; *name && k < MPG_PROFILE_MAX_VALUES; k++) {
        char text[256];
        const size_t length = strcspn(name, " ");
        mpg_printable_bytes(text, sizeof text, name, length);
        printf("%s%s %" PRId64, k ? ", " : "", text, r->counted[k]);
        name += length + strspn(name + length, " ");
    }
    printf(" between calls");
    if (r->counting < r->ranks)
        printf(", on %d of %d ranks", r->counting, r->ranks);
    putchar('\n');
}

static int add_rank(struct report *r, const struct mpg_profile *p,
                    const struct mpg_profile_rank *rank, struct mpg_error *err)
{
    double mpi_ns = 0;
    for (size_t i = 0; i < rank->row_number; i++) {
        if (add_row(r, &rank->rows[i], err) < 0)
            return -1;
        r->calls += rank->rows[i].count;
        if (is_in_run(rank->rows[i].call))
            mpi_ns += (double)rank->rows[i].time_ns;
    }
    const double run_ns = (double)(rank->run_ns - rank->paused_ns);
    const double share = run_ns > 0 ? mpi_ns / run_ns : 0;
    if (r->ranks == 0 || share < r->min_share) {
        r->min_share = share;
        r->min_rank = rank->rank;
    }
    if (r->ranks == 0 || share > r->max_share) {
        r->max_share = share;
        r->max_rank = rank->rank;
    }
    r->run_ns += run_ns;
    r->mpi_ns += mpi_ns;
    if (run_ns > r->longest_ns)
        r->longest_ns = run_ns;
    r->ranks++;
    r->running += rank->runs;
    r->died += rank->state == MPG_PROFILE_RUNNING && !rank->runs;
    r->ended += rank->state == MPG_PROFILE_ENDED;
    add_counted(r, p, rank);
    keep_fact(p, "program", &r->program);
    keep_fact(p, "date", &r->date);
    keep_fact(p, "host", &r->host);
    return 0;
}

static void print_fact(const char *before, const char *text)
{
    if (!text)
        return;
    fputs(before, stdout);
    mpg_printable_put(stdout, text);
}

static void print_head(const struct report *r, const char *path)
{
    char longest[32], all[32];
    fputs("profile     ", stdout);
    mpg_printable_put(stdout, path);
    printf("\nranks       %d", r->ranks);
    if (r->running)
        printf(" (%d still running)", r->running);
    if (r->died)
        printf(" (%d died)", r->died);
    if (r->ended)
        printf(" (%d ended without MPI_Finalize)", r->ended);
    print_fact("\ndate        ", r->date);
    print_fact("\nprogram     ", r->program);
    print_fact("\nhost        ", r->host);
    printf("\nrun time    %s (longest rank, MPI_Init to MPI_Finalize)\n",
           mpg_units_format_time(longest, sizeof longest, r->longest_ns));
    if (r->run_ns > 0)
        printf("in MPI      %.2f %% of all ranks' time, %s (%.2f %% on rank %d to %.2f %% on rank %d)\n",
               100 * r->mpi_ns / r->run_ns, mpg_units_format_time(all, sizeof all, r->mpi_ns),
               100 * r->min_share, r->min_rank, 100 * r->max_share, r->max_rank);
    print_counted(r);
    printf("calls       %" PRIu64 ", %zu rows of calls and callsites\n", r->calls, r->number);
}

/* Returns whether FUNCTION is the C library's caller of main: in a program without symbols main() has no name. */
static bool starts_main(const char *function)
{
    return strncmp(function, "__libc_start_", strlen("__libc_start_")) == 0;
}

static void put_frame(const struct mpg_symbol *frame, bool first, FILE *text)
{
    const char *file = frame->file, *slash = file ? strrchr(file, '/') : NULL;
    fprintf(text, "%s%s", first ? "" : " < ", frame->function);
    if (file)
        fprintf(text, " (%s:%d)", slash ? slash + 1 : file, frame->line);
}

/* Writes the frames of SITE up to main() to TEXT, innermost first. */
static int put_site(const struct mpg_profile *p, struct mpg_symbols *symbols, int32_t site, FILE *text,
                    struct mpg_error *err)
{
    const struct mpg_site *s = mpg_profile_site(p, site);
    bool main_seen = false;
    for (uint32_t i = 0; i < s->frame_number && !main_seen; i++) {
        const struct mpg_symbol *callsites;
        const int32_t module = s->frames[i].module;
        const int n = mpg_symbols_look_up(symbols, module < 0 ? NULL : mpg_profile_module(p, module), s->frames[i].offset,
                                          &callsites, err);
        if (n < 0)
            return -1;
        if (i > 0 && starts_main(callsites[0].function))
            break;
        for (int k = 0; k < n; k++) {
            put_frame(&callsites[k], i == 0 && k == 0, text);
            main_seen |= strcmp(callsites[k].function, "main") == 0;
        }
    }
    return 0;
}

static int by_time(const void *a, const void *b)
{
    const struct mpg_profile_row *x = &((const struct line *)a)->sum;
    const struct mpg_profile_row *y = &((const struct line *)b)->sum;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? 1 : -1;
    if (x->call != y->call)
        return x->call < y->call ? -1 : 1;
    return x->site < y->site ? -1 : x->site > y->site;
}

#define TIME(HEADING) {.heading = HEADING, .formatter = mpg_units_format_time, .width = 10}
#define SIZE(HEADING) {.heading = HEADING, .formatter = mpg_table_format_size_if_any, .width = 10}
enum { CALL, COLUMNS = 12 };
static const struct mpg_table_column columns[COLUMNS] = {
    [CALL] = {.heading = "call", .width = 22, .left = true},
    {.heading = "number", .width = 11},
    TIME("time"),
    {.heading = "of run", .format = "%.2f %%", .width = 8},
    TIME("least"), TIME("most"), /* the time of the shortest and of the longest call */
    /* Time of all calls of a rank: minimum, mean and maximum over ranks. */
    TIME("least"), TIME("mean"), TIME("most"),
    SIZE("sent"), SIZE("received"),
    {.heading = "callsite", .gap = 2, .left = true}};

static int put_line(struct mpg_table *t, const struct report *r, const struct line *line, const struct mpg_profile *p,
                    struct mpg_symbols *symbols, struct mpg_error *err)
{
    const struct mpg_profile_row *sum = &line->sum;
    const double share = is_in_run(sum->call) && r->run_ns > 0 ? 100 * (double)sum->time_ns / r->run_ns : NAN;
    char *from = NULL;
    size_t size;
    mpg_table_printf(t, "MPI_%s", mpg_call_name(sum->call));
    mpg_table_count(t, sum->count);
    mpg_table_numbers(t, (double[]){(double)sum->time_ns, share, (double)sum->min_ns, (double)sum->max_ns,
                                    line->ranks < r->ranks ? 0 : line->min_ns, (double)sum->time_ns / r->ranks, line->max_ns,
                                    (double)sum->sent_bytes, (double)sum->received_bytes}, 9);
    if (sum->site < 0) {
        mpg_table_text(t, sum->site == MPG_OTHER_SITES ? "(other callsites)" : NULL);
        return 0;
    }
    FILE *text = open_memstream(&from, &size);
    const int status = text ? put_site(p, symbols, sum->site, text, err) : 0;
    const bool whole = text && mpg_text_end(text, &from);
    mpg_table_text(t, from);
    free(from);
    return status < 0 || whole ? status : mpg_error_set(err, "out of memory");
}

static int print_lines(const struct report *r, const struct mpg_profile *p,
                       struct mpg_symbols *symbols, struct mpg_error *err)
{
    struct mpg_table_column list[COLUMNS];
    struct mpg_table t = {MPG_TABLE_COLUMNS(list), .gap = 1, .trims = true};
    int status = 0;
    memcpy(list, columns, sizeof list);
    for (size_t i = 0; i < r->number; i++) {
        const int length = 4 + (int)strlen(mpg_call_name(r->lines[i].sum.call));
        list[CALL].width = length > list[CALL].width ? length : list[CALL].width;
    }
    printf("\n%*s%57s%33s%11s%11s\n", list[CALL].width, "", "time of a call ", "time of a rank    ", "bytes", "bytes");
    mpg_table_begin(&t, MPG_TABLE_TEXT, stdout);
    for (size_t i = 0; i < r->number && status == 0; i++)
        status = put_line(&t, r, &r->lines[i], p, symbols, err);
    return mpg_table_end(&t, status < 0 ? NULL : err) < 0 ? -1 : status;
}

int mpg_profile_report(const char *path, const char *debug_path, struct mpg_error *err)
{
    struct report r = {0};
    struct mpg_profile_rank rank;
    int more = -1;
    struct mpg_profile *p = mpg_profile_open(path, err);
    struct mpg_symbols *symbols = p ? mpg_symbols_new(debug_path, err) : NULL;
    while (symbols && (more = mpg_profile_next(p, &rank, err)) > 0 &&
           add_rank(&r, p, &rank, err) == 0)
        ;
    if (more == 0) {
        if (r.number)
            qsort(r.lines, r.number, sizeof *r.lines, by_time);
        print_head(&r, path);
        more = print_lines(&r, p, symbols, err);
    }
    mpg_symbols_free(symbols);
    mpg_profile_close(p);
    mpg_map_clear(&r.index);
    free(r.lines);
    free(r.program);
    free(r.date);
    free(r.host);
    free(r.values);
    return more == 0 ? 0 : -1;
}
