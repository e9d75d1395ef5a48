/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Imports a Paraver trace: NAME.prv or NAME.prv.gz, with the names of the calls in NAME.pcf. */
#include "trace/paraver/import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/foreign/unpack.h"
#include "trace/paraver/paraver.h"

static int define_comms(struct prv_import *im, struct mpg_error *err)
{
    for (size_t i = 0; i < im->comm_number; i++) {
        const struct mpg_foreign_comm *c = &im->comms[i];
        const struct mpg_build_comm built = {c->label, MPG_NO_COMM, -1, c->size, 0, c->members};
        if (c->label > 0 && mpg_build_comm(im->foreign.build, &built, err) < 0)
            return -1;
    }
    return 0;
}

static int import_calls(struct prv_import *im, const char *target, int fd, const struct mpg_import_config *config,
                        struct mpg_error *err)
{
    bool is_one_node = true;
    if (mpg_foreign_begin(&im->foreign, "Paraver", "Paraver", im->ranks, target, fd, config, err) < 0)
        return -1;
    im->own = (struct mpg_foreign_comm){0, 0, im->ranks, calloc((size_t)im->ranks, sizeof(int32_t)), im->ranks};
    if (!im->own.members)
        return mpg_error_set(err, "out of memory");
    for (int32_t r = 0; r < im->ranks; r++) {
        im->own.members[r] = r;
        is_one_node = is_one_node && im->rank[r].node == im->rank[0].node;
    }
    if ((is_one_node && mpg_build_fact(im->foreign.build, -1, "clocks", "shared", err) < 0) || define_comms(im, err) < 0 ||
        mpg_prv_make_calls(im, err) < 0)
        return -1;
    return mpg_foreign_end(&im->foreign, is_one_node ? "shared (one node)" : "unknown", err);
}

static void clear(struct prv_import *im)
{
    for (size_t i = 0; i < im->thread_number; i++)
        free(im->threads[i].posting);
    free(im->threads);
    mpg_sorter_free(im->calls);
    mpg_sorter_free(im->channels);
    mpg_sorter_free(im->sends);
    mpg_sorter_free(im->receives);
    for (size_t i = 0; i < im->comm_number; i++)
        free(im->comms[i].members);
    for (size_t i = 0; i < im->name_number; i++)
        free(im->names[i].name);
    free(im->names);
    free(im->comms);
    free(im->rank);
    free(im->own.members);
    mpg_map_clear(&im->name_numbers);
    mpg_map_clear(&im->other_threads);
    mpg_map_clear(&im->positions);
    mpg_map_clear(&im->roots);
    mpg_map_clear(&im->collectives);
    mpg_foreign_clear(&im->foreign);
}

int mpg_paraver_import(const char *path, const char *target, int fd, const struct mpg_import_config *config,
                       struct mpg_error *err)
{
    struct prv_import im = {.path = path};
    FILE *in = mpg_unpack_open(path);
    int status = in ? mpg_prv_read_names(&im, err) : mpg_error_errno(err, errno, "%s", path);
    if (status == 0)
        status = mpg_prv_open_sorters(&im, err);
    if (status == 0)
        status = mpg_prv_read(&im, in, err);
    if (status == 0)
        status = import_calls(&im, target, fd, config, err);
    if (status < 0 && strncmp(err->text, path, strlen(path)) != 0)
        mpg_error_prefix(err, "%s", path);
    if (in)
        (void)fclose(in);
    clear(&im);
    return status;
}
