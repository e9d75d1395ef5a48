// SPDX-License-Identifier: GPL-3.0-or-later
// Zooming into the runs over time: all their pictures show one part of their time axes, from 0 to 1. Pictures of calls are drawn
// again for this part.
function zoomable(R) {
    const across = 20000, lane = 18, keys = ["recorded", "predicted"], section = document.getElementById("runs");
    const heats = [...section.querySelectorAll("svg.heat")], calls = [...section.querySelectorAll("svg.calls")];
    const at = document.getElementById("at"), names = {computation: "computation", waiting: "waiting", mpi: "transfer and MPI overhead",
                                                       noise: "OS noise", tracer: "recording"};
    const run = svg => keys[+svg.dataset.run], spans = {};
    for (const svg of heats) spans[run(svg)] = +svg.dataset.span;
    const least = Math.min(1, 100 / Math.max(...Object.values(spans))); // 100 ns
    let from = 0, to = 1, focus = {svg: null, row: 0, item: -1};
    const title = key => section.querySelector(`svg[data-run="${keys.indexOf(key)}"]`)
        .getAttribute("aria-label").split(" ")[0];
    const px = (key, ns) => (ns / spans[key] - from) / (to - from) * across;

    // Labels of the time axis of run KEY.
    function labels(key) {
        const begin = from * spans[key], end = to * spans[key], lead = 10 ** Math.floor(Math.log10((end - begin) / 4));
        const x = (end - begin) / 4 / lead, step = lead * (x >= 5 ? 5 : x >= 2 ? 2 : 1), list = [];
        // as many digits as tell labels apart
        const digits = Math.min(12, Math.max(4, Math.ceil(Math.log10(Math.max(1, end / step))) + 1));
        for (let i = Math.ceil(begin / step); i * step <= begin + .93 * (end - begin); i++)
            list.push(el("span", {style: `left:${(px(key, i * step) / across * 100).toFixed(2)}%`}, i ? timeTo(digits, i * step) : "0"));
        return list;
    }

    function drawCalls(svg) {
        const paths = new Map(), key = run(svg), R1 = R[key], begin = from * spans[key], end = to * spans[key];
        R1.calls.forEach((list, i) => {
            const last = new Map();
            for (const c of list) {
                if (c[0] + c[1] < begin || c[0] > end) continue;
                const kind = R.names[c[2]].kind + (c.length > 7 ? " several" : "");
                const x0 = Math.max(px(key, c[0]), -across, last.get(kind) ?? -Infinity);
                const x1 = Math.min(px(key, c[0] + c[1]), 2 * across);
                const width = Math.max(x1 - x0, 2);
                if (x1 < x0) continue;
                last.set(kind, x0 + width);
                paths.set(kind, (paths.get(kind) ?? "") + `M${x0.toFixed(1)} ${i * lane + lane / 2}h${width.toFixed(1)}`);
            }
        });
        const order = [...paths].sort((a, b) => b[0].endsWith("several") - a[0].endsWith("several"));
        svg.querySelector("g").replaceChildren(...order.map(([kind, d]) => vg("path", {class: kind, d})));
        svg.querySelector(".computing").setAttribute("d", R1.calls.map((_, i) =>
            `M${px(key, 0)} ${i * lane + lane / 2}H${px(key, R1.run_ns)}`).join(""));
    }

    function show() {
        for (const svg of heats) {
            const height = svg.viewBox.baseVal.height;
            svg.setAttribute("viewBox", `${from * across} 0 ${(to - from) * across} ${height}`);
        }
        calls.forEach(drawCalls);
        for (const a of section.querySelectorAll(".axis")) a.replaceChildren(...labels(run(a)));
        const shown = [...new Set(keys.map(k => `${timeTo(6, from * spans[k])} to ${timeTo(6, to * spans[k])}`))];
        document.getElementById("range").textContent = from === 0 && to === 1 ? "" : shown.join("; ");
        section.dataset.from = from;
        section.dataset.to = to;
        mark();
    }

    function go(a, b) {
        const length = Math.min(1, Math.max(least, b - a)), middle = (a + b) / 2;
        from = Math.max(0, Math.min(1 - length, middle - length / 2));
        to = from + length;
        show();
    }
    function zoom(factor, around) { go(around - (around - from) * factor, around + (to - around) * factor); }
    function pan(part) { const d = Math.max(-from, Math.min(1 - to, part * (to - from))); go(from + d, to + d); }

    // Words for call C of rank RANK.
    function sayCall(key, rank, c) {
        const [start, long, call, place, peer, awaited, wait, n, inside] = c, site = place >= 0 ? `, ${R.callsites[place]}` : "";
        const other = peer >= 0 ? `, with rank ${peer}` : "";
        const waits = wait > 0 ? `; ${n ? "waiting" : "waits"} ${time(wait)}${awaited >= 0 && !n ? ` for rank ${awaited}` : ""}` : "";
        const what = n ? `${n} calls, ${time(inside)} of ${time(long)}; the longest: ${R.names[call].name}${site}${other}` :
            `${R.names[call].name}${site}${other}: ${time(long)}`;
        return `${title(key)}, rank ${rank}, at ${timeTo(6, start)}: ${what}${waits}`;
    }
    function sayBin(key, row, bin) {
        const R1 = R[key], [first, last] = R.groups[row], bins = R1.parts.computation[row].length;
        if (bin < 0 || bin >= bins) return "";
        const parts = Object.keys(names).map(k => `${names[k]} ${R1.parts[k][row][bin] / 10} %`).join(", ");
        return `${title(key)}, ${first === last ? `rank ${first}` : `ranks ${first} to ${last}`}, ${timeTo(6, bin * R1.bin_ns)} to ${
            timeTo(6, Math.min(R1.run_ns, (bin + 1) * R1.bin_ns))}: ${parts}`;
    }

    // What is at time NS in ROW: the call, or the nearest one within 3 pixels.
    function find(svg, row, ns) {
        const key = run(svg);
        if (svg.classList.contains("heat")) return Math.min(R[key].parts.computation[row].length - 1, Math.floor(ns / R[key].bin_ns));
        const near = 3 / Math.max(1, svg.clientWidth) * (to - from) * spans[key], off = c => Math.max(c[0] - ns, ns - c[0] - c[1], 0);
        let best = -1;
        R[key].calls[row].forEach((c, i) => { if (off(c) <= near && (best < 0 || off(c) < off(R[key].calls[row][best]))) best = i; });
        return best;
    }
    function extent() {
        const {svg, row, item} = focus, key = svg && run(svg);
        if (!svg || item < 0) return null;
        if (svg.classList.contains("heat"))
            return item < R[key].parts.computation[row].length ? [item * R[key].bin_ns, (item + 1) * R[key].bin_ns] : null;
        const c = R[key].calls[row][item];
        return c ? [c[0], c[0] + c[1]] : null;
    }
    function mark() {
        section.querySelectorAll(".mark").forEach(m => m.remove());
        const e = extent();
        if (!e) return;
        const heat = focus.svg.classList.contains("heat"), key = run(focus.svg), scale = across / spans[key];
        const x = heat ? e[0] * scale : px(key, e[0]), w = heat ? (e[1] - e[0]) * scale : Math.max(2, px(key, e[1]) - x);
        focus.svg.append(vg("rect", {class: "mark", x, y: heat ? focus.row : focus.row * lane + 1, width: w, height: heat ? 1 : lane - 2}));
    }
    function point(svg, row, item) {
        focus = {svg, row, item};
        const key = run(svg), heat = svg.classList.contains("heat"), c = heat ? null : R[key].calls[row][item];
        at.textContent = heat ? sayBin(key, row, item) : c ? sayCall(key, R.ranks[row], c) : "";
        mark();
    }
    function rows(svg) { return svg.classList.contains("heat") ? R.groups.length : R.ranks.length; }
    function place(svg, e) {
        const box = svg.getBoundingClientRect(), row = Math.floor((e.clientY - box.top) / box.height * rows(svg));
        const part = from + (e.clientX - box.left) / box.width * (to - from);
        return {part, ns: part * spans[run(svg)], row: Math.max(0, Math.min(rows(svg) - 1, row))};
    }

    function bring(step) { // the next call or bin, into sight
        const {svg, row} = focus, heat = svg.classList.contains("heat");
        const n = heat ? R[run(svg)].parts.computation[row].length : R[run(svg)].calls[row].length;
        const start = focus.item >= 0 ? focus.item + step : heat ? find(svg, row, from * spans[run(svg)]) :
            Math.max(0, R[run(svg)].calls[row].findIndex(c => c[0] + c[1] >= from * spans[run(svg)]));
        point(svg, row, Math.max(0, Math.min(n - 1, start)));
        const e = extent(), middle = e && (e[0] + e[1]) / 2 / spans[run(svg)];
        if (e && (middle < from || middle > to)) go(middle - (to - from) / 2, middle + (to - from) / 2);
    }

    for (const svg of [...heats, ...calls]) {
        let drag = null;
        svg.addEventListener("wheel", e => {
            if (!e.ctrlKey && !e.shiftKey && document.activeElement !== svg) return;
            e.preventDefault();
            if (e.shiftKey && !e.ctrlKey) pan((e.deltaX || e.deltaY) / 500);
            else zoom(Math.exp(Math.max(-300, Math.min(300, e.deltaY)) / 300), place(svg, e).part);
        }, {passive: false});
        svg.addEventListener("pointerdown", e => {
            drag = {x: e.clientX, from, to, part: place(svg, e).part, selects: e.shiftKey};
            if (e.pointerType === "mouse") svg.setPointerCapture(e.pointerId);
        });
        svg.addEventListener("pointermove", e => {
            const p = place(svg, e);
            if (drag && !drag.selects && Math.abs(e.clientX - drag.x) > 2) {
                const d = (drag.x - e.clientX) / svg.getBoundingClientRect().width * (drag.to - drag.from);
                const move = Math.max(-drag.from, Math.min(1 - drag.to, d));
                go(drag.from + move, drag.to + move);
            } else if (!drag) point(svg, p.row, find(svg, p.row, p.ns));
        });
        const end = e => {
            const d = drag, p = place(svg, e);
            drag = null;
            if (d && d.selects && Math.abs(e.clientX - d.x) > 4) go(Math.min(d.part, p.part), Math.max(d.part, p.part));
            else if (d) point(svg, p.row, find(svg, p.row, p.ns));
        };
        svg.addEventListener("pointerup", end);
        svg.addEventListener("pointercancel", () => { drag = null; });
        svg.addEventListener("dblclick", e => zoom(.25, place(svg, e).part));
        svg.addEventListener("focus", () => { if (focus.svg !== svg) { focus = {svg, row: 0, item: -1}; bring(0); } });
        svg.addEventListener("keydown", e => {
            const middle = (from + to) / 2;
            if (e.ctrlKey || e.altKey || e.metaKey) return;
            const moves = {ArrowLeft: () => pan(-.2), ArrowRight: () => pan(.2), "+": () => zoom(.5, middle), "=": () => zoom(.5, middle),
                           "-": () => zoom(2, middle), "0": () => go(0, 1), Home: () => go(0, 1), ",": () => bring(-1), ".": () => bring(1),
                           ArrowUp: () => { focus = {svg, row: Math.max(0, focus.row - 1), item: -1}; bring(0); },
                           ArrowDown: () => { focus = {svg, row: Math.min(rows(svg) - 1, focus.row + 1), item: -1}; bring(0); }};
            if (!moves[e.key]) return;
            e.preventDefault();
            if (focus.svg !== svg) focus = {svg, row: 0, item: -1};
            moves[e.key]();
        });
    }
    document.getElementById("in").onclick = () => zoom(.5, (from + to) / 2);
    document.getElementById("out").onclick = () => zoom(2, (from + to) / 2);
    document.getElementById("whole").onclick = () => go(0, 1);
    document.getElementById("keys").hidden = false;
    section.dataset.from = from;
    section.dataset.to = to;
}
