// SPDX-License-Identifier: GPL-3.0-or-later
// The stretch of the run in which ranks spend most time within calls: traced above, predicted below, a line a rank.
const callColours = {send: "var(--blue)", receive: "var(--green)", wait: "var(--red)", collective: "var(--violet)",
                     other: "var(--grey)"};
const callKinds = {send: "sends", receive: "receives", wait: "waits and tests", collective: "collectives", other: "other calls"};

// Who is least in calls there, if others are there much longer: they wait for it.
function awaited(P) {
    const length = P.to_ns - P.from_ns, least = P.drawn.reduce((a, b) => b.in_calls_ns < a.in_calls_ns ? b : a, P.drawn[0]);
    const part = least ? least.in_calls_ns / length : 1;
    return P.ranks > 1 && part < .6 * P.share ? {rank: least.rank, part} : null;
}

function phaseLines(P) {
    const w = width(), lane = 18, length = P.to_ns - P.from_ns;
    const left = 46 + 9 * Math.max(2, ...P.drawn.map(r => `${r.rank}`.length)); // digits are at most 9 px wide
    const last = Math.max(length, ...P.drawn.flatMap(r => r.predicted.map(c => c[0] + c[1]))); // calls may end after the stretch
    const whole = last > 2 * length ? length : last, longest = Math.max(whole, P.traced_ns) || 1;
    const fit = !(P.traced_ns > 0) || longest <= 10 * Math.min(whole, P.traced_ns); // as for the runs over time
    const runs = [["predicted", whole]];
    if (P.traced_ns > 0) runs.unshift(["traced", P.traced_ns]);
    const used = Object.keys(callKinds).filter(k => P.drawn.some(r => runs.some(([run]) =>
        r[run].some(c => P.names[c[2]].kind === k))));
    const a = Math.max(150, Math.floor(w / used.length)), across = Math.max(1, Math.floor(w / a));
    const legend = 20 * Math.ceil(used.length / across), height = legend + runs.length * (44 + lane * P.drawn.length);
    const s = chart(height, "The worst phase", "Calls of each rank over time, traced and predicted");
    used.forEach((k, i) => {
        const px = i % across * a, py = 20 * Math.floor(i / across);
        s.append(vg("rect", {x: px + 4, y: py + 3, width: 14, height: 10, fill: callColours[k]}),
                 vg("text", {x: px + 22, y: py + 13}, callKinds[k]));
    });
    runs.forEach(([run, ns], i) => {
        const top = legend + i * (44 + lane * P.drawn.length), end = top + 38 + lane * P.drawn.length;
        const span = fit ? longest : ns;
        const x = t => left + Math.max(0, Math.min(span, t)) / span * (w - left - 4);
        s.append(vg("text", {x: 4, y: top + 16}, run), vg("text", {x: w - 4, y: top + 16, "text-anchor": "end", class: "soft"}, time(ns)));
        P.drawn.forEach((r, k) => {
            const y = top + 24 + lane * k;
            s.append(vg("text", {x: left - 8, y: y + 11, "text-anchor": "end", class: "soft"}, `rank ${r.rank}`),
                     vg("path", {d: `M${left} ${y + 7}H${x(ns)}`, stroke: "var(--line)"}));
            for (const [from, long, name] of r[run]) {
                const x0 = x(from), call = vg("rect", {x: x0, y, width: Math.max(.6, x(from + long) - x0), height: 14,
                                                       fill: callColours[P.names[name].kind]});
                call.append(vg("title", {}, `rank ${r.rank}: ${P.names[name].name}, ${time(long)}`));
                s.append(call);
            }
        });
        s.append(vg("text", {x: left, y: end, class: "soft"}, "0"),
                 vg("text", {x: w - 4, y: end, "text-anchor": "end", class: "soft"}, time(span)));
    });
    return s;
}

function phase(D) {
    const P = D.phase;
    if (!P) {
        if (D.phase_missing) section("The worst phase", el("p", {class: "soft"}, `Not drawn: ${D.phase_missing}.`));
        return;
    }
    const inside = ([from, long]) => Math.min(from + long, P.to_ns - P.from_ns) - Math.max(from, 0);
    const calls = P.drawn.flatMap(r => r.predicted.map(c => [r.rank, P.names[c[2]].name, c[1], inside(c)]));
    calls.sort((a, b) => b[3] - a[3]);
    const late = awaited(P);
    const nodes = [`From ${time(P.from_ns)} to ${time(P.to_ns)} of the predicted run (replica ${P.replica}, the median one, ${
        time(P.run_ns)}) ranks spend ${percent(P.share)} of their time within MPI calls; nowhere else are they in calls as long. `];
    if (late)
        nodes.push(el("b", {}, `Rank ${late.rank} is least in calls there (${percent(late.part)}): others wait for it. `));
    nodes.push("The thin line is computation. " + (P.traced_ns > 0 ? "The traced run made the same calls in " +
        `${time(P.traced_ns)}, whole ones.` : "The traced run made other calls there, and is not drawn.") +
        (P.drawn.length < P.ranks ? ` Drawn are ${P.drawn.length} of ${P.ranks} ranks: those most and those least in calls.` : ""));
    section("The worst phase", el("p", {class: "soft"}, ...nodes), phaseLines(P),
            table("The longest calls there, predicted", ["rank", "call", "#time"],
                  calls.slice(0, 20).map(c => [c[0], c[1], time(c[2])]), true, calls.length));
}
