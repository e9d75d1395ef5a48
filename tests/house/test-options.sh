#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The command line of every program (TAP): --help and --version, wrong and abbreviated options,
# and --help=all against the man page, option by option and key by key.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. "${top_srcdir:?}/tests/tap.sh"

# run COMMAND...: runs COMMAND; output in $work/out and $work/err, exit status in $status.
run() {
    "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
}

complain() {
    echo "exit status $status, standard output and error:" | cat - "$work/out" "$work/err" |
        sed 's/^/# /'
    return 1
}

# same FILE FILE: succeeds if the files are equal; otherwise prints the difference.
same() {
    diff "$1" "$2" >"$work/diff" && return 0
    sed 's/^/# /' "$work/diff"
    return 1
}

# answered PATTERN: succeeds if the last run exited with 0, printed PATTERN on standard output, and nothing on standard
# error.
answered() {
    [ "$status" -eq 0 ] && [ ! -s "$work/err" ] && grep -q -- "$1" "$work/out" && return 0
    complain
}

# refused: succeeds if the last run exited with 2, printed one line on standard error, and nothing on standard output.
refused() {
    [ "$status" -eq 2 ] && [ ! -s "$work/out" ] && [ "$(wc -l <"$work/err")" -eq 1 ] && return 0
    complain
}

# given_twice OPTION COMMAND...: checks that an option given twice is refused. Tries several values until one is valid;
# an option that takes words lists them in its error message.
given_twice() {
    local option=$1 value word
    shift
    for value in 1 2 0.9 99 1ms 64KiB 0-1 0; do
        run "$@" "$option=$value" .
        word=$(sed -nE "s/.*$option: '$value' is not ([a-z-]+).*/\1/p" "$work/err")
        run "$@" "$option=${word:-$value}" "$option=${word:-$value}" .
        grep -q -- "$option is given twice" "$work/err" && refused >"$work/complaint" && return 0
    done
    complain
}

# Prints the long options that the --help on standard input lists.
help_options() {
    grep -oE '^ +(-., )?--[a-z][a-z0-9-]*' | grep -oE -- '--[a-z][a-z0-9-]*' | sort -u
}

# Prints the long options that man page $1 defines, on lines after .TP.
page_options() {
    awk '/^\.TP/ { tag = 1; next } tag && !/^\.\\"/ { print; tag = /^\.(TQ|PD)/ }' "$1" |
        sed 's/\\-/-/g; s/\\f[A-Z]//g; s/"//g' |
        grep -oE -- '--[a-z][a-z0-9-]*' | sort -u
}

# Prints the keys in the table on standard input, as --completion prints it: lines such as "--source latency".
table_keys() {
    awk -F'[\t|]' '{ sub(/\[?=\]?$/, "", $1); for (i = 2; i <= NF; i++) if ($i ~ /^[a-z-]+=$/) print $1, substr($i, 1, length($i) - 1) }' | sort
}

# Prints the keys that man page $1 defines: on a line after .TP, separated by commas, between .RS and .RE below an
# option; in the format of table_keys, followed by the argument's name.
page_keys() {
    awk '/^\.SH/ { option = "" } /^\.RS/ { depth++ } /^\.RE/ { depth-- }
        /^\.TP/ { tag = 1; next }
        tag && !/^\.\\"/ {
            tag = /^\.(TQ|PD)/
            gsub(/\\-/, "-"); gsub(/\\f[A-Z]|"/, "")
            if (depth == 0) option = match($0, /--[a-z][a-z0-9-]*/) ? substr($0, RSTART, RLENGTH) : ""
            else if (option) {
                sub(/^\.[BIR]+ /, "")
                n = split($0, part, ", ")
                for (i = 1; i <= n; i++)
                    if (match(part[i], /^[a-z][a-z-]*=/)) {
                        argument = substr(part[i], RLENGTH + 1); sub(/^ /, "", argument)
                        print option, substr(part[i], 1, RLENGTH - 1), argument
                    }
            }
        }' "$1" | sort
}

# helps_with OPTION KEY: succeeds if the help text of OPTION in $work/help contains KEY=.
helps_with() {
    awk -v o="$1" -v k="$2=" '/^ +(-., )?--/ { on = index($0 "=", o "=") || index($0, o "[") } on && index($0, k) { found = 1 }
        END { exit !found }' "$work/help"
}

# most_lines NAME: prints the largest permitted number of lines of NAME's --help.
most_lines() {
    case $1 in mpgsim) echo 30 ;; *) echo 40 ;; esac
}

# names_all: succeeds if --help, in $work/help, equals --help=all, in $work/out, or says how to see all options.
names_all() {
    cmp -s "$work/help" "$work/out" && return 0
    [ "$(wc -l <"$work/help")" -lt "$(wc -l <"$work/out")" ] && grep -q "^All options: .* --help=all$" "$work/help"
}

# abbreviates COMMAND...: succeeds if COMMAND accepts --vers for --version.
abbreviates() {
    run "$@" --vers
    answered "(mpgkit) [0-9]"
}

# keys PAGE NAME COMMAND...: checks that each key of COMMAND's options is on man page PAGE and in the help text in
# $work/help, and is checked like an option's value.
keys() {
    local page=$1 name=$2 option key argument
    shift 2
    run "$@" --completion
    table_keys <"$work/out" >"$work/keys"
    [ -s "$work/keys" ] || return 0
    page_keys "$page" >"$work/page-keys"
    cut -d' ' -f1,2 "$work/page-keys" >"$work/page-names"
    ok "$name: the table (<) and the man page (>) have the same keys" same "$work/keys" "$work/page-names"
    while read -r option key argument; do
        ok "$name: $option=$key= is in --help" \
            helps_with "$option" "$key"
        ok "$name: $option=$key= twice" given_twice "$option=$key" "$@"
        run "$@" "$option=$key=" .
        ok "$name: $option=$key= without a value" refused
        [ "$argument" = TIME ] || continue
        run "$@" "$option=$key=5" .
        ok "$name: $option=$key=5 has no unit" grep -q -- "$option=$key: .*5' has no unit" "$work/err"
    done <"$work/page-keys"
}

# program NAME PATH [SUBCOMMAND...]: tests the program PATH. NAME is that of its man page, for example "mpgbench-ftq"
# for mpgbench ftq.
program() {
    local page=$top_srcdir/man/$1.1 name=${1/-/ } path=$2 command words
    shift 2
    if [ ! -x "$path" ]; then
        case $name,$MPGKIT_MPI in
        *pingpong,no | *bandwidth,no | *overhead,no | *overlap,no | *onesided,no | *collective,no) skip "$name" "built without MPI" ;;
        *) ok "$name is built" test -x "$path" ;;
        esac
        return
    fi
    : >"$work/options"
    for command in "" "$@"; do
        words=("$path")
        [ -z "$command" ] || words+=("$command")
        run "${words[@]}" --help
        ok "$name $command: --help" answered "^Usage: $name"
        mv "$work/out" "$work/help"
        run "${words[@]}" -h
        ok "$name $command: -h is --help" same "$work/help" "$work/out"
        ok "$name $command: --help has at most $(most_lines "$name") lines" test "$(wc -l <"$work/help")" -le "$(most_lines "$name")"
        run "${words[@]}" --help=all
        ok "$name $command: --help=all" answered "^Usage: $name"
        ok "$name $command: --help names --help=all if that is longer" names_all
        help_options <"$work/out" >>"$work/options"
        mv "$work/out" "$work/help"
        run "${words[@]}" --version
        ok "$name $command: --version" answered "(mpgkit) [0-9]"
        run "${words[@]}" -V
        ok "$name $command: -V" answered "(mpgkit) [0-9]"
        for option in $(grep -oE -- '--[a-z][a-z0-9-]*=' "$work/help"); do
            # Options that may be given several times have tests of their own.
            case $name$option in mpgsim--noise= | mpgsim--call-noise= | mpgsim--latency= | \
                mpgsim--byte= | mpgsim--compute-ratio= | mpgsim--sweep= | mpgsim--signature= | \
                mpgsim--hypothesis= | mpgsim--target= | mpgsim--without= | mpgsim--without-noise= | mpgsim--where= | mpgsim--models= | mpgreplay--hypothesis= | \
                mpgscale--label= | mpgscale--manifest= | mpgscale--only= | mpgscale--record= | mpgscale--select= | sigdiff--again= | sigdiff--fail-if= | mpghistory--fail-if= | mpgtrace--fail-if= | 'mpgbench ftq--mode=') continue ;;
            esac
            ok "$name $command: ${option}... twice" given_twice "${option%=}" "${words[@]}"
        done
        # A time without a unit is refused.
        for option in $(grep -oE -- '^ +(-., )?--[a-z][a-z0-9-]*=(TIME|DIST)\>' "$work/help" | sed 's/.*--/--/; s/DIST/const:5/; s/TIME/5/'); do
            run "${words[@]}" "$option" .
            ok "$name $command: $option has no unit" grep -q "5' has no unit" "$work/err"
            ok "$name $command: $option is refused" refused
        done
        keys "$page" "$name $command" "${words[@]}"
        run "${words[@]}" --no-such-option
        ok "$name $command: an unknown option" refused
        run "${words[@]}" --vresion
        ok "$name $command: an unknown option near another" refused
        ok "$name $command: ... which is named" grep -q -e "'--vresion'; did you mean --version?" "$work/err"
        grep -q '^Commands:' "$work/help" || # a program with commands only has no options to abbreviate
            ok "$name $command: an abbreviated option" abbreviates "${words[@]}"
    done
    sort -u -o "$work/options" "$work/options"
    if [ ! -e "$page" ]; then
        ok "$name has a man page" test -e "$page"
        return
    fi
    page_options "$page" >"$work/page"
    if [ "$name,$MPGKIT_MPI" = mpgtrace,no ]; then
        # The page also describes mpgtrace record, which this build lacks.
        ok "$name: every option is in its man page" \
            test -z "$(comm -23 "$work/options" "$work/page")"
        return
    fi
    ok "$name: --help (<) and man page (>) have the same options" \
        same "$work/options" "$work/page"
}

commands="print import export stat waits compare critical-path efficiency matrix sizes timeline graph"
[ "$MPGKIT_MPI" = no ] || commands="record $commands"

program mpgbench "$MPGBENCH"
program mpgbench-collective "$COLLECTIVE"
program mpgbench-compute "$COMPUTE"
program mpgbench-ftq "$FTQ"
program mpgbench-pingpong "$PINGPONG"
program mpgbench-bandwidth "$BANDWIDTH"
program mpgbench-overhead "$OVERHEAD"
program mpgbench-overlap "$OVERLAP"
program mpgbench-onesided "$ONESIDED"
program mpgbench-sharing "$SHARING"
program sigmake "$SIGMAKE"
program sigshow "$SIGSHOW"
program sigdiff "$SIGDIFF"
# shellcheck disable=SC2086 # a list of names
program mpgtrace "$MPGTRACE" $commands
program mpghistory "$top_builddir/history/mpghistory" list show diff rerun compare keep health signature
program mpgsim "$MPGSIM"
program mpgreplay "$MPGREPLAY"
program mpgscale "$MPGSCALE" run
done_testing
