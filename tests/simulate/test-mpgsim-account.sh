#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgsim's account of a delay (TAP; docs/MODEL.md, section 8): answers that are known,
# and that it adds up: for every rank and replica, and as it is printed.
. "$(dirname "$0")/mpgsim.sh"
needs_python
smaller

# account OPTION... TRACE: prints for each rank those parts of the account that are not 0: computation, calls, messages,
# collectives, taken over from other ranks, absorbed by waiting, hidden, left.
account() {
    "$mpgsim" --json --replicas=1 "$@" | "$python" -c '
import json, sys
names = {"compute_ns": "compute", "calls_ns": "calls", "messages_ns": "messages",
         "collectives_ns": "collectives", "propagated_ns": "taken",
         "absorbed_waiting_ns": "waiting", "absorbed_hidden_ns": "hidden", "net_ns": "left"}
accounts = [rank["account"] for rank in json.load(sys.stdin)["ranks"]]
print("; ".join(" ".join(f"{short}={a[name]:g}" for name, short in names.items() if a[name]) or "-"
                for a in accounts))'
}

calls 2 >one.txt <<'END'
0 1000 1900 Send to=1 bytes=1000
1 1000 1800 Recv from=0 bytes=1000
END
is "nothing perturbed" "$(account one.txt)" "-; -"
is "a late sender is taken over, and what was put into the message comes on top" \
    "$(account --absorb=none --noise=const:5us@0 --latency=const:300ns one.txt)" \
    "compute=10000 left=10000; messages=300 taken=5000 left=5300"
is "a late receiver hides it" \
    "$(account --absorb=none --noise=const:5us@1 --latency=const:300ns one.txt)" \
    "-; compute=10000 messages=300 hidden=300 left=10000"
is "half of it, if half as late" \
    "$(account --absorb=none --call-noise=const:70ns --noise=const:100ns@1 --latency=const:300ns one.txt)" \
    "calls=70 left=70; compute=200 calls=70 messages=300 hidden=100 left=470"
is "an acknowledgement is the sender's" \
    "$(account --absorb=none --eager-limit=-1 --latency=const:300ns --byte=const:2ns one.txt)" \
    "messages=300 taken=2300 left=2600; messages=2300 left=2300"
is "a call does not end before it begins: so much was put in" \
    "$(account --absorb=none --call-noise=const:-1ms one.txt)" "calls=-900 left=-900; calls=-800 left=-800"
is "a message that became faster" \
    "$(account --absorb=none --noise=const:1us@0 --latency=const:-100ns --source=latency=250ns one.txt)" \
    "compute=2000 left=2000; messages=-100 taken=1000 left=900"

# Above 1 ns four decimals are printed, below it three; nothing below 1 ps.
printed() {
    "$mpgsim" --absorb=none "$@" one.txt | awk '$1 == "injected" { print $2, $3 }'
}
is "an account of some ns" "$(printed --call-noise=const:2.385ns)" "2.3850 ns"
is "an account of less than 1 ns" "$(printed --call-noise=const:0.23849ns)" "0.238 ns"
is "an account of rounding errors" "$(printed --call-noise=const:0.00085ns)" "0 ns"

calls 2 >slack.txt <<'END'
0 1000 1020 Send to=1 bytes=8
1 3000 3030 Recv from=0 bytes=8
0 5000 5020 Send to=1 bytes=8
1 4000 5600 Recv from=0 bytes=8
END
# The first message had been there for 1430 ns, because the receiver waited for the second one.
is "what lay ready absorbs" "$(account --absorb=clock --noise=const:1.5us@0 slack.txt)" \
    "compute=4500 left=4500; taken=4430 waiting=1430 left=3000"
is "a receiver's own lateness ends in its wait" \
    "$(account --absorb=clock --noise=const:500ns@1 slack.txt)" "-; compute=1500 waiting=1000 left=500"

calls 3 >two.txt <<'END'
0 1000 1010 Send to=2 bytes=8
1 1000 1010 Send to=2 bytes=8
2 500 510 Irecv from=0 bytes=8 request=1
2 520 530 Irecv from=1 bytes=8 request=2
2 1000 1100 Waitall requests=1,2
END
is "of two messages completed together, one is hidden behind the other" \
    "$(account --absorb=none --latency=const:40ns --noise=const:25ns@0 two.txt)" \
    "compute=50 left=50; -; messages=80 taken=25 hidden=40 left=65"

calls 2 >probed.txt <<'END'
0 1000 1010 Send to=1 bytes=8
1 1000 1100 Probe from=0 bytes=8
1 1200 1300 Recv from=0 bytes=8
END
is "a probed message counts once" \
    "$(account --absorb=none --latency=const:40ns --noise=const:25ns@0 probed.txt)" \
    "compute=50 left=50; messages=40 taken=25 left=65"

collective 4 Barrier comm=0 >barrier.txt
is "a collective: two rounds for everybody, and who is late" \
    "$(account --absorb=none --latency=const:40ns --noise=const:25ns@2 barrier.txt)" \
    "collectives=80 taken=25 left=105; collectives=80 taken=25 left=105; \
compute=50 collectives=80 left=130; collectives=80 taken=25 left=105"
collective 4 Bcast "root=2 bytes=8" >bcast.txt
is "from a root" "$(account --absorb=none --latency=const:40ns --noise=const:25ns@2 bcast.txt)" \
    "collectives=80 taken=25 left=105; collectives=80 taken=25 left=105; \
compute=50 left=50; collectives=80 taken=25 left=105"
collective 4 Reduce "root=2 bytes=8" >reduce.txt
is "to a root: three contributions side by side" \
    "$(account --absorb=none --latency=const:40ns --noise=const:25ns@1 reduce.txt)" \
    "-; compute=50 left=50; collectives=120 taken=25 hidden=80 left=65; -"

{
    echo "#mpgtext 1"
    echo "#ranks 1"
    echo "0 0 100 Init"
    echo "0 200 300 Barrier comm=0"
    echo "0.1 400 500 Barrier comm=0"
    echo "0 600 700 Barrier comm=0"
    echo "0 1000 1100 Finalize"
} >threads.txt
# Each of four intervals is 7 ns longer. The second thread begins with its rank's delay of 7 and ends beside the first;
# the smaller of their delays disappears.
is "threads" "$(account --absorb=none --noise=const:7ns threads.txt)" \
    "compute=35 taken=7 hidden=21 left=21"

# ---- the parts of the account add up ----
cat >sums.py <<'END'
import json, re, subprocess, sys
program = sys.argv[1]

def near(a, b, scale):
    return abs(a - b) <= 1e-9 * scale

def check(account, left=None):
    put = sum(account[k] for k in ("compute_ns", "calls_ns", "messages_ns", "collectives_ns"))
    absorbed = account["absorbed_waiting_ns"] + account["absorbed_hidden_ns"]
    scale = 1 + max(abs(v) for v in account.values())
    assert near(put, account["injected_ns"], scale), account
    assert near(absorbed, account["absorbed_ns"], scale), account
    assert near(put + account["propagated_ns"] - absorbed, account["net_ns"], scale), account
    assert min(account["propagated_ns"], account["absorbed_waiting_ns"],
               account["absorbed_hidden_ns"]) >= 0, account
    assert left is None or near(account["net_ns"], left, scale), account

def exactly(*more):
    answer = json.loads(subprocess.check_output([program, "--json", *words, *more]))
    for rank in answer["ranks"]:
        check(rank["account"], rank["delay_ns"]["mean"])
    check(answer["mean_of_a_rank"])
    for name, mean in answer["mean_of_a_rank"].items():
        each = [rank["account"][name] for rank in answer["ranks"]]
        assert near(mean, sum(each) / len(each), 1 + max(map(abs, each))), name

def as_printed():
    """In units of the last digit, with what the lines say, nothing else."""
    text = subprocess.check_output([program, *words], text=True)
    number = lambda s: int(s.replace(".", ""))
    line = {m[1]: m for m in re.finditer(
        r"^  (injected|propagated|absorbed|net) +[-+= ] +(-?[\d.]+) (s|ms|us|ns) (.*)$", text, re.M)}
    total = {name: number(m[2]) for name, m in line.items()}
    parts = {name: [number(p) for p in re.findall(r"(?<= )-?\d+(?:\.\d+)?(?= \+|$)", m[4])]
             for name, m in line.items()}
    assert len(line) == 4 and len({m[3] for m in line.values()}) == 1, text
    assert len(parts["injected"]) == 4 and sum(parts["injected"]) == total["injected"], text
    assert len(parts["absorbed"]) == 2 and sum(parts["absorbed"]) == total["absorbed"], text
    assert total["injected"] + total["propagated"] - total["absorbed"] == total["net"], text

for line in sys.stdin:
    what, *words = line.split()
    try:
        if what == "exactly":
            exactly("--replicas=1", "--replicas=first=0")
            exactly("--replicas=1", "--replicas=first=5")
            exactly("--replicas=7")
        else:
            as_printed()
        print("right", flush=True)
    except Exception as error:
        print(f"{type(error).__name__}:", " ".join(str(error).split()), flush=True)
END
# One Python process for all cases: it reads a case a line, and prints a line for each.
coproc "$python" sums.py "$mpgsim"
exec 3<&"${COPROC[0]}" 4>&"${COPROC[1]}"

# adds_up exactly|printed OPTION... TRACE: checks that the delay budget adds up: injected + propagated - absorbed = net, and each
# of these is the sum of its parts; in the JSON exactly, or in the text to its last printed digit.
adds_up() {
    local said=nothing
    echo "$*" >&4
    read -r said <&3
    [ "$said" = right ] || { echo "# $said"; return 1; }
}
perturbations=(
    "--perturb --signature=$reference"
    "--perturb --signature=$reference --source=$reference"
    "--noise=exp:2us --latency=normal:1us,2us --byte=lognormal:1ns,3ns --call-noise=normal:100ns,3us"
    "--latency=const:-3us --call-noise=const:-1us"
    "--compute-ratio=0.5 --noise=pareto:3ns,1.7"
    "--latency=const:5s --noise=const:1.2345ns"
    "--call-noise=exp:333us --byte=gamma:1ns,7ns"
)
for seed in 1 2 3 4; do
    "$python" "$here/../oracle/randomtrace.py" --seed $seed --ranks $((1 + seed)) --steps 60 \
        --all-synchronous-safe >t.txt
    for given in "${perturbations[@]}"; do
        for model in --absorb=none --absorb=wait --absorb=clock "--absorb=clock --eager-limit=-1"; do
            # shellcheck disable=SC2086 # options are words
            ok "every rank and replica: seed $seed, $model ${given//"$reference"/REFERENCE}" \
                adds_up exactly $model $given t.txt
            # shellcheck disable=SC2086
            ok "as printed" adds_up printed $model $given t.txt
        done
    done
done
sed '/ 1 .*Finalize/d; /^1 [0-9]* [0-9]* Finalize/d' t.txt >died.txt
for given in "${perturbations[@]}"; do
    # shellcheck disable=SC2086
    ok "a rank that died: ${given//"$reference"/REFERENCE}" \
        adds_up exactly --lenient $given died.txt
done
grep -v Finalize threads.txt >died.txt
ok "a rank that died in one of its threads" adds_up exactly --lenient \
    --noise=exp:1us --call-noise=exp:1us died.txt
done_testing
