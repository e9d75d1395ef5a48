#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgsim --history and mpghistory (TAP): what is kept, by sqlite3 of Python, too; never unasked; runs compared and run
# again; histories that cannot be written or read: one line, and the answer is given all the same.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
. "$here/../traces.sh"
mpghistory=${top_builddir:-.}/history/mpghistory
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset MPGKIT_HISTORY
ring 3 2 8 >ring.txt
case $("$mpghistory" list --history=none 2>&1) in *"without SQLite"*) skip_all "built without SQLite" ;; esac
PYTHON=${PYTHON3:-python3}
sql() { "$PYTHON" -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(*row, sep="|")' "$@"; }

"$MPGSIM" --latency=exp:2385ns ring.txt >plain
is "nothing is kept unasked" "$(ls)" "plain
ring.txt
ring.txt.floors"

"$MPGSIM" --latency exp:2385ns --history h.db ring.txt >out
is "the answer is the same" "$? $(cmp out plain)" "0 "
is "its command" "$(sql h.db 'SELECT text FROM arguments ORDER BY place' | paste -sd' ' -)" "--latency=exp:2385ns ring.txt"
is "its answer" "$(sql h.db 'SELECT CAST(answer AS TEXT) FROM runs')" "$(cat plain)"
is "version, folder, seed" "$(sql h.db 'SELECT version, directory, seed FROM runs')" \
    "$("$MPGSIM" -V | sed 's/.* //')|$(pwd -P)|1"
is "its trace, by another's FNV-1a" "$(sql h.db 'SELECT role, path, sum FROM inputs')" "trace|ring.txt|$("$PYTHON" -c '
h, data = 0xcbf29ce484222325, open("ring.txt", "rb").read()
for byte in data: h = (h ^ byte) * 0x100000001b3 % 2**64
print("%d-%016x" % (len(data), h))')"
MPGKIT_HISTORY=h.db "$MPGSIM" --sweep=latency=1us,2us --json -o answer.json ring.txt
is "MPGKIT_HISTORY; a sweep, into a file" "$? $("$mpghistory" show --history=h.db --answer 2 | cmp - answer.json)" "0 "
"$MPGSIM" --latency "exp:2385ns" --seed 2 --threads=1 --cache=fresh --history=h.db ring.txt >out
"$MPGSIM" --latency=const:7us --timeline=t.json --history=h.db - <ring.txt >out
is "list" "$("$mpghistory" list --history=h.db | sed -E 's/  [0-9-]{10} [0-9:]{8}  [^ ]+ +/ /')" "   run  time (UTC)           version  command
     1 mpgsim --latency=exp:2385ns ring.txt
     2 mpgsim --sweep=latency=1us,2us --json ring.txt
     3 mpgsim --latency=exp:2385ns --seed=2 ring.txt
     4 mpgsim --latency=const:7us -"
export MPGKIT_HISTORY=h.db
is "list --json is JSON" "$("$mpghistory" list --json | "$PYTHON" -c 'import json, sys
print(*[(r["id"], r["seed"], len(r["arguments"]), r["inputs"][0]["role"]) for r in json.load(sys.stdin)["runs"]])')" \
    "(1, 1, 2, 'trace') (2, 1, 3, 'trace') (3, 2, 3, 'trace') (4, 1, 2, 'trace')"
"$mpghistory" show --answer 1 | cmp - plain
is "show --answer: its bytes" $? 0
like "show" "$("$mpghistory" show 1)" "run        1, 2*UTC, mpgkit *, seed 1*command    mpgsim --latency=exp:2385ns ring.txt*$(sed -n 3p plain)*"
is "diff: a run and itself" "$("$mpghistory" diff 1 1)" "the answers are identical"
"$mpghistory" diff 1 3 >out
like "diff: of two" "$? $(cat out)" "0 + --seed=2*--- run 1*+++ run 3*"
"$mpghistory" show --json 2 >shown.json
is "show --json: list's, and the answer" "$? $("$mpghistory" list --json | "$PYTHON" -c 'import json, sys
run = json.load(open("shown.json", encoding="utf-8"))["run"]
print(run.pop("answer") == open("answer.json", encoding="utf-8").read(), run == json.load(sys.stdin)["runs"][1])')" "0 True True"
"$mpghistory" diff --json 1 1 >same.json
is "diff --json: a run and itself" "$? $("$PYTHON" -c 'import json
found = json.load(open("same.json"))
print([r["id"] for r in found["runs"]], found["arguments_only_first"], found["arguments_only_second"], found["inputs_changed"], found["same_answer"],
      repr(found["answer_difference"]))')" "0 [1, 1] [] [] [] True ''"
# as_text A B: prints the differences of two runs in the JSON of diff, in the format of diff's text.
as_text() {
    "$mpghistory" diff --json "$@" | "$PYTHON" -c 'import json, sys
found = json.load(sys.stdin)
assert found["format"] == "mpghistory-diff" and found["version"] == 2 and not found["same_answer"]
for sign, key in (("-", "arguments_only_first"), ("+", "arguments_only_second")):
    for argument in found[key]: print(sign, argument)
for one in found["inputs_changed"]: print("!", one["role"], one["path"], "is a different file")
print(end=found["answer_difference"])'
}
is "diff --json: of two, what the text says" "$(as_text 1 3 | cmp - out)" ""
"$mpghistory" show --json --answer 1 >out 2>err
is "not --json with --answer" "$? $(cat out err)" \
    "2 mpghistory show: --json and --answer exclude each other (try 'mpghistory show --help')"
for id in 1 2 3; do
    is "rerun $id: the same bytes" "$("$mpghistory" rerun "$id"; echo $?)" "run $id: the answer is identical
0"
done
is "... from another folder" "$(cd / && "$mpghistory" rerun --history="$work/h.db" 1)" "run 1: the answer is identical"
is "... which keeps nothing" "$(sql h.db 'SELECT count(*) FROM runs')" 4
"$mpghistory" rerun 4 >out 2>err
is "rerun: not of standard input" "$? $(cat out err)" "1 mpghistory rerun: run 4 cannot be repeated: standard input was an input"
ring 3 3 8 >ring.txt
"$MPGSIM" --latency=exp:2385ns --history=changed.db ring.txt >out
"$PYTHON" -c 'import sqlite3
db = sqlite3.connect("changed.db")
db.execute("ATTACH ? AS before", ("h.db",))
for table, columns in (("runs", "time, version, directory, seed, answer"), ("arguments", "place, text"), ("inputs", "place, role, path, sum")):
    key = "id" if table == "runs" else "run"
    db.execute(f"INSERT INTO {table} ({key}, {columns}) SELECT 7, {columns} FROM before.{table} WHERE {key} = 1")
db.execute("UPDATE runs SET answer = CAST(? AS BLOB) || answer WHERE id = 7", (b"\\\x1b\"\t\xff\xc2\x9b\xc3\xa9\n",))
db.commit()'
"$mpghistory" diff --history=changed.db 7 1 >out
like "diff: another file" "$(cat out)" "! trace ring.txt is a different file*"
is "... in which no byte commands a terminal" "$(LC_ALL=C grep -cF '\\x1b" \xff\u009b' out) $(LC_ALL=C tr -d '\n -~' <out | od -An -c)" "1  303 251"
is "... as JSON, of an answer with bytes of all kinds" "$("$mpghistory" diff --json --history=changed.db 7 1 | "$PYTHON" -c '
import json, sys
print("\n-\\\x1b\"\t\ufffd\x9b\u00e9\n" in json.load(sys.stdin)["answer_difference"])')" True
"$mpghistory" rerun 1 -o new >out
is "rerun: another trace" "$? $(cat out)" "1 run 1: the answer differs
  the trace ring.txt has changed"
is "... whose answer is written" "$("$MPGSIM" --latency=exp:2385ns --history=other.db ring.txt | cmp - new)" ""
"$mpghistory" rerun 1 -o - >out 2>err
is "... to standard output, the verdict aside" "$? $(cmp out new) $(cat err)" "1  run 1: the answer differs
  the trace ring.txt has changed"
rm ring.txt
"$mpghistory" rerun 1 >out 2>err
is "rerun: no trace any more" "$? $(wc -c <out) $(tail -n 1 err)" "1 0 mpghistory rerun: run 1 failed: see mpgsim's message above"
ring 3 2 8 >ring.txt
"$mpghistory" show 99 >out 2>err
is "a run that is not there" "$? $(cat out err)" "1 mpghistory show: h.db: no run 99"
"$mpghistory" rerun 1 -o - >out 2>err
is "rerun: the same, to standard output" "$? $(cmp out plain) $(cat err)" "0  run 1: the answer is identical"
for arguments in "show" "show x" "show 0" "diff 1" "list 1" "other" ""; do
    # shellcheck disable=SC2086 # words
    "$mpghistory" $arguments >out 2>err
    is "mpghistory $arguments: refused" "$? $(wc -c <out) $(wc -l <err)" "2 0 1"
done
MPGKIT_HISTORY='' "$mpghistory" list >out 2>err
like "no history named" "$? $(cat out err)" "2 *no history file: use --history or MPGKIT_HISTORY*"
unset MPGKIT_HISTORY

# kept NAME FILE WHY: checks that mpgsim prints the whole answer, then a line that says WHY it is not in the history
# FILE, and exits with 1.
kept() {
    "$MPGSIM" --latency=exp:2385ns --history="$2" ring.txt >out 2>err
    like "$1" "$? $(cmp out plain) $(wc -l <err) $(cat err)" "1  1 mpgsim: the answer is not kept: --history: $3"
}
kept "a folder that is not there" none/h.db "none/h.db: cannot be opened for writing"
kept "a folder" . ".: cannot be opened for writing"
yes nonsense | head -n 4096 >nonsense
cp nonsense nonsense.is
kept "another kind of file" nonsense "nonsense: not a history: another kind of file"
is "... which stays as it is" "$(cmp nonsense nonsense.is)" ""
sql others.db "CREATE TABLE mine (x)"
kept "another program's database" others.db "others.db: not a history: a database of another program"
is "... which stays, too" "$(sql others.db "SELECT name FROM sqlite_master")" mine
cp h.db cut.db
size=$(wc -c <h.db)
truncate -s $((size - 8192)) cut.db
kept "a damaged one" cut.db "cut.db: *"
# Histories whose schema lacks our NOT NULL, with a NULL in one column each.
"$PYTHON" - <<'END'
import sqlite3
ours = sqlite3.connect("h.db")
tables = [row[0] for row in ours.execute("SELECT sql FROM sqlite_master WHERE type = 'table' AND name IN ('runs', 'arguments', 'inputs')")]
for table, column in (("runs", "version"), ("runs", "time"), ("runs", "directory"), ("runs", "answer"), ("arguments", "text"),
                      ("inputs", "role"), ("inputs", "path"), ("inputs", "sum")):
    db = sqlite3.connect(f"{table}-{column}.null")
    db.executescript(";".join(tables).replace("NOT NULL", "") + ";PRAGMA application_id = 1836083048; PRAGMA user_version = 1")
    db.executescript("CREATE INDEX arguments_of ON arguments (run, place); CREATE INDEX inputs_of ON inputs (run, place)")
    db.execute("INSERT INTO runs VALUES (1, 'then', '1.0', '/', 1, 'text')")
    db.execute("INSERT INTO arguments VALUES (1, 0, 'ring.txt')")
    db.execute("INSERT INTO inputs VALUES (1, 0, 'trace', 'ring.txt', '5-0')")
    db.commit()
    db.execute(f"UPDATE {table} SET {column} = NULL")
    db.execute("PRAGMA writable_schema = ON") # its application id says that it is ours
    for sql in tables:
        db.execute("UPDATE sqlite_master SET sql = ? WHERE type = 'table' AND name = ?", (sql, sql.split()[2]))
    db.commit()
END
for file in *.null; do
    column=${file#*-}
    "$mpghistory" show --history="$file" 1 >out 2>err
    is "a NULL: $file" "$? $(cat err)" "1 mpghistory show: $file: damaged: run 1 lacks its ${column%.null}"
    [ "$file" = runs-answer.null ] && continue # lists do not show the answer
    for as in "list" "list --json"; do
        # shellcheck disable=SC2086 # words
        "$mpghistory" $as --history="$file" >out 2>err
        is "... in a $as" "$? $(cat out err)" "1 mpghistory list: $file: damaged: run 1 lacks its ${column%.null}"
    done
done
# A history from somebody else: rerun refuses arguments that mpgsim never stores, so that it cannot write files.
cp ring.txt "touch ran;#"
"$PYTHON" -c 'import sqlite3, os
db = sqlite3.connect("h.db")
schema = [row[0] for row in db.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE ?", ("sqlite%",))]
theirs = sqlite3.connect("theirs.db")
theirs.executescript(";".join(schema) + ";PRAGMA application_id = 1836083048; PRAGMA user_version = 1")
lists = [[f"--{name}=made"] for name in ("output", "report", "timeline", "output-trace", "history", "plot", "out", "floors", "noise-")]
lists += [["--keep"], ["-o", "made"], ["-omade"], ["made"], ["--latency=exp:1us", "--output=made"], ["--", "made"], ["--replicas"], []]
for run, arguments in enumerate(lists, 1):
    theirs.execute("INSERT INTO runs VALUES (?, ?, ?, ?, 1, ?)", (run, "then", "1.0", os.getcwd(), b""))
    for place, text in enumerate(arguments + ["touch ran;#"]):
        theirs.execute("INSERT INTO arguments VALUES (?, ?, ?)", (run, place, text))
theirs.commit()'
ls >before
for id in $(seq 15); do
    "$mpghistory" rerun --history=theirs.db "$id" >out 2>err
    like "rerun of an argument that mpgsim does not keep, $id" "$? $(cat out err)" \
        "1 mpghistory rerun: run $id is not rerun: argument [12], '*', is not an option that mpgsim stores"
done
"$mpghistory" rerun --history=theirs.db 16 >out 2>err # --replicas takes the next word, "--", as its value
like "rerun of an argument without its value" "$? $(cat out) $(tail -n 1 err)" "1  mpghistory rerun: run 16 failed: see mpgsim's message above"
"$mpghistory" rerun --history=theirs.db 17 >out 2>err
is "rerun of a trace of a strange name" "$? $(head -n 1 out) $(cat err)" "1 run 17: the answer differs "
is "... nothing was written" "$(ls | diff before - | sort)" ""
# Each option of mpgsim is either stored in a history, or one on which no answer depends.
for option in $("$MPGSIM" --completion | sed -n 's/^--\([a-z-]*\)=*.*/\1/p'); do
    "$PYTHON" -c 'import sqlite3, sys
db = sqlite3.connect("theirs.db")
db.execute("UPDATE arguments SET text = ? WHERE run = 1 AND place = 0", (f"--{sys.argv[1]}=",))
db.commit()' "$option"
    "$mpghistory" rerun --history=theirs.db 1 2>&1 | grep -q "is not an option that mpgsim stores" && echo "$option"
done >apart
is "options that are not kept" "$(sort apart | paste -sd' ' -)" \
    "cache help history keep output output-format output-trace plot report threads timeline version"
# Schemas with code (views, triggers), and a tree of pages with more rows than the file has bytes: refused at once.
"$PYTHON" - <<'END'
import os, sqlite3, struct
ours = sqlite3.connect("h.db")
schema = [row[0] for row in ours.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%'")]
head = "PRAGMA application_id = 1836083048; PRAGMA user_version = 1;"
endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT "
runs = "x AS id, 't' AS time, 'v' AS version, 'd' AS directory, 1 AS seed, x'00' AS answer FROM c"
def make(name, *statements):
    db = sqlite3.connect(name)
    db.executescript(head + ";".join(statements))
    db.commit()
make("view.theirs", "CREATE VIEW runs AS " + endless + runs, *(s for s in schema if " runs " not in s))
make("inputs.theirs", *(s for s in schema if " inputs " not in s), "INSERT INTO runs VALUES (1, 't', 'v', 'd', 1, x'00')",
     "INSERT INTO arguments VALUES (1, 0, 'x')", "CREATE VIEW inputs AS " + endless + "1 AS run, x AS place, 'r' AS role, 'p' AS path, 's' AS sum FROM c")
make("trigger.theirs", *schema, "CREATE TRIGGER t AFTER INSERT ON runs BEGIN INSERT INTO arguments " + endless + "1, x, 'x' FROM c; END")
make("computed.theirs", *(s.replace("answer BLOB NOT NULL", "answer BLOB AS (hex(zeroblob(400000000)))") for s in schema),
     "INSERT INTO runs (time, version, directory, seed) VALUES ('t', 'v', 'd', 1)", "INSERT INTO arguments VALUES (1, 0, 'x')")
make("pages.theirs", *schema, "INSERT INTO runs VALUES (1, 't', 'v', 'd', 1, x'00')", "INSERT INTO arguments VALUES (1, 0, 'x')")
root = sqlite3.connect("pages.theirs").execute("SELECT rootpage FROM sqlite_master WHERE name = 'runs'").fetchone()[0]
data = bytearray(open("pages.theirs", "rb").read())
size, pages = struct.unpack(">H", data[16:18])[0], len(data) // 4096
assert size == 4096
def interior(child): # 300 times the same
    cells = b"".join(struct.pack(">IB", child, 1) for _ in range(300))
    at = [4096 - 5 * (i + 1) for i in range(300)]
    page = struct.pack(">BHHHBI", 5, 0, 300, at[-1], 0, child) + b"".join(struct.pack(">H", a) for a in at)
    return page + bytes(4096 - len(page) - len(cells)) + cells
child = pages + 1
data += data[(root - 1) * 4096:root * 4096]
for level in range(5):
    data += interior(child)
    child += 1
data[(root - 1) * 4096:root * 4096] = interior(child)
data[28:32] = struct.pack(">I", len(data) // 4096)
open("pages.theirs", "wb").write(data)
END
mkfifo pipe.theirs
for file in *.theirs; do
    for as in list "show 1" "diff 1 1" "rerun 1"; do
        # shellcheck disable=SC2086 # words
        timeout 20 "$mpghistory" $as --history="$file" >out 2>err
        got=$?
        case $file,$as in
        pages*,list | [!p]* | pipe*)
            like "$file: $as" "$got $(wc -c <out) $(cat err)" "1 0 mpghistory ${as%% *}: $file: *: *" ;;
        *) ok "$file: $as ends" test $got -lt 2 ;;
        esac
    done
    timeout 20 "$MPGSIM" --history="$file" ring.txt >out 2>err
    got=$?
    [ $file = pages.theirs ] || like "$file: nothing is kept in it" "$got $(cat err)" "1 mpgsim: the answer is not kept: *"
done
# Files beside a history that SQLite would obey: a journal can have another file deleted, a log can have files created,
# a pipe makes it wait.
"$PYTHON" - <<'END'
import shutil, sqlite3, struct
mark = bytes.fromhex("d9d505f920a163d7")
shutil.copy("h.db", "super.beside")
name = b"precious"
head = mark + struct.pack(">IIIII", 0, 1, 1, 512, 4096)
open("super.beside-journal", "wb").write(head.ljust(512, b"\0") + struct.pack(">I", 262145) + name +
                                         struct.pack(">II", len(name), sum(name)) + mark)
shutil.copy("h.db", "log.beside")
sqlite3.connect("log.beside").execute("PRAGMA journal_mode=wal")
shutil.copy("h.db", "pipe.beside")
END
echo kept >precious
mkfifo pipe.beside-journal new.beside-journal
: >before.is # so that the list contains it, whether find or sort starts first
find . | sort >before.is
for file in super.beside log.beside pipe.beside new.beside; do
    for as in list "show 1" "diff 1 1" "rerun 1"; do
        [ $file != new.beside ] || continue
        # shellcheck disable=SC2086 # words
        timeout 20 "$mpghistory" $as --history=$file >out 2>err
        like "$file: $as" "$? $(wc -c <out) $(cat err)" "1 0 mpghistory ${as%% *}: $file: *"
    done
    timeout 20 "$MPGSIM" --history=$file ring.txt >out 2>err
    like "$file: nothing is kept in it" "$? $(cat err)" "1 mpgsim: the answer is not kept: --history: $file: *"
done
is "no file is deleted or made" "$(cat precious; find . | sort | diff - before.is)" kept
# Maps are inputs, also the source's and those of a sweep; their files too.
. "$here/../signature/signatures.sh"
signature >target.sig
shift=-150 signature >source.sig
printf 'a\nb\nb\n' >apart
printf 'a\na\nb\n' >were
id=0
for arguments in --map=block:2 --map=apart "--map=apart --source=map=were" --source=map=were --sweep=map=block:1,apart,were; do
    id=$((id + 1))
    # shellcheck disable=SC2086 # words
    "$MPGSIM" --perturb --signature=target.sig --source=source.sig $arguments --json --history=maps.db ring.txt >out 2>err
    is "$arguments: the same bytes" "$? $("$mpghistory" show --answer --history=maps.db $id | cmp - out) $(
        "$mpghistory" rerun --history=maps.db $id)" "0  run $id: the answer is identical"
done
"$MPGSIM" --signature=target.sig --history=both.db ring.txt >out 2>err
like "list and show: the command as typed, without the modes that are kept" \
    "$("$mpghistory" list --history=both.db) $("$mpghistory" show --history=both.db 1) $("$mpghistory" list --json --history=both.db)" \
    "*mpgsim --signature=target.sig ring.txt*mpgsim --signature=target.sig ring.txt*\"--predict\", \"--perturb\", \"ring.txt\"*"
is "... are not the same answer" "$(sql maps.db 'SELECT count(DISTINCT answer) FROM runs')" 5
is "their files are inputs" "$(sql maps.db "SELECT run, role, path FROM inputs WHERE role LIKE '%map' ORDER BY run, place" | paste -sd' ' -)" \
    "2|map|apart 3|map|apart 3|source-map|were 4|source-map|were 5|map|apart 5|map|were"
cp apart were
for id in 3 4 5; do
    like "run $id: its map has changed" "$("$mpghistory" rerun --history=maps.db $id)" "run $id: the answer differs*the *map were has changed"
done
# Every file that is read is an input, once in each role, and is never overwritten.
echo 385.5 >s@mples
printf '0\n0\n0\n' >places
cp places others
"$MPGSIM" --noise=file:s@mples@0 --noise=file:s@mples@1 --history=all.db ring.txt >out
is "samples are an input" "$(sql all.db 'SELECT role, path FROM inputs WHERE run = 1' | paste -sd' ' -)" "trace|ring.txt samples|s@mples"
cat >my.par <<'END'
CommStartupTime = file:startup
Map = others
Processors = 1
Policy = offload
END
echo 7000.25 >startup
echo 3.125 >byte
"$MPGSIM" --predict --target=my.par --target=ByteTransferTime=file:byte --history=all.db ring.txt >out 2>err
is "a target, its map and samples" "$(cat err; sql all.db 'SELECT role, path FROM inputs WHERE run = 2 ORDER BY place' | paste -sd' ' -)" \
    "trace|ring.txt target|my.par target|others samples|startup samples|byte"
# spared FILE OPTION...: checks that FILE, which these options read, is refused as output of every kind, and stays
# unchanged.
spared() {
    local file=$1 as
    shift
    cp "$file" before.is
    for as in $outputs; do
        "$MPGSIM" "$@" "--$as=./$file" ring.txt >out 2>err
        is "$file as $as" "$? $(cat err) $(cmp "$file" before.is)" "1 mpgsim: --$as: ./$file is an input "
    done
}
outputs="output timeline history"
spared ring.txt
spared s@mples --noise=file:s@mples@0
printf '%254s0\n0\n0\n' '' >wide
"$MPGSIM" --predict --target=my.par --target=Map=wide ring.txt >out 2>err
is "a map's line may have so many bytes" "$? $(tail -n 1 err)" "1 mpgsim: wide:1: a line of more than 254 bytes"
outputs="output history" # a target has no timeline
for file in my.par others startup byte; do
    spared "$file" --predict --target=my.par --target=ByteTransferTime=file:byte
done
cp h.db before.is
for as in output timeline; do
    "$MPGSIM" --$as=h.db --history=./h.db ring.txt >out 2>err
    is "the history as $as" "$? $(cat err) $(cmp h.db before.is)" "1 mpgsim: --$as: h.db is the history file "
done
"$MPGSIM" --output=./answer --timeline=answer ring.txt >out 2>err
is "answer and timeline, by other names" "$? $(cat err)" "1 mpgsim: --timeline and the answer both go to './answer'"
cp h.db before.is
for file in ./h.db ring.txt; do
    cp $file before.is
    "$mpghistory" rerun --history=h.db -o $file 1 >out 2>err
    is "rerun does not replace $file" "$? $(cat err) $(cmp $file before.is)" "1 mpghistory rerun: --output: $file is an input "
done
mkfifo hold
"$PYTHON" -c 'import sqlite3
db = sqlite3.connect("h.db", isolation_level=None)
db.execute("BEGIN EXCLUSIVE"); open("locked", "w").write("locked"); open("hold").read()' &
holder=$!
until [ -s locked ]; do sleep 0.05; done
kept "a locked one" h.db "h.db: locked: another process writes to it"
echo >hold
wait "$holder"
"$MPGSIM" --latency=exp:2385ns --history=h.db ring.txt >out
is "... that is let go" "$? $(sql h.db 'SELECT max(id) FROM runs')" "0 5"
(trap '' XFSZ; ulimit -f 4; "$MPGSIM" --latency=exp:2385ns --history=full.db --cache=fresh ring.txt 2>err | cat >out; exit "${PIPESTATUS[0]}")
like "files may not grow" "$? $(cmp out plain) $(wc -l <err) $(cat err)" "1  1 mpgsim: the answer is not kept: --history: full.db: *"
is "... and an empty one is not left" "$(ls -d full* 2>/dev/null)" ""
mkdir small
if [ "$(id -u)" = 0 ] && unshare -m sh -c 'mount -t tmpfs -o size=16k none small' 2>/dev/null; then
    # shellcheck disable=SC2016 # for that shell
    unshare -m sh -c 'mount -t tmpfs -o size=16k none small && "$MPGSIM" --latency=exp:2385ns --history=small/h.db ring.txt >out 2>err; echo $? >status; ls -A small >left'
    like "a full disk" "$(cat status) $(cmp out plain) $(wc -l <err) $(cat err)" "1  1 mpgsim: the answer is not kept: --history: small/h.db: the disk is full"
    is "... on which nothing is left" "$(cat left)" ""
else
    skip "a full disk" "no file system can be mounted"
fi
if [ "$(id -u)" != 0 ]; then
    cp h.db read.db
    chmod 444 read.db
    kept "one that may not be written" read.db "read.db: *"
else
    skip "one that may not be written" "root may"
fi
done_testing
