// SPDX-License-Identifier: GPL-3.0-or-later
// The search of the documentation site, and the list of a page's sections. Works from file://, without a server: the index is a
// script, search-index.js, that the first key in the field loads.
"use strict";
(function () {
    const root = document.body.dataset.root, place = document.getElementById("search");
    const SHOWN = 30, AROUND = 70;
    let state = "absent";

    const field = document.createElement("input"), found = document.createElement("div");
    field.type = "search";
    field.placeholder = "Search: option, word, file format";
    field.setAttribute("aria-label", "Search the documentation");
    field.title = "The key / comes here";
    found.id = "found";
    found.setAttribute("aria-live", "polite");
    place.append(field, found);

    // Returns the lower-case words of TEXT.
    const wordsOf = text => text.toLowerCase().split(/\s+/).filter(word => word);

    // Returns how well a section fits all WORDS: 0 if a word is nowhere. A word in the title counts most for the
    // head of a page, then a word in a heading, then in the text, and the begin of a word more than its middle.
    function fit(section, title, words) {
        const heading = section[2].toLowerCase(), text = section.lower;
        let sum = 0;
        for (const word of words) {
            const part = (where, whole, begin, middle) => {
                const at = where.indexOf(word);
                if (at < 0) return 0;
                if (where === word) return whole;
                return at === 0 || /[^a-z0-9]/.test(where[at - 1]) ? begin : middle;
            };
            const best = Math.max(part(heading.replace(/[=\[ ].*/, "").replace(/^-+/, ""), 120, 60, 20), part(heading, 100, 50, 20),
                part(title, section[1] ? 60 : 130, section[1] ? 30 : 90, 12), part(text, 10, 8, 2));
            if (!best) return 0;
            sum += best;
        }
        const phrase = words.join(" ");
        return sum + (words.length < 2 ? 0 : heading.includes(phrase) ? 60 : text.includes(phrase) ? 15 : 0);
    }

    // Appends TEXT to PARENT with each of WORDS marked.
    function marked(parent, text, words) {
        const escape = word => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
        text.split(new RegExp("(" + words.map(escape).join("|") + ")", "i")).forEach((part, i) => {
            if (i % 2) parent.append(Object.assign(document.createElement("mark"), {textContent: part}));
            else parent.append(part);
        });
    }

    // Returns the part of TEXT around the first of WORDS.
    function excerpt(text, lower, words) {
        const places = words.map(word => lower.indexOf(word)).filter(at => at >= 0);
        const begin = Math.max(0, (places.length ? Math.min(...places) : 0) - AROUND);
        return (begin ? "… " : "") + text.slice(begin, begin + 3 * AROUND) + (begin + 3 * AROUND < text.length ? " …" : "");
    }

    function show() {
        const words = wordsOf(field.value).map(word => word.replace(/^-+(?=.)/, ""));
        found.textContent = "";
        if (!words.length) return;
        if (state !== "loaded") {
            found.append(Object.assign(document.createElement("p"), {textContent:
                state === "failed" ? "search-index.js cannot be read." : "Loading the index …"}));
            return;
        }
        const {pages, sections} = window.siteIndex;
        const hits = sections.map(section => [fit(section, pages[section[0]].lower, words), section]).filter(hit => hit[0])
            .sort((a, b) => b[0] - a[0]);
        for (const [, section] of hits.slice(0, SHOWN)) {
            const [address, title] = pages[section[0]], link = document.createElement("a");
            link.href = root + address + (section[1] ? "#" + section[1] : "");
            const heading = document.createElement("strong"), page = document.createElement("small"), text = document.createElement("small");
            marked(heading, section[2] || title, words);
            page.textContent = section[2] && section[2] !== title ? " · " + title : "";
            text.className = "text";
            marked(text, excerpt(section[3], section.lower, words), words);
            link.append(heading, page, text);
            found.append(link);
        }
        found.append(Object.assign(document.createElement("p"), {textContent: !hits.length ? "Nothing has all these words."
            : hits.length > SHOWN ? `${hits.length - SHOWN} more; another word narrows the search.` : ""}));
        if (!found.lastChild.textContent) found.lastChild.remove();
    }

    function load() {
        if (state !== "absent" && state !== "failed") return;
        state = "loading";
        const script = document.createElement("script");
        script.src = root + "search-index.js";
        script.onload = () => {
            state = "loaded";
            for (const section of window.siteIndex.sections) section.lower = section[3].toLowerCase();
            for (const page of window.siteIndex.pages) page.lower = page[1].toLowerCase();
            show();
        };
        script.onerror = () => { state = "failed"; show(); };
        document.head.append(script);
    }

    field.addEventListener("focus", load);
    field.addEventListener("input", () => { load(); show(); });
    // Enter opens the first result, the arrows go through the results, Escape closes them, / comes to the field.
    document.addEventListener("keydown", event => {
        const here = document.activeElement, inside = place.contains(here);
        if (event.key === "/" && !inside && !event.ctrlKey && !event.metaKey) field.focus();
        else if (!inside) return;
        else if (event.key === "Escape") { field.value = ""; show(); field.blur(); }
        else if (event.key === "Enter" && here === field && found.querySelector("a")) found.querySelector("a").click();
        else if (event.key === "ArrowDown") (here === field ? found.firstElementChild : here.nextElementSibling || here)?.focus();
        else if (event.key === "ArrowUp") (here === field ? field : here.previousElementSibling || field).focus();
        else return;
        event.preventDefault();
    });
    document.addEventListener("click", event => { if (!place.contains(event.target)) found.textContent = ""; });

    // Where the sections stand beside the text, they are open.
    const toc = document.querySelector(".toc");
    if (toc && window.matchMedia("(min-width: 90rem)").matches) toc.open = true;
    // The list of pages shows where the reader is.
    const nav = document.getElementById("pages"), current = nav.querySelector("[aria-current]");
    if (current && nav.scrollHeight > nav.clientHeight) nav.scrollTop = current.offsetTop - nav.clientHeight / 2;
    // A link into a page can carry words to search for: index.html?q=eager+limit.
    const asked = new URLSearchParams(window.location.search).get("q");
    if (asked) { field.value = asked; load(); show(); }
})();
