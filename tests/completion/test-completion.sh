#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of command lines by bash (TAP): completion/mpgkit.bash offers what --help=all lists, commands, words and files;
# it is what an installation installs.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# shellcheck source=completion/mpgkit.bash
. "$here/../../completion/mpgkit.bash"
compopt() { printf '%s ' "$@" >>"$work/compopt"; } # which bash defines during a completion only

# offered WORD...: prints the completions of the last word of a command line, split into words by bash.
offered() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    : >"$work/compopt"
    _mpgkit
    printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd' ' -
}

# options COMMAND...: prints the options of --help=all, as they are offered.
options() {
    "$@" --help=all | grep -oE '^ +(-., )?--[a-z][a-z0-9-]*=?' | grep -oE -- '--.*' | sort -u | paste -sd' ' -
}

complete_all() { # NAME COMMAND...
    local name=$1
    shift
    is "$name: its options" "$(offered "$@" --)" "$(options "$@")"
}

complete_all mpgsim "$MPGSIM"
for command in list show diff rerun; do
    complete_all "mpghistory $command" "$top_builddir/history/mpghistory" "$command"
done
complete_all sigmake "$SIGMAKE"
complete_all sigshow "$SIGSHOW"
complete_all sigdiff "$SIGDIFF"
complete_all mpgbench "$MPGBENCH"
for command in print import stat waits efficiency matrix sizes timeline graph; do
    complete_all "mpgtrace $command" "$MPGTRACE" "$command"
done
is "mpgtrace: its commands" "$(offered "$MPGTRACE" '')" \
    "$("$MPGTRACE" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' | sort | paste -sd' ' -)"
is "... that begin so" "$(offered "$MPGTRACE" gr)" "graph"
complete_all mpgscale "$MPGSCALE"
complete_all "mpgscale run" "$MPGSCALE" run
mkdir "$work/files" && mkdir "$work/files/runs" && : >"$work/files/other"
is "mpgscale: its command, and files" "$(cd "$work/files" && offered "$MPGSCALE" r)" "run runs"
is "mpgscale: words" "$(offered "$MPGSCALE" --table = '')" "aggregate callsites correlation efficiency runs"
is "... of formats" "$(offered "$MPGSCALE" --export = '')" "csv extrap jsonl none"
is "mpgbench: its benchmarks" "$(offered "$MPGBENCH" p)" "pingpong"
is "an option that begins so" "$(offered "$MPGSIM" --co)" "--collectives= --compute-ratio= --contention= --cores="
is "... the only one, without a space after it" "$(offered "$MPGSIM" --mo)|$(cat "$work/compopt")" \
    "--models=|-o nospace "
is "an old option is not" "$(offered "$MPGSIM" --noise-m)" ""
is "keys of an option" "$(offered "$MPGSIM" --models = '')" "byte= cosched= latency= measurement= noise= speed="
is "... of which one, without a space after it" "$(offered "$MPGSIM" --polling = i)|$(cat "$work/compopt")" "interval=|-o nospace "
is "words, after =" "$(offered "$MPGSIM" --absorb = '')" "clock none wait"
is "... of which some" "$(offered "$MPGSIM" --absorb = c)" "clock"
: >"$work/files/shared.par"
is "shipped targets, and files" "$(cd "$work/files" && offered "$MPGSIM" --target = '')" \
    "cm5 distributed engine= ethernet25 get= hdr ideal other runs shared shared.par slingshot tukey work="
is "... that begin so" "$(cd "$work/files" && offered "$MPGSIM" --target = sh)|$(cat "$work/compopt")" \
    "shared shared.par|-o filenames "
is "... which are all that are shipped" "$(cd "$top_srcdir/simulate/target" && printf '%s\n' *.par | sed 's/\.par$//' | sort | paste -sd' ' -)" \
    "$(cd "$work/files/runs" && offered "$MPGSIM" --target = '' | sed 's/[a-z]*= *//g; s/ $//')"
offered "$MPGSIM" --absorb = >"$work/out"
is "... right after it" "$(cat "$work/out")" "clock none wait"
is "words, after a blank" "$(offered "$MPGTRACE" waits --by re)" "region"
is "a file: as by default" "$(offered "$MPGSIM" --signature = mach)|$(cat "$work/compopt")" "|"
is "a time: nothing, no file" "$(offered "$MPGSIM" --latency = 1)|$(cat "$work/compopt")" "|+o default +o bashdefault "
is "a letter's argument" "$(offered "$MPGTRACE" print -o "fi")|$(cat "$work/compopt")" "|"
is "after a flag the next word" "$(offered "$MPGSIM" --json --per-)" "--per-rank"
is "a trace: as by default" "$(offered "$MPGSIM" --json ring)" ""
is "a program that is not there: nothing" "$(offered "$work/none" --)" ""
"$MPGSIM" --completion more >"$work/out" 2>"$work/err"
is "--completion is for shells, alone" "$? $(wc -c <"$work/out") $(wc -l <"$work/err")" "2 0 1"
if make -s -C "$top_builddir" install-data-local DESTDIR="$work/at" >"$work/out" 2>&1; then
    (cd "$work/at" && find . -name mpgsim -exec cat {} \; | cmp -s - "$here/../../completion/mpgkit.bash")
    is "installed, as the program is called" $? 0
    make -s -C "$top_builddir" uninstall-local DESTDIR="$work/at" >"$work/out" 2>&1
    is "... and uninstalled" "$(find "$work/at" ! -type d)" ""
else
    sed 's/^/# /' "$work/out"
    ok "installed, as the program is called" false
fi
done_testing
