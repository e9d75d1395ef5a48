// SPDX-License-Identifier: GPL-3.0-or-later
// What the answer D says and what to do about it, in words.
const parts = {compute_ns: "computation", noise_ns: "noise", calls_ns: "MPI overhead",
               messages_ns: "messages", collectives_ns: "collectives", threads_ns: "other threads",
               propagated_ns: "propagated from other ranks", injected_ns: "injected", absorbed_ns: "absorbed",
               net_ns: "net at its end", run_ns: "run"};
const kinds = {late_sender_ns: ["late senders", "the sender comes too late: post its send earlier, or balance the work before it"],
               late_receiver_ns: ["late receivers", "the receiver comes too late: post its receive earlier"],
               wait_at_barrier_ns: ["barriers", "drop the barrier where nothing needs it, or balance the work before it"],
               wait_at_nxn_ns: ["collectives of all with all", "all wait for the last: balance the work before, reduce more at once or less often"],
               late_broadcast_ns: ["late roots", "the root comes late: let it send earlier, or overlap (MPI_Ibcast)"],
               early_reduce_ns: ["early roots", "the root waits for the last: balance the work before it"],
               early_scan_ns: ["scans", "ranks wait for those before them: balance the work before"]};
const remedies = {
    compute_ns: ["Computation is where the delay comes from: quieter or faster cores", "--tolerate=5%:noise"],
    calls_ns: ["Time within calls is where the delay comes from: fewer calls, larger messages", "--waits=callsite"],
    messages_ns: ["Messages are where the delay comes from: fewer, larger or earlier ones, or a faster network", "--tolerate=5%:latency"],
    collectives_ns: ["Collectives are where the delay comes from: fewer of them, or nonblocking ones", "--collectives=expand"]};

function mostKind(waits) { return Object.keys(kinds).sort((a, b) => waits[b] - waits[a])[0]; }

function site(row) {
    const place = row.callsite && row.callsite.length ? row.callsite[0] : null;
    const name = row.call ? `${row.part === "computation" ? "computation before " : ""}${row.call}` : ("region" in row ? `region ${row.region ?? "(none)"}` :
                              "rank" in row ? `rank ${row.rank}` : "from" in row ? pair(row) : "");
    return place ? `${name} in ${place}` : name;
}
function pair(row) { return row.from === null ? "no message" : `rank ${row.from} to ${row.to}`; }

function worstRow(D) {
    const rows = D.waits ? D.waits.rows : [];
    return rows.reduce((w, r) => !w || r.predicted.wait_ns > w.predicted.wait_ns ? r : w, null);
}

// The one place, of those that tables tell apart, that is worth most: of the critical path, else of what is passed on.
function places(D) {
    const list = [], onto = (D.critical_path ? D.critical_path.tables : [])[0], whole = m => m ? m.passed_on_ns : 0;
    if (onto && onto.rows.length) {
        const r = onto.rows.reduce((a, b) => b.time_ns > a.time_ns ? b : a);
        list.push({text: `${percent(r.share)} of the critical path is at ${site(r)}: what gets shorter there ` +
            "shortens the run.", option: ""});
    }
    const paths = onto || D.mode !== "predict" || !D.where ? [] : D.where.tables[0].rows.filter(r => r.path && r.path.share > 0);
    if (paths.length) {
        const r = paths.reduce((a, b) => b.path.share > a.path.share ? b : a);
        list.push({text: `${percent(r.path.share)} of the critical path, on average over replicas, is at ${site(r)}: what gets ` +
            "shorter there shortens the run.", option: "--where=path"});
    }
    const late = D.mode === "predict" || !D.where ? [] : D.where.tables[0].rows.filter(r => r.path && r.path.share > 0);
    if (late.length) {
        const r = late.reduce((a, b) => b.path.share > a.path.share ? b : a);
        list.push({text: `${percent(r.path.share)} of what makes the last rank late, on average over replicas, is injected at ${
            site(r)}: what is saved there shortens the run.`, option: "--predict --where=path"});
    }
    const from = D.mode === "predict" || !D.where ? null : D.where.tables[0];
    if (from && from.rows.length) {
        const r = from.rows.reduce((a, b) => whole(b) > whole(a) ? b : a), all = from.rows.reduce((s, x) => s + whole(x), 0);
        if (all > 0)
            list.push({text: `${site(r)} passes on most, ${percent(whole(r) / all)} of all delays: ${
                r.part === "computation" ? "shorten or balance it" : "protect it"}, or let others not wait for it.`, option: ""});
    }
    if (D.phase && awaited(D.phase)) {
        const P = D.phase, late = awaited(P);
        list.push({text: `From ${time(P.from_ns)} to ${time(P.to_ns)} others wait for rank ${late.rank}: balance its work there ` +
            "(see The worst phase).", option: "--timeline=run.json"});
    }
    return list;
}

// "the run would take 20 ms less (95 % confidence: 19 ms to 21 ms)"
function changed(c) {
    const [low, high] = c.median_confidence_95;
    if (low <= 0 && high >= 0)
        return `no change that can be told (95 % confidence: ${time(low)} to ${time(high)})`;
    const ends = [low, high].map(Math.abs).sort((a, b) => a - b);
    return `the run would take ${time(Math.abs(c.median))} ${c.median < 0 ? "less" : "more"}` +
        (low < high ? ` (95 % confidence: ${ends.map(time).join(" to ")})` : "");
}

// Of a run: [{text, option}], the most worth first.
function todo(D) {
    const list = [], m = D.mean_of_a_rank, traced = D.traced_run_time_ns, r = D.run_time_ns;
    const each = D.hypotheses ? D.hypotheses.each.filter(h => h.alone) : [];
    each.sort((a, b) => a.alone.change_ns.median - b.alone.change_ns.median);
    for (const h of each.slice(0, 3))
        list.push({text: `'${h.text}' alone: ${changed(h.alone.change_ns)}.`, option: ""});
    const row = worstRow(D), all = D.waits ? D.waits.predicted.total_ns : 0;
    if (row && all > 0 && row.predicted.wait_ns > .01 * all) {
        const kind = mostKind(row.predicted);
        list.push({text: `${site(row)} waits longest for ranks that come late: ${time(row.predicted.wait_ns)}, ${
            percent(row.predicted.wait_ns / all)} of all ranks' time, most for ${kinds[kind][0]}: ${kinds[kind][1]}.`,
                   option: "--waits=callsite"});
    }
    if (r.median_confidence_95[1] - r.median_confidence_95[0] > .25 * r.median)
        list.unshift({text: `The run time is known only to within ${time(r.median_confidence_95[0])} to ${
            time(r.median_confidence_95[1])}: ` + (D.options && D.options.signature ? "what was measured of the machine differs " +
            "that much. Measure it again, longer or while nothing else runs." : "replicas differ that much. More of them say it " +
            "more closely."), option: D.options && D.options.signature ? "" : "--replicas=1000", other: "sigshow --all SIGNATURE"});
    list.push(...places(D));
    if (D.mode === "predict") {
        if (m.compute_ns > .5 * m.run_ns)
            list.push({text: `Most of it is computation (${percent(m.compute_ns / m.run_ns)}): a faster network changes little; ` +
                "faster code or cores do. Say what code that is twice as fast would be worth.", option: "--compute-ratio=0.5"});
        else
            list.push({text: `Computation is only ${percent(m.compute_ns / m.run_ns)} of it: the rest is what ` +
                "communication costs. " + (D.extrapolation ? "See what a machine without any costs would take." :
                "See how it grows with latency."), option: D.extrapolation ? "--target=ideal" : "--sweep=latency=1us:100us:8:log"});
    } else if (r.median_confidence_95[0] > traced) {
        const top = Object.keys(remedies).sort((a, b) => m[b] - m[a])[0];
        if (m[top] > 0)
            list.push({text: `${remedies[top][0]} (${time(m[top])} a rank, of ${time(m.injected_ns)} injected).`,
                       option: remedies[top][1]});
    } else if (!D.hypotheses)
        list.push({text: "Nothing on account of this machine: the run is no longer than it was. See what it could stand.",
                   option: "--tolerate=5%:noise"});
    const worst = D.ranks.reduce((w, b) => b.worst_ns > w.worst_ns ? b : w, D.ranks[0]);
    const middle = D.ranks.map(b => b.delay_ns).sort((a, b) => a - b)[Math.floor(D.ranks.length / 2)];
    if (D.mode !== "predict" && worst.worst_ns > 2 * Math.max(middle, 0) && worst.worst_ns > .01 * traced)
        list.push({text: `Rank ${worst.worst_rank} is ${time(worst.worst_ns)} late, the middle one ${time(middle)}: look there first.`,
                   option: "--per-rank"});
    return list;
}

// Of a table of scenarios: {how, nodes}, [{text, option}].
function sheetVerdict(D) {
    const names = D.parameters.map(p => p.name), rows = D.rows, by = (r, a, b) => Math.sign(a - b);
    const say = r => names.map(n => `${n} ${value(D, n, r.values[n])}`).join(", ");
    const sorted = rows.slice().sort((a, b) => by(0, a.run_time_ns.median, b.run_time_ns.median));
    const best = sorted[0], worst = sorted[sorted.length - 1];
    // of one replica it is seen; else where it was compared with all others, replica by replica
    const all = best.faster_than && best.faster_than.length + 1 >= D.rows_total;
    const how = D.replicas === 1 || (all && best.faster_than.every(f => f.probability >= .95)) ? "is the fastest" :
        all ? "has the shortest median, though not surely the shortest run" : "has the shortest median";
    const nodes = best.run_time_ns.median === worst.run_time_ns.median ? [el("b", {}, "All take the same"), `: ${
        time(best.run_time_ns.median)} (95 % confidence: ` + best.run_time_ns.median_confidence_95.map(time).join(" to ") +
        `). The traced run took ${time(D.traced_run_time_ns)}.`] : [el("b", {}, say(best)), ` ${how}: ${time(best.run_time_ns.median)} (95 % confidence: ` +
        best.run_time_ns.median_confidence_95.map(time).join(" to ") + `); the slowest is ${say(worst)}: ${
        time(worst.run_time_ns.median)}. The traced run took ${time(D.traced_run_time_ns)}.`];
    const list = [];
    for (const f of best.faster_than || []) {
        const other = rows.find(r => r.row === f.row);
        if (other)
            list.push({text: `With ${say(best)} the run is ` + (f.probability < .5 ? `longer than with ${say(other)} in ${
                           percent(1 - f.probability)} of the replicas, though its median is the shorter one` :
                           `shorter than with ${say(other)} in ${percent(f.probability)} of the replicas`) +
                (f.probability < .95 && f.probability > .05 ? ": not sure; more replicas, or a longer measurement, would tell."
                                                            : "."), option: ""});
    }
    const late = rows.filter(r => r.slowdown_median > 1.05);
    if (!list.length && !D.tolerances && D.mode !== "predict")
        list.push({text: !late.length ? "Nothing that was tried makes the run 5 % longer than the traced one." :
                         names.length > 1 || D.parameters[0].unit === null ?
                         `${late.length} of ${rows.length} rows${rows.length < D.rows_total ? " that are kept here" : ""} are more than 5 % longer than the traced run.` :
                         `From ${say(late.reduce((a, b) => a.values[names[0]] < b.values[names[0]] ? a : b))} on the run is more than ` +
                         "5 % longer than the traced one: stay below. How much exactly it stands:",
                   option: late.length && names.length === 1 && D.parameters[0].unit !== null ? `--tolerate=5%:${names[0]}` : ""});
    if (D.tolerances)
        return {verdict: {how: "plain", nodes: [loosest(D.tolerances).map(t => tolerated(D, t)).join(" ")]}, list: [
            {text: "See how the run grows with more of it, or with less of something else.", option: `--sweep=${D.tolerances[0].name}=…`}]};
    if (names.includes("signature") && rows.length > 1)
        list.push({text: "See where the time goes on one of them: give its signature alone.",
                   option: `--signature=${best.values.signature} --where=callsite`});
    return {verdict: {how: "plain", nodes}, list: list.slice(0, 6)};
}

// Of what is tolerated, of each signature the largest limit, at most four.
function loosest(all) {
    const of = new Map();
    for (const t of all)
        if (!of.has(t.signature) || of.get(t.signature).slowdown < t.slowdown) of.set(t.signature, t);
    return [...of.values()].slice(0, 4);
}

function tolerated(D, t) {
    const among = t.confidence_95.filter(v => v !== null).map(v => value(D, t.name, v, t.unit));
    const on = t.signature && new Set(D.tolerances.map(x => x.signature)).size > 1 ? ` on ${t.signature}` : "";
    const longer = `${percent(t.slowdown - 1)} longer${D.mode === "predict" ? " than as given" : ""}${on}`;
    if (t.which === "none") return `The run is more than ${longer} without any ${t.name}, too.`;
    if (t.which === "any") return `The run is no more than ${longer} with any ${t.name} that was tried.`;
    return `With ${t.name} of up to ${value(D, t.name, t.value, t.unit)} the run is at most ${longer}` +
        (among.length === 2 ? ` (95 % confidence: ${among.join(" to ")}).` : ".");
}

function value(D, name, v, of) {
    if (typeof v === "string") return v;
    const unit = of ?? (D.parameters.find(p => p.name === name) || {}).unit;
    return unit === "ns" ? time(v) : `${Number(v.toPrecision(6))}${unit === "bytes" ? " bytes" : unit === "factor" ? " times" : ""}`;
}
