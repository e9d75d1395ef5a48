# shellcheck shell=bash disable=SC2154 # mpgsim is whose tests source this
# SPDX-License-Identifier: GPL-3.0-or-later
# What mpgsim refuses, for tests that source this.

# refuses STATUS PATTERN OPTION...: mpgsim exits so, one line on standard error that matches, nothing
# on standard output
refuses() {
    local status=$1 pattern=$2 got
    shift 2
    "$mpgsim" "$@" >out 2>err
    got=$?
    # shellcheck disable=SC2254 # a pattern
    case $got,$(wc -l <err),$(wc -c <out),$(cat err) in
    $status,1,0,$pattern) return 0 ;;
    esac
    echo "# exit $got, $(wc -c <out) bytes of output, expected $status and '$pattern':"
    sed 's/^/# /' err
    return 1
}
