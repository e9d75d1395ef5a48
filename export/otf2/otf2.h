/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace as an OTF2 archive, mpgotf2(5), written with libotf2. Memory does not grow with the number of events. */
#ifndef MPG_EXPORT_OTF2_H
#define MPG_EXPORT_OTF2_H

#include "common/error.h"
#include "export/left_out.h"
#include "trace/reader.h"
#include "trace/sink.h"

struct mpg_otf2_writer;

/* Begins an archive NAME of TRACE in FOLDER: FOLDER/NAME.otf2, FOLDER/NAME.def and FOLDER/NAME/. FOLDER must exist, without these
 * files. LEFT counts the properties of TRACE that OTF2 cannot hold; both must outlive the writer. Returns NULL with ERR. The
 * caller frees the writer. */
struct mpg_otf2_writer *mpg_otf2_writer_new(struct mpg_trace *trace, const char *folder, const char *name,
                                            struct mpg_left_out *left, struct mpg_error *err);
/* Returns a sink that takes all ranks of the trace, valid as long as W. The archive is complete after the last rank's
 * end. */
struct mpg_sink mpg_otf2_writer_sink(struct mpg_otf2_writer *w);
void mpg_otf2_writer_free(struct mpg_otf2_writer *w); /* Frees the writer; NULL is allowed. */

#endif
