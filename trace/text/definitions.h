/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses definition lines of a text. Private to trace/text/. */
#ifndef MPG_TEXT_DEFINITIONS_H
#define MPG_TEXT_DEFINITIONS_H

#include "trace/build/build.h"

/* Each function parses (and modifies) TEXT, the line after the directive's name, and gives the definition to BUILD. RANKS:
 * number of ranks of the trace. Returns 0, or -1 with ERR: wrong syntax, errors of trace/build/build.h. */
int mpg_text_parse_comm(struct mpg_build *build, int32_t ranks, char *text, struct mpg_error *err);
int mpg_text_parse_topology(struct mpg_build *build, int32_t ranks, char *text, struct mpg_error *err);
int mpg_text_parse_object(struct mpg_build *build, enum mpg_object_kind kind, char *text, struct mpg_error *err);
int mpg_text_parse_module(struct mpg_build *build, char *text, struct mpg_error *err);
int mpg_text_parse_site(struct mpg_build *build, char *text, struct mpg_error *err);

#endif
