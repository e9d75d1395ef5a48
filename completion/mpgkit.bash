# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of mpgkit's programs for bash. Each program says what it takes ("PROGRAM --completion", common/option.h),
# so that this knows no options. Loaded by bash-completion as soon as one of the programs is typed, or by hand:
# . mpgkit.bash

# Lines of options, "--name=<tab>ARGUMENT", and of commands, that the words so far ask for.
_mpgkit_table() {
    local program=$1 word
    shift
    local table
    table=$("$program" --completion 2>/dev/null </dev/null) || return
    for word; do
        case $word in -*) ;; *)
            if [[ $'\n'$table$'\n' == *$'\n'"$word"$'\n'* ]]; then
                "$program" "$word" --completion 2>/dev/null </dev/null
                return
            fi
            break ;;
        esac
    done
    printf '%s\n' "$table"
}

_mpgkit() {
    local current=${COMP_WORDS[COMP_CWORD]} before='' table argument='' words line
    COMPREPLY=()
    # "--name=value" is three words where = breaks them, as it does by default
    if ((COMP_CWORD > 1)) && [[ $current == = ]]; then
        before=${COMP_WORDS[COMP_CWORD - 1]}= current=''
    elif ((COMP_CWORD > 2)) && [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}=
    elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == -* ]]; then
        before=${COMP_WORDS[COMP_CWORD - 1]}
    fi
    table=$(_mpgkit_table "${COMP_WORDS[0]}" "${COMP_WORDS[@]:1:COMP_CWORD-1}")
    if [[ $before == -* ]]; then
        while IFS= read -r line; do
            case $line in "${before%=}="$'\t'* | "$before"$'\t'* | "${before/%=/[=]}"$'\t'*) argument=${line#*$'\t'} ;; esac
        done <<<"$table"
        case $argument in
        '') [[ $before != *= ]] || return ;; # none is taken: it is the next word
        *\|[a-z]* | [a-z]*\|*)
            words=$(tr '|' '\n' <<<"$argument" | grep '^[a-z]')
            mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
            if [[ $argument == *@(FILE|DIR|FOLDER|PLACES)* ]]; then # a file can be there, too
                mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$current")
                compopt -o filenames 2>/dev/null
            fi
            [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null # a key
            return
            ;;
        *FILE* | *DIR* | *FOLDER* | *TRACE* | *SIG*) return ;; # files, as by default
        *)
            compopt +o default +o bashdefault 2>/dev/null
            return
            ;;
        esac
    fi
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(sed -n 's/\(\[=\]\)*\t.*//; /^-/p' <<<"$table")" -- "$current")
        [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
    elif ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$(sed -n '/^[a-z]/p' <<<"$table")" -- "$current")
        if [[ $'\n'$table == *$'\n'FILE* ]]; then # a file can be there, too
            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$current")
            compopt -o filenames 2>/dev/null
        fi
    fi
}

complete -o default -o bashdefault -F _mpgkit mpgbench mpghistory mpgreplay mpgscale mpgsim mpgtrace sigdiff sigmake sigshow
