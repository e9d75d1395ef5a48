# SPDX-License-Identifier: GPL-3.0-or-later
# Of a trace as mpgtrace print has it: what each rank communicated, a line a call, in no order: rank, call, peer,
# tag, bytes, size of the communicator, how many requests. Of a receive that left its source or tag open, that it
# did; of windows, their size. What concerns nobody else, and what is not re-enacted (files, other jobs), is left out.
# -v regions=1: marks of regions instead, in their order; -v named=1: what open receives took, too; -v chosen=1:
# without calls of which there may be fewer when others complete more, and how many requests the like are given. How
# a receive was posted that is cancelled is left out, and how often a partition was asked for. With named=1 a start of a
# persistent receive that left something open is the receive that it started: mpgreplay makes it so where its rank names
# what it received.
function value(key,    i) {
    for (i = 5; i <= NF; i++)
        if (index($i, key "=") == 1)
            return substr($i, length(key) + 2)
    return ""
}
# The receives among the starts of this line's call, of persistent ones that left something open; how many are left.
function starts(    own, id, matched, took, part, n, m, i, rest) {
    n = split(value("persistent"), own, ",")
    split(value("requests"), id, ",")
    m = split(value("matched"), matched, ",")
    for (i = 1; i <= m; i++) {
        split(matched[i], part, ":")
        took[part[1]] = "from=" part[2] " root= tag=" part[3]
    }
    for (i = 1; i <= n; i++) {
        if (!(($1, own[i]) in opened)) {
            rest++
            continue
        }
        line[++lines] = $1 " Irecv to= " took[id[i]] " " opened[$1, own[i]]
        posts[lines] = $1 SUBSEP id[i]
    }
    return rest
}
function count(list) {
    return list == "" ? 0 : split(list, unused, ",")
}
/^#comm / {
    n = 0
    for (i = 3; i <= NF && $i != "="; i++) { }
    for (i++; i <= NF; i++)
        n += $i != "|"
    size[$2] = n
}
/^#window / { size["w" $2] = size[$4] }
/^#/ { next }
value("cancelled") != "" {
    n = split(value("cancelled"), id, ",")
    for (i = 1; i <= n; i++)
        cancelled[$1, id[i]]
}
{ call = $4; sub(/_c$/, "", call) }
# What is made again as another call that does the same.
call ~ /^(Dist_graph_create|Graph_create)$/ { call = "Dist_graph_create_adjacent" }
call == "Win_test" && value("found") == "" { call = "Win_wait" }
call == "Win_test" { next }
call == "Improbe" && value("message") != "" { call = "Mprobe" }
call == "Iprobe" { call = "Probe" }
call ~ /^Test/ { for (i = 5; i <= NF; i++) if ($i == "done=") next; sub(/Test/, "Wait", call) }
regions { if (call ~ /^Region_/) print $1, call, value("name"); next }
call == "Grequest_start" { absent[$1, value("request")]; next }
chosen && call ~ /^(Wait|Test)some$/ { next }
call ~ /^(Flush|Region_|Comm_(spawn|accept|connect|join|get_parent))/ { next }
value("failed") != "" || value("calls") != "" { next }
call == "Parrived" && (value("found") == "0" || asked[$1, value("request"), value("partition")]++) { next }
named && call == "Recv_init" && value("any") != "" {
    opened[$1, value("persistent")] = "bytes=" value("bytes") ": of=" size[value("comm")] " made= requests= found= group= partition="
    next
}
named && call ~ /^Start/ && !starts() { next }
named && call == "Request_free" && (($1, value("persistent")) in opened) { next }
value("file") != "" { if (value("request") != "") absent[$1, value("request")]; next }
call ~ /^(Wait|Test)/ && value("requests") != "" { # for those of files only
    n = split(value("requests"), id, ",")
    here = 0
    for (i = 1; i <= n; i++)
        here += !(($1, id[i]) in absent)
    if (!here)
        next
}
{
    keys = 0
    for (i = 5; i <= NF; i++)
        keys += $i !~ /^(site|values|off|off_call)=/
    if (!keys && call !~ /^Finalize$/)
        next
    any = named ? "" : value("any")
    from = any ~ /source/ ? "any" : value("from")
    tag = any ~ /tag/ ? "any" : value("recvtag") != "" ? value("tag") ":" value("recvtag") : value("tag")
    bytes = call == "Probe" || (call ~ /^(Recv|Mprobe|Improbe|Mrecv)$/ && any != "") ? "any" : value("bytes")
    comm = value("comm")
    line[++lines] = $1 " " call " to=" value("to") " from=" from " root=" value("root") " tag=" tag " bytes=" bytes ":" value("recvbytes") \
        " of=" (comm != "" ? comm == "null" ? "null" : size[comm] : value("win") != "" ? size["w" value("win")] : "") \
        " made=" (value("newcomm") == "" || value("newcomm") == "null" ? value("newcomm") : size[value("newcomm")]) \
        " requests=" (named || (chosen && call ~ /any$/) ? "" : count(value("requests"))) " found=" (call ~ /^(Probe|Improbe)$/ ? "" : value("found")) " group=" value("group") " partition=" value("partition")
    posts[lines] = call ~ /^(Irecv|Start)$/ ? $1 SUBSEP (value("request") value("requests")) : ""
}
END {
    for (i = 1; i <= lines; i++)
        if (!(posts[i] in cancelled))
            print line[i]
}
