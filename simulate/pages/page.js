// SPDX-License-Identifier: GPL-3.0-or-later
// What stands below the answer: advice, and the details in the order of the answer's lines.
const page = document.getElementById("page");

function section(title, ...nodes) { page.append(el("section", {}, el("h2", {}, title), ...nodes)); }

function advise(list, where) {
    if (!list.length) return;
    const items = list.map(t => t.option ? el("li", {}, t.text + " ", command(`mpgsim … ${t.option}`)) :
        t.other ? el("li", {}, t.text + " ", command(t.other)) : el("li", {}, t.text));
    where.append(el("div", {class: "todo"}, el("h2", {}, "What to do"), el("ul", {id: "todo"}, ...items)));
}

// The head of a table of scenarios.
function first(D, v, list) {
    page.append(el("h1", {}, `${D.trace.path}: ${D.trace.ranks} ranks, ${D.trace.calls} calls, ${D.trace.messages} messages`),
                el("p", {class: "verdict " + v.how, id: "verdict"}, ...v.nodes));
    for (const line of D.unreliable || [])
        page.append(el("p", {class: "warning"}, `${line.topic}: `, el("strong", {class: "unreliable"}, "NOT RELIABLE"),
                       line.text.replace(/^NOT RELIABLE/, "")));
    const n = (D.attention || []).length, topics = [...new Set((D.attention || []).map(a => a.topic))];
    if (n)
        page.append(el("p", {}, `Before you trust it: ${n} ${n > 1 ? "things make" : "thing makes"} this doubtful (`,
                       topics.join(", "), "), ",
                       el("a", {href: "#attention"}, "see Attention"), "."));
    advise(list, page);
}

function account(D) {
    const m = D.mean_of_a_rank, keys = D.mode === "predict" ?
        ["compute_ns", "noise_ns", "calls_ns", "messages_ns", "collectives_ns", "threads_ns", "run_ns"] :
        ["compute_ns", "calls_ns", "messages_ns", "collectives_ns", "propagated_ns", "absorbed_ns", "net_ns"];
    const sign = k => k === "absorbed_ns" ? -1 : 1;
    const items = keys.map(k => ({label: D.mode === "predict" && k === "messages_ns" ? "waiting for messages" : parts[k], value: sign(k) * m[k],
                                  colour: (k === "net_ns" && m[k] >= 0) || k === "run_ns" ? "var(--red)" : undefined}));
    const title = D.mode === "predict" ? "What a rank's run consists of" : "Delay budget of a rank";
    section(title, el("p", {class: "soft"}, "Mean of ranks and replicas; the bars before the last add up to it."),
            bars(title, items.map(i => `${i.label} ${time(i.value)}`).join(", "), items, time),
            table(title, ["part", "#time"], items.map(i => [i.label, time(i.value)]), true));
}

// The efficiencies of the predicted run, in POP's colours, and the perturbed run.
function efficiency(D) {
    const e = D.efficiency, p = D.perturbed;
    if (!e) return;
    const colour = v => v >= .8 ? "var(--green)" : v < .6 ? "var(--red)" : "var(--blue)";
    const items = [["parallel efficiency", e.parallel], ["load balance", e.load_balance], ["serialization", e.serialization],
                   ["transfer", e.transfer], ["noise", e.noise]].map(([label, value]) => ({label, value, colour: colour(value)}));
    const title = "Parallel efficiency of the predicted run";
    section(title, el("p", {class: "soft"}, "Mean computation of a rank over the run. It is the product of the four factors below; " +
                      `rank ${e.largest_computation_rank} computes longest (${time(e.largest_computation_ns)}), rank ${
                      e.least_computation_rank} least (${time(e.least_computation_ns)}).`),
            bars(title, items.map(i => `${i.label} ${percent(i.value)}`).join(", "), items, percent, 1),
            items.some(i => i.value > 1) ? el("p", {class: "soft"}, "The line in each bar is 100 %.") : "",
            p ? el("p", {}, `The recorded run under the target's noise and network: ${time(p.run_time_ns)}, ${
                Number(p.slowdown.toPrecision(4))} times the recorded run.`) : "");
}

function waits(D) {
    if (!D.waits) {
        if (D.waits_missing) section("Where it waits", el("p", {class: "soft"}, D.waits_missing));
        return;
    }
    const all = D.waits.predicted.total_ns || 1;
    const rows = D.waits.rows.slice(0, 20).filter(r => r.predicted.wait_ns > 0 || r.traced.wait_ns > 0);
    section("Where it waits", el("p", {class: "soft"}, "Time that calls wait for ranks that come late, without the time of the messages themselves. " +
            `Of all ranks, as traced and in replica ${D.waits.replica}, whose run is the median one.`),
            bars("Where it waits", "the longest first", rows.filter(r => r.predicted.wait_ns > 0).slice(0, 8).map(r =>
                ({label: site(r), value: r.predicted.wait_ns})), v => `${time(v)}, ${percent(v / all)}`),
            table("Waiting of all ranks together", [D.waits.by, "#calls", "#waiting, traced", "#predicted", "most for"],
                  rows.map(r => [site(r), r.predicted.calls, time(r.traced.wait_ns), time(r.predicted.wait_ns),
                                 r.predicted.wait_ns > 0 ? kinds[mostKind(r.predicted)][0] : "–"]), true, D.waits.rows_total));
}

function ranks(D) {
    const bins = D.ranks, keys = D.mode === "predict" ? ["compute_ns", "calls_ns", "messages_ns", "collectives_ns"] :
        ["injected_ns", "propagated_ns", "absorbed_ns"];
    const name = i => bins[i].first === bins[i].last ? `rank ${bins[i].first}` : `ranks ${bins[i].first} to ${bins[i].last}`;
    const what = D.mode === "predict" ? "later than traced" : "delay at its end";
    const rows = [{label: what, values: bins.map(b => b.delay_ns)}]
        .concat(keys.map(k => ({label: parts[k], values: bins.map(b => b.account[k])})));
    section("Rank by rank", el("p", {class: "soft"}, `Rank ${bins[0].first} is left, rank ${bins[bins.length - 1].last} right` +
                (bins.length < D.trace.ranks ? "; neighbours are averaged" : "") + "; the stronger the colour the more, green is below 0."),
            heat("Rank by rank", rows.map(r => `${r.label}: ${time(Math.min(...r.values))} to ${time(Math.max(...r.values))}`).join("; "),
                 rows, name, time),
            table("Medians and means over replicas", ["ranks", "#" + what, ...keys.map(k => "#" + parts[k])],
                  bins.map((b, i) => [name(i), time(b.delay_ns), ...keys.map(k => time(b.account[k]))]), true));
}

function spread(D) {
    const q = D.run_quantiles_ns;
    if (q.length < 2 || q[0] === q[q.length - 1]) return;
    const r = D.run_time_ns, points = q.map((v, i) => ({x: i / (q.length - 1), y: v}));
    section("How sure, how steady", el("p", {}, `Of ${D.replica_number} replicas 90 % take ${apart([r.p5, r.p95]).join(" to ")}.`),
            lines("Run times of replicas, in order", `least ${time(r.least)}, median ${time(r.median)}, largest ${time(r.largest)}`,
                  [{name: "run time", points}], x => x === 0 ? "shortest" : "longest"),
            table("Run time", ["", "#"], ["least", "p5", "median", "p95", "largest", "mean", "sd"].map(k => [k, time(r[k])]), true));
}

function noiseCauses(N) {
    if (!N) return;
    const last = N.causes.length - 1;
    section("Noise by cause", table(`Each row: the run without this cause (with all causes: ${time(N.run_time_with_all_ns.median)}); medians with 95 % intervals`,
        ["cause", "#share of a core", "#shorter by", "#from", "#to", "#run time"],
        N.causes.map((c, i) => [c.cause || (i === last ? "all causes" : `${c.removed} smaller causes`), percent(c.fraction),
            ...(c.change_percent ? [c.change_percent.median, ...c.change_percent.median_confidence_95.slice().reverse()].map(x => percent(-x / 100)) : ["–", "–", "–"]),
            c.run_time_ns ? time(c.run_time_ns.median) : "–"])));
}

function hypotheses(D) {
    if (!D.hypotheses) return;
    const say = c => c ? `${time(c.change_ns.median)} (${c.change_ns.median_confidence_95.map(time).join(" to ")})` : "–";
    section("What if", table("What each hypothesis changes of the run", ["hypothesis", "#alone", "#on top of all others"],
                             D.hypotheses.each.map(h => [h.text, say(h.alone),
                                                          h.needed_by ? `none: ${h.needed_by} needs it` : say(h.on_top)]),
                             false, D.hypotheses.each_total));
}

// What an account's tables show of a row.
const columns = [["injected_ns", "injected"], ["propagated_ns", "+ propagated"], ["absorbed_ns", "− absorbed"],
                 ["passed_on_ns", "= passed on"], ["compute_ns", "computation"], ["noise_ns", "noise"], ["calls_ns", "in calls"],
                 ["messages_ns", "messages"], ["collectives_ns", "collectives"], ["threads_ns", "threads"], ["run_ns", "run"]];

function tables(title, D, predict) {
    if (!D || !D.tables) return;
    for (const t of D.tables) { // what time goes to is no matter of pairs: as in the text
        const shown = !predict ? columns.slice(0, 4) : t.by === "pair" ? [] : columns.slice(4);
        const has = shown.filter(c => t.rows.some(r => r[c[0]]));
        const onto = t.rows.some(r => r.path && r.path.share !== null); // shares of all replicas' paths
        const heads = [t.by, ...has.map(c => "#" + c[1]), ...(onto ? [predict ? "#of critical paths" : "#of the longest delay"] : []),
            ...(predict ? [] : ["class"])];
        const order = predict && (t.by === "rank" || t.by === "pair") && onto ? t.rows.slice().sort((a, b) => b.path.share - a.path.share) :
            t.rows;
        const rows = order.slice(0, 30).map(r => [site(r), ...has.map(c => time(r[c[0]])),
            ...(onto ? [r.path && r.path.share !== null ? percent(r.path.share) : "–"] : []), ...(predict ? [] : [r.class ?? "–"])]);
        const whose = t.by === "rank" || t.by === "pair" ? `Mean of replicas, of each ${t.by}` : "Mean of ranks and replicas";
        const how = t.by === "call" || t.by === "callsite" ? [el("p", {class: "soft"},
            "A call counts with the computation before it. " + (predict ? "" : "Injected: what it loses itself; propagated: what " +
            "it waits for as others are late; absorbed: what nobody notices; passed on: what is left. Of the longest delay: how much of what made the " +
            "last rank late was injected there."))] : [];
        section(`${title}, by ${t.by}`, ...how, table(whose + ", the most first", heads, rows, false, t.rows_total));
    }
}

// The critical path of the median run, and what the run depends on.
function criticalPath(P) {
    if (!P) return;
    const names = {latency: "latency of each message", byte: "time of each byte", compute: "all computation", noise: "all noise"};
    section("The critical path", el("p", {class: "soft"}, `Of replica ${P.replica}, whose run is the median one, ${time(P.run_ns)}; it ends on rank ${P.rank}.`),
        table("What it depends on: of each the path has so much time, and where it is 1 % more, so is that",
              ["", "#on the path", "#share"],
              P.sensitivity.map(v => [names[v.parameter] ?? v.parameter, time(v.on_path_ns), percent(v.share)])));
    for (const t of P.tables)
        section(`The critical path, by ${t.by}`, table("Of the median run, the most first", [t.by, "#time on it", "#share"],
            t.rows.slice(0, 30).map(r => [site(r), time(r.time_ns), percent(r.share)]), false, t.rows_total));
}

// At most N of LIST, evenly, with both ends.
function some(list, n) {
    return list.length <= n ? list : Array.from({length: n}, (_, i) => list[Math.round(i * (list.length - 1) / (n - 1))]);
}

// Whether values, in their order, grow by a factor each time, and by much in all.
function grows(x) {
    const f = x[1] / x[0];
    return x.length > 2 && x[0] > 0 && x[x.length - 1] >= 10 * x[0] && x.every((v, i) => !i || Math.abs(v / x[i - 1] / f - 1) < .01);
}

// What is said of the axis of run times of POINTS.
function wideWords(points) { return spreadWide(points.flatMap(p => [p.y, p.low, p.high])) ? ", on a logarithmic axis of run times" : ""; }

// The answers of the rows D, named by LABEL, a column each: run times and the parts of a rank's time.
function beside(D, label) {
    const parts = [["computation", "compute_ns"], ["waiting for messages", "messages_ns"], ["collectives", "collectives_ns"],
                   ["OS noise", "noise_ns"], ["MPI overhead", "calls_ns"], ["waiting for threads", "threads_ns"]];
    const rows = D.rows.filter(r => r.mean_of_a_rank), part = (r, key) => r.mean_of_a_rank[key] / r.mean_of_a_rank.run_ns;
    if (rows.length < 2)
        return;
    section("Side by side", table("Predicted run times, and the parts of the time of a rank: means of ranks and replicas",
        ["", ...rows.map(r => "#" + label(r).replace(/^signature /, ""))],
        [["predicted run time", ...rows.map(r => time(r.run_time_ns.median))],
         ["95 % confidence", ...rows.map(r => r.run_time_ns.median_confidence_95.map(time).join(" to "))],
         ...(rows.some(r => r.run_time_90_percent_ns) ? [["90 % of runs", ...rows.map(r =>
             r.run_time_90_percent_ns ? r.run_time_90_percent_ns.map(time).join(" to ") : "–")]] : []),
         ["predicted / recorded", ...rows.map(r => Number((r.run_time_ns.median / r.traced_run_time_ns).toPrecision(3)))],
         ...parts.filter(p => rows.some(r => Math.abs(part(r, p[1])) >= .0005)).map(([name, key]) =>
             [name, ...rows.map(r => `${time(r.mean_of_a_rank[key])} (${percent(part(r, key))})`)])]));
}

function sweep(D) {
    const names = D.parameters.map(p => p.name), axis = D.parameters.find(p => p.unit !== null);
    const label = r => names.map(n => `${n} ${value(D, n, r.values[n])}`).join(", ");
    const point = r => ({x: axis && r.values[axis.name], y: r.run_time_ns.median,
                         low: r.run_time_ns.median_confidence_95[0], high: r.run_time_ns.median_confidence_95[1]});
    if (axis) {
        const groups = new Map();
        for (const r of D.rows) {
            const key = names.filter(n => n !== axis.name).map(n => `${n} ${value(D, n, r.values[n])}`).join(", ");
            if (!groups.has(key)) groups.set(key, []);
            groups.get(key).push(point(r));
        }
        const series = some([...groups], 8).map(([name, points]) => ({name, points: points.sort((a, b) => a.x - b.x)}));
        const growing = grows(series[0].points.map(p => p.x));
        section(`Run time over ${axis.name}`, el("p", {class: "soft"}, "Medians with their 95 % intervals" + wideWords(series.flatMap(l => l.points)) +
                    (groups.size > 8 ? `; 8 of ${groups.size} combinations of the others` : "") +
                    (growing ? `; ${axis.name} on a logarithmic axis.` : ".")),
                lines(`Run time over ${axis.name}`, `${D.rows.length} values, with 95 % intervals`, series, v => value(D, axis.name, v), growing));
    } else {
        const rows = D.rows.slice().sort((a, b) => b.run_time_ns.median - a.run_time_ns.median).slice(0, 24);
        section(names.includes("signature") ? "Machine against machine" : "Scenarios",
                el("p", {class: "soft"}, `The slowest first${rows.length < D.rows_total ? `, ${rows.length} of ${D.rows_total}` : ""}; medians with their 95 % intervals${wideWords(rows.map(point))}.`),
                bars("Run times", "medians with their 95 % intervals", rows.map(r =>
                    ({label: label(r), value: point(r).y, low: point(r).low, high: point(r).high})), time));
    }
    if (!axis && names.includes("signature") && D.mode === "predict" && D.rows.length <= 6)
        beside(D, label);
    if (D.tolerances)
        section("What it can stand", table("Medians of the run held against their limits, with 95 % intervals",
            [...(D.tolerances.some(t => t.signature) ? ["signature"] : []), "#longer by at most", "#" + D.tolerances[0].name, "#from", "#to"],
            D.tolerances.map(t => [...(D.tolerances.some(x => x.signature) ? [t.signature] : []), percent(t.slowdown - 1),
                t.which === "none" ? "none" : t.which === "any" ? "any" : value(D, t.name, t.value, t.unit),
                ...t.confidence_95.map(v => v === null ? "–" : value(D, t.name, v, t.unit))])));
    section("All that was tried", table("Median run times with 95 % intervals", [...names.map((n, i) => (D.parameters[i].unit ? "#" : "") + n),
        "#run time", "#from", "#to", D.mode === "predict" ? "#times traced" : "#slowdown"],
        D.rows.map(r => [...names.map(n => value(D, n, r.values[n])), time(r.run_time_ns.median),
                         ...r.run_time_ns.median_confidence_95.map(time),
                         typeof r.slowdown_median !== "number" ? "–" : Number(r.slowdown_median.toPrecision(6))]), D.rows.length > 40, D.rows_total));
}

function said(D) {
    const list = (id, title, what) => {
        if (!what || !what.length) return;
        page.append(el("details", {id}, el("summary", {}, `${title} (${what.length})`), table("", ["", ""], what.map(l => [l.topic, l.text]))));
    };
    list("attention", "Attention", D.attention);
    list("assumed", "Assumed", D.assumptions);
}

const D = JSON.parse(document.getElementById("data").textContent);
if (D.format === "mpgsim-sweep") {
    const s = sheetVerdict(D);
    first(D, s.verdict, s.list);
    sweep(D);
    said(D);
} else {
    advise(todo(D), document.getElementById("advice"));
    if (D.runs) zoomable(D.runs);
    account(D);
    efficiency(D);
    waits(D);
    tables("Where it goes", D.where, D.mode === "predict");
    noiseCauses(D.noise_causes);
    criticalPath(D.critical_path);
    phase(D);
    ranks(D);
    spread(D);
    hypotheses(D);
}
document.body.dataset.done = "yes";
