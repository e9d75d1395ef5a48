/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scale/read/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash(int64_t parent, enum mpg_call call, const char *key)
{
    uint64_t h = 0xcbf29ce484222325u ^ (uint64_t)(parent + 1) * 0x9e3779b97f4a7c15u ^ (uint64_t)call << 40;
    for (; *key; key++) /* FNV-1a */
        h = (h ^ (uint8_t)*key) * 0x100000001b3u;
    return h;
}

static char *copy_of(const char *text, bool *failed)
{
    char *copy = text ? strdup(text) : NULL;
    *failed |= text && !copy;
    return copy;
}

/* Returns the name of a node, for the caller to free: for CALL "Wait" and TEXT "x_solve.f:71": "Wait:x_solve.f:71"; with a
 * PARENT, the parent's name followed by " < " and TEXT. NULL: out of memory. */
static char *name_of(const struct scale_tree *tree, int64_t parent, enum mpg_call call, const char *text)
{
    const char *before = parent >= 0 ? tree->nodes[parent].site.name : call < MPG_CALL_COUNT ? mpg_call_name(call) : "";
    const char *between = !*before || !*text ? "" : parent >= 0 ? " < " : ":";
    char *name = malloc(strlen(before) + strlen(between) + strlen(text) + 1);
    if (name)
        strcat(strcat(strcpy(name, before), between), text);
    return name;
}

static bool make_node(struct scale_tree *tree, int64_t parent, enum mpg_call call, const struct scale_frame_key *frame)
{
    if (tree->node_number == tree->node_capacity) {
        const size_t more = tree->node_capacity ? 2 * tree->node_capacity : 64;
        struct scale_node *grown = realloc(tree->nodes, more * sizeof *grown);
        if (!grown)
            return false;
        tree->nodes = grown;
        tree->node_capacity = more;
    }
    bool failed = false;
    struct scale_node *node = &tree->nodes[tree->node_number];
    *node = (struct scale_node){.site = {.call = call,
                                         .name = name_of(tree, parent, call, frame->text),
                                         .line = frame->line,
                                         .parent = parent,
                                         .depth = parent >= 0 ? tree->nodes[parent].site.depth + 1 : 1},
                                .key = copy_of(frame->key, &failed)};
    node->site.function = copy_of(parent >= 0 ? tree->nodes[parent].site.function : frame->function, &failed);
    node->site.file = copy_of(parent >= 0 ? tree->nodes[parent].site.file : frame->file, &failed);
    if (parent >= 0)
        node->site.line = tree->nodes[parent].site.line;
    tree->node_number++;
    return !failed && node->site.name;
}

int64_t mpg_scale_tree_find(struct scale_tree *tree, int64_t parent, enum mpg_call call, const struct scale_frame_key *frame)
{
    const uint64_t h = hash(parent, call, frame->key);
    for (uint64_t i = 0;; i++) {
        uint64_t *at = mpg_map_add(&tree->index, h, i);
        if (!at)
            return -1;
        if (*at == 0) {
            if (!make_node(tree, parent, call, frame))
                return -1;
            *at = tree->node_number;
            return (int64_t)*at - 1;
        }
        const struct scale_node *node = &tree->nodes[*at - 1];
        if (node->site.parent == parent && node->site.call == call && strcmp(node->key, frame->key) == 0)
            return (int64_t)*at - 1;
    }
}

int mpg_scale_tree_begin(struct scale_tree *tree)
{
    if (tree->column_number == tree->column_capacity) {
        const size_t more = tree->column_capacity ? 2 * tree->column_capacity : 16;
        struct scale_column *grown = realloc(tree->columns, more * sizeof *grown);
        if (!grown)
            return -1;
        tree->columns = grown;
        tree->column_capacity = more;
    }
    tree->columns[tree->column_number++] = (struct scale_column){.n = 0};
    tree->touched_number = 0;
    for (size_t i = 0; i < tree->room; i++)
        tree->rank_ns[i] = -1;
    return 0;
}

static struct scale_column *last_column(struct scale_tree *tree)
{
    return &tree->columns[tree->column_number - 1];
}

/* Makes room for all nodes in the last column and in the arrays of the current rank. */
static int make_room(struct scale_tree *tree)
{
    struct scale_column *column = last_column(tree);
    const size_t more = tree->node_capacity;
    if (tree->room < more) {
        double *rank_ns = realloc(tree->rank_ns, more * sizeof *rank_ns);
        if (!rank_ns)
            return -1;
        tree->rank_ns = rank_ns;
        uint32_t *touched = realloc(tree->touched, more * sizeof *touched);
        if (!touched)
            return -1;
        tree->touched = touched;
        size_t *detail = realloc(tree->detail, more * sizeof *detail);
        if (!detail)
            return -1;
        tree->detail = detail;
        for (size_t i = tree->room; i < more; i++)
            tree->rank_ns[i] = -1; /* negative: the rank does not have the node */
        tree->room = more;
    }
    struct scale_cell *cell = realloc(column->cell, more * sizeof *cell);
    if (!cell)
        return -1;
    column->cell = cell;
    if (column->counters) {
        double *counters = realloc(column->counters, more * SCALE_COUNTERS * sizeof *counters);
        if (!counters)
            return -1;
        column->counters = counters;
        memset(counters + column->n * SCALE_COUNTERS, 0, (more - column->n) * SCALE_COUNTERS * sizeof *counters);
    }
    const double wait_ns = column->waits ? 0 : NAN;
    for (; column->n < more; column->n++)
        cell[column->n] = (struct scale_cell){.wait_ns = wait_ns};
    return 0;
}

static void add_sum(struct scale_cell *cell, const struct scale_sum *sum)
{
    if (cell->count == 0 || sum->min_ns < cell->min_ns)
        cell->min_ns = sum->min_ns;
    if (cell->count == 0 || sum->max_ns > cell->max_ns)
        cell->max_ns = sum->max_ns;
    cell->count += sum->count;
    cell->time_ns += sum->time_ns;
    cell->sent_bytes += sum->sent_bytes;
    cell->received_bytes += sum->received_bytes;
}

/* Adds an entry for NODE and the current rank to the details of COLUMN. */
static int add_detail(struct scale_tree *tree, struct scale_column *column, uint32_t node)
{
    if (column->detail_number == column->detail_capacity) {
        const size_t more = column->detail_capacity ? 2 * column->detail_capacity : 256;
        struct scale_detail *grown = realloc(column->details, more * sizeof *grown);
        if (!grown)
            return -1;
        column->details = grown;
        column->detail_capacity = more;
    }
    column->details[column->detail_number] = (struct scale_detail){.site = node};
    tree->detail[node] = column->detail_number++;
    return 0;
}

static void add_to_detail(struct scale_detail *detail, const struct scale_sum *sum)
{
    if (detail->count == 0 || sum->min_ns < detail->min_ns)
        detail->min_ns = sum->min_ns;
    if (detail->count == 0 || sum->max_ns > detail->max_ns)
        detail->max_ns = sum->max_ns;
    detail->count += sum->count;
    detail->time_ns += sum->time_ns;
}

int mpg_scale_tree_add(struct scale_tree *tree, const uint32_t *nodes, size_t n, const struct scale_sum *sum)
{
    struct scale_column *column = last_column(tree);
    for (size_t i = 0; i < n; i++) {
        if (nodes[i] >= column->n && make_room(tree) < 0)
            return -1;
        double *rank_ns = &tree->rank_ns[nodes[i]];
        if (*rank_ns < 0) {
            if (tree->ranks && add_detail(tree, column, nodes[i]) < 0)
                return -1;
            *rank_ns = 0;
            tree->touched[tree->touched_number++] = nodes[i];
        }
        *rank_ns += sum->time_ns;
        if (tree->ranks)
            add_to_detail(&column->details[tree->detail[nodes[i]]], sum);
        add_sum(&column->cell[nodes[i]], sum);
    }
    return 0;
}

int mpg_scale_tree_count(struct scale_tree *tree, const uint32_t *nodes, size_t n, size_t counter, double value)
{
    struct scale_column *column = last_column(tree);
    for (size_t i = 0; i < n && counter < SCALE_COUNTERS; i++) {
        if (nodes[i] >= column->n && make_room(tree) < 0)
            return -1;
        if (!column->counters && !(column->counters = calloc(column->n * SCALE_COUNTERS, sizeof *column->counters)))
            return -1;
        column->counters[nodes[i] * SCALE_COUNTERS + counter] += value;
    }
    return 0;
}

void mpg_scale_tree_wait(struct scale_tree *tree, const uint32_t *nodes, size_t n, double wait_ns)
{
    struct scale_column *column = last_column(tree);
    for (size_t i = 0; i < n; i++)
        if (nodes[i] < column->n)
            column->cell[nodes[i]].wait_ns += wait_ns;
}

void mpg_scale_tree_know_waits(struct scale_tree *tree)
{
    struct scale_column *column = last_column(tree);
    column->waits = true;
    for (size_t i = 0; i < column->n; i++)
        column->cell[i].wait_ns = 0;
}

void mpg_scale_tree_end_rank(struct scale_tree *tree, int32_t rank)
{
    struct scale_column *column = last_column(tree);
    for (size_t i = 0; i < tree->touched_number; i++) {
        double *rank_ns = &tree->rank_ns[tree->touched[i]];
        struct scale_cell *cell = &column->cell[tree->touched[i]];
        if (cell->ranks++ == 0 || *rank_ns > cell->max_rank_ns)
            cell->max_rank_ns = *rank_ns;
        *rank_ns = -1;
        if (tree->ranks)
            column->details[tree->detail[tree->touched[i]]].rank = rank;
    }
    tree->touched_number = 0;
}

void mpg_scale_tree_drop(struct scale_tree *tree)
{
    struct scale_column *column = last_column(tree);
    free(column->cell);
    free(column->counters);
    free(column->details);
    tree->column_number--;
}

void mpg_scale_tree_clear(struct scale_tree *tree)
{
    while (tree->column_number > 0)
        mpg_scale_tree_drop(tree);
    for (size_t i = 0; i < tree->node_number; i++) {
        free(tree->nodes[i].site.name);
        free(tree->nodes[i].site.function);
        free(tree->nodes[i].site.file);
        free(tree->nodes[i].key);
    }
    mpg_map_clear(&tree->index);
    free(tree->nodes);
    free(tree->columns);
    free(tree->rank_ns);
    free(tree->touched);
    free(tree->detail);
    *tree = (struct scale_tree){.node_number = 0};
}
