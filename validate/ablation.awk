# SPDX-License-Identifier: GPL-3.0-or-later
# A table (Markdown) of the effect of leaving out each rule of the model. Input: lines RULE OPTION. FOLDER/RULE.tsv has the
# rows of validate/row.awk without RULE, FOLDER/none.tsv those with all rules. An error is |predicted - measured| / measured; a
# row is moved if its prediction changes by 1 % of the measured run or more.

function size(v) {
    return v < 0 ? -v : v
}

# Reads FOLDER/RULE.tsv: the measured run to measured[], the predictions of both modes to OF, by pair and program. Returns the
# number of rows.
function read_rows(rule, of,   line, f, n, file) {
    file = folder "/" rule ".tsv"
    n = 0
    while ((getline line < file) > 0) {
        split(line, f, "\t")
        if (rule == "none")
            key[n] = f[1] " " f[2]
        n++
        measured[f[1] " " f[2]] = f[6]
        of[f[1] " " f[2], "perturb"] = f[12]
        of[f[1] " " f[2], "predict"] = f[20]
    }
    close(file)
    return n
}

function percent(v) {
    return sprintf("%.2f", 100 * v)
}

# Returns the cells of MODE: moved rows of all rows, mean error with and without the rule, the row that moves most.
function cells(mode,   i, k, n, moved, with_rule, without_rule, most, which, move) {
    for (i = 0; i < rows; i++) {
        k = key[i]
        if (all[k, mode] !~ /^[0-9.]+$/ || now[k, mode] !~ /^[0-9.]+$/)
            continue
        n++
        with_rule += size(all[k, mode] - measured[k]) / measured[k]
        without_rule += size(now[k, mode] - measured[k]) / measured[k]
        move = (now[k, mode] - all[k, mode]) / measured[k]
        moved += size(move) >= 0.01
        if (size(move) > size(most)) {
            most = move
            which = k
        }
    }
    if (!n)
        return " - | - | - | - |"
    return sprintf(" %d of %d | %s | %s | %s |", moved, n, percent(with_rule / n), percent(without_rule / n),
        size(most) >= 0.001 ? sprintf("%+.1f, %s", 100 * most, which) : "-")
}

BEGIN {
    rows = read_rows("none", all)
    if (!rows) {
        print "nothing was predicted" >"/dev/stderr"
        exit 1
    }
    print "| left out | option | moved by 1 % | mean error with it, % | without, % | most, % of the run | --predict: moved | with it, % " \
        "| without, % | most |"
    print "|---|---|--:|--:|--:|---|--:|--:|--:|---|"
}

{
    split("", now)
    read_rows($1, now)
    print "| " $1 " | `" $2 "` |" cells("perturb") cells("predict")
}
