// Draws the report from the JSON beside it. Ids and texts are written by strangers: they only ever become text
// nodes (`make` and `textContent`), never markup.

const report = JSON.parse(byId("data").textContent);

// ---- The header: what happened, in a sentence ----

function drawHeader() {
  const totals = report.totals;
  const dedup = report.mode === "dedup";
  document.title = `${report.title} – twindex`;
  byId("mode").textContent = dedup ? "dedup report" : "pairs report";
  byId("title").textContent = report.title;
  const strong = (text) => make("strong", {}, text);
  byId("sentence").append(...(dedup
    ? [strong(plural(totals.documents, "document")), ": ", strong(count(totals.kept)), " kept, ",
      strong(count(totals.removed)), " removed",
      totals.removed ? "; every removed document names a kept witness." : ". Nothing was found to be redundant."]
    : [strong(plural(totals.documents, "document")), ": ", strong(plural(totals.pairs, "pair")),
      totals.pairs === 1 ? " passes" : " pass", ` the rule, in ${plural(totals.clusters, "cluster", "clusters")}.`]));
  if (dedup && totals.documents > 0) {
    const bar = byId("proportion");
    bar.append(make("span", { class: "kept", style: `flex:${totals.kept}` }), make("span", { class: "removed", style: `flex:${totals.removed}` }));
    bar.setAttribute("aria-label", `${percent(totals.kept / totals.documents)} kept, ${percent(totals.removed / totals.documents)} removed`);
  } else byId("proportion").hidden = true;
  const share = (part) => (totals.documents ? ` (${percent(part / totals.documents)})` : "");
  const tile = (name, value, kind) =>
    make("div", {}, make("dt", {}, ...(kind ? [make("span", { class: `swatch ${kind}` })] : []), name), make("dd", {}, value));
  const tiles = [tile("read", size(totals.bytes))];
  if (dedup) tiles.push(tile("kept" + share(totals.kept), count(totals.kept), "kept"), tile("removed" + share(totals.removed), count(totals.removed), "removed"));
  tiles.push(tile("exact duplicates", count(totals.exact_duplicates)), tile(totals.pairs === 1 ? "pair" : "pairs", count(totals.pairs)), tile(totals.clusters === 1 ? "cluster" : "clusters", count(totals.clusters)));
  if (totals.against) tiles.push(tile("protected", count(totals.against)));
  if (totals.skipped_rows) tiles.push(tile("rows skipped", count(totals.skipped_rows)));
  tiles.push(tile("time", duration(totals.seconds)));
  byId("tiles").append(...tiles);
  byId("notes").append(...report.notes.map((note) => make("li", { dir: "auto" }, note)));
}

// ---- Charts ----

function showTip(event, text) {
  const tip = byId("tip");
  tip.textContent = text;
  tip.hidden = false;
  const box = event.currentTarget.getBoundingClientRect();
  const [x, y] = event.clientX == null ? [box.x + box.width / 2, box.y] : [event.clientX, event.clientY];
  tip.style.left = `${Math.max(8, Math.min(x + 14, innerWidth - tip.offsetWidth - 8))}px`;
  tip.style.top = `${Math.max(8, y - tip.offsetHeight - 14)}px`;
}

const WIDEST_BAR = 64;

// A bar is { parts: [[class, count]], tip, label, chosen, choose }. Bars of very unequal height get a logarithmic
// scale, on which each bar's total is true and its parts divide it by their share.
function drawBars(place, bars, describe, decorate = () => {}) {
  const width = Math.max(260, place.clientWidth), height = 230;
  const edge = { left: 52, right: 10, top: 22, bottom: 26 };
  const inner = { width: width - edge.left - edge.right, height: height - edge.top - edge.bottom };
  const totals = bars.map((bar) => sum(bar.parts.map((part) => part[1])));
  const most = Math.max(1, ...totals);
  const logarithmic = most / Math.min(...totals.filter((total) => total > 0), most) > 60;
  const up = (value) => inner.height * (value === 0 ? 0 : logarithmic ? Math.log10(value * 2) / Math.log10(most * 2) : value / most);
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "group", "aria-label": describe });
  const ticks = logarithmic
    ? [...Array(Math.floor(Math.log10(most)) + 1).keys()].map((power) => 10 ** power)
    : [...new Set([0, 0.5, 1].map((part) => Math.round(part * most)))];
  for (const tick of ticks.filter((_, index) => ticks.length < 6 || index % 2 === 0)) {
    const y = edge.top + inner.height - up(tick);
    svg.append(shape("line", { class: "axis", x1: edge.left, x2: width - edge.right, y1: y, y2: y }),
      shape("text", { x: edge.left - 6, y: y + 4, "text-anchor": "end" }, new Intl.NumberFormat("en-US", { notation: tick > 9999 ? "compact" : "standard" }).format(tick)));
  }
  if (logarithmic) svg.append(shape("text", { x: 0, y: 12 }, "log scale"));
  const step = Math.min(inner.width / bars.length, WIDEST_BAR);
  bars.forEach((bar, index) => {
    const group = shape("g", { class: bar.chosen ? "bar chosen" : "bar", tabindex: totals[index] ? 0 : null, role: bar.choose ? "button" : "img", "aria-label": bar.tip, "aria-pressed": bar.choose && String(Boolean(bar.chosen)) });
    const x = edge.left + index * step;
    group.append(shape("rect", { class: "ground", x, y: edge.top, width: step, height: inner.height }));
    let y = edge.top + inner.height;
    for (const [kind, number] of bar.parts.filter((part) => part[1] > 0)) {
      const tall = Math.max(1.5, up(totals[index]) * number / totals[index]);
      y -= tall;
      group.append(shape("rect", { class: `fill-${kind}`, x: x + step * 0.08, y, width: step * 0.84, height: tall, rx: Math.min(2, step / 8) }));
    }
    for (const event of ["mousemove", "focus"]) group.addEventListener(event, (happened) => showTip(happened, bar.tip));
    for (const event of ["mouseleave", "blur"]) group.addEventListener(event, () => { byId("tip").hidden = true; });
    if (bar.choose) {
      group.addEventListener("click", bar.choose);
      group.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") { event.preventDefault(); bar.choose(); }
      });
    }
    if (bar.label) svg.append(shape("text", { x: x + step / 2, y: height - 8, "text-anchor": "middle" }, bar.label));
    svg.append(group);
  });
  decorate(svg, (part) => edge.left + part * step * bars.length, edge, height);
  place.replaceChildren(svg);
}

function drawHistogram() {
  const { accepted, rejected } = report.histogram;
  const all = sum(accepted) + sum(rejected);
  if (all === 0) return byId("histogram").replaceChildren(make("p", { class: "empty" }, "No candidates had to be verified."));
  byId("histogram-caption").replaceChildren(
    `${plural(all, "candidate")} verified by ${measureName(report.measure)}: `,
    make("span", {}, make("span", { class: "swatch accepted" }), `${count(sum(accepted))} accepted`), ", ",
    make("span", {}, make("span", { class: "swatch rejected" }), `${count(sum(rejected))} rejected`),
    ". Choose a bar to list its pairs.");
  const bars = [...Array(bins).keys()].map((bin) => {
    const [from, to, taken, refused] = [bin / bins, (bin + 1) / bins, accepted[bin] || 0, rejected[bin] || 0];
    return {
      parts: [["accepted", taken], ["rejected", refused]],
      tip: `${edgeOf(from)} to ${edgeOf(to)}\n${count(taken)} accepted\n${count(refused)} rejected`,
      chosen: state.bin === bin,
      choose: () => choose({ bin: state.bin === bin ? null : bin, tab: "all" }),
    };
  });
  drawBars(byId("histogram"), bars, "Histogram of similarity", (svg, across, edge, height) => {
    const x = across(Math.max(0, Math.min(1, report.threshold)));
    for (const part of [0, 0.25, 0.5, 0.75, 1]) svg.append(shape("text", { x: across(part), y: height - 8, "text-anchor": part === 1 ? "end" : part === 0 ? "start" : "middle" }, part.toFixed(2)));
    svg.append(shape("line", { class: "threshold", x1: x, x2: x, y1: edge.top - 4, y2: height - edge.bottom }),
      shape("text", { class: "threshold-label", x: x + (x > 220 ? 4 : -4), y: 12, "text-anchor": x > 220 ? "end" : "start" }, `threshold ${report.threshold}`));
  });
}

function drawSizes() {
  const clusters = sum(report.cluster_bars.map((bar) => bar.clusters));
  if (clusters === 0) return byId("sizes").replaceChildren(make("p", { class: "empty" }, "No two documents belong together."));
  byId("sizes-caption").textContent = `${plural(clusters, "cluster", "clusters")} of two or more documents, by number of members.`;
  const crowded = report.cluster_bars.length > 9;
  drawBars(byId("sizes"), report.cluster_bars.map((bar, index) => {
    const range = bar.from === bar.to ? count(bar.from) : `${count(bar.from)}–${count(bar.to)}`;
    const short = new Intl.NumberFormat("en-US", { notation: "compact" }).format(bar.from);
    return {
      parts: [["cluster", bar.clusters]],
      tip: `${range} members\n${plural(bar.clusters, "cluster", "clusters")}`,
      label: bar.from === bar.to ? short : crowded ? (index % 2 ? "" : `${short}+`) : bar.to < 100 ? range : `${short}+`,
    };
  }), "Clusters by size");
}

// ---- The pair browser ----

const pairs = report.pairs.map((pair, index) => ({ ...pair, index, ids: `${pair.left.id}\n${pair.right.id}`.toLowerCase() }));
const tabs = {
  accepted: { name: "Least similar accepted", order: "ascending", has: (pair) => pair.accepted },
  rejected: { name: "Most similar rejected", order: "descending", has: (pair) => !pair.accepted },
  all: { name: "All shown pairs", order: "ascending", has: () => true },
};
const orders = {
  ascending: (a, b) => a.score - b.score || a.index - b.index,
  descending: (a, b) => b.score - a.score || a.index - b.index,
  given: (a, b) => a.index - b.index,
};
const firstTab = pairs.some((pair) => pair.accepted) || !pairs.length ? "accepted" : "rejected";
const state = { tab: firstTab, order: tabs[firstTab].order, search: "", bin: null, pair: null, folded: false };
const bins = Math.max(1, report.histogram.accepted.length, report.histogram.rejected.length);
let listed = [];

function measureName(measure) {
  return { jaccard: "Jaccard similarity", containment: "containment", containment_left: "containment of the left document", containment_right: "containment of the right document", cosine: "cosine similarity" }[measure] || measure;
}

function choose(change) {
  if (change.tab && change.tab !== state.tab) change.order ??= tabs[change.tab].order;
  Object.assign(state, change);
  drawList();
  if ("bin" in change) drawHistogram();
}

function drawList() {
  const wanted = state.search.trim().toLowerCase();
  listed = pairs.filter((pair) => tabs[state.tab].has(pair) && pair.ids.includes(wanted)
    && (state.bin === null || Math.min(bins - 1, Math.floor(pair.score * bins)) === state.bin)).sort(orders[state.order]);
  byId("tabs").replaceChildren(...Object.entries(tabs).map(([key, tab]) =>
    make("button", { type: "button", "aria-pressed": state.tab === key, onclick: () => choose({ tab: key, bin: null }) },
      tab.name, make("span", {}, count(pairs.filter(tab.has).length)))));
  byId("order").value = state.order;
  byId("count").replaceChildren(listed.length === pairs.length ? "" : `${count(listed.length)} listed`);
  if (state.bin !== null) byId("count").append(" ", make("button", { type: "button", class: "chip", onclick: () => choose({ bin: null }) },
    `score ${edgeOf(state.bin / bins)} to ${edgeOf((state.bin + 1) / bins)} ✕`));
  byId("list").replaceChildren(...listed.map((pair) => make("li", {},
    make("button", { type: "button", "data-pair": pair.index, onclick: () => select(pair) },
      make("span", { class: `score ${pair.accepted ? "accepted" : "rejected"}` }, decimals(pair.score), make("small", {}, pair.exact ? "exact" : pair.accepted ? "accepted" : "rejected")),
      make("span", { class: "id", dir: "auto" }, pair.left.id), make("span", { class: "id", dir: "auto" }, pair.right.id)))));
  if (!listed.length) byId("list").append(make("li", { class: "empty" }, "No shown pair fits."));
  select(listed.includes(state.pair) ? state.pair : listed[0] ?? null);
}

function select(pair, focus = false) {
  state.pair = pair;
  for (const button of byId("list").querySelectorAll("button")) {
    const current = pair !== null && button.dataset.pair === String(pair.index);
    button.setAttribute("aria-current", current);
    if (!current) continue;
    // Only the list scrolls: scrollIntoView would also move the page under the reader.
    const list = byId("list"), top = button.offsetTop - list.offsetTop;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + button.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top + button.offsetHeight - list.clientHeight;
    if (focus) button.focus({ preventScroll: true });
  }
  drawPair(pair);
}

function step(by, focus) {
  const next = listed[listed.indexOf(state.pair) + by];
  if (next) select(next, focus);
}

function scoreRows({ scores }) {
  const row = (measure, name, value, words) => ({ measure, name, value, words });
  const rows = [
    row("jaccard", "Jaccard", scores.jaccard, `${percent(scores.jaccard)} of all features of the two documents are in both.`),
    row("containment_left", "Containment, left", scores.containment_left, `${percent(scores.containment_left)} of the left document's features are also in the right one.`),
    row("containment_right", "Containment, right", scores.containment_right, `${percent(scores.containment_right)} of the right document's features are also in the left one.`),
  ];
  if (scores.cosine != null) rows.push(row("cosine", "Cosine", scores.cosine, "1 means the same words in the same proportions."));
  if (scores.distance != null) rows.push(row("distance", "Simhash distance", null, `${plural(scores.distance, "bit")} of the two fingerprints ${scores.distance === 1 ? "differs" : "differ"}. Fingerprints only propose pairs.`));
  return rows.map(({ measure, name, value, words }) => {
    const decides = measure === report.measure || (report.measure === "containment" && measure.startsWith("containment"));
    return make("tr", { class: decides ? "decides" : null }, make("th", { scope: "row" }, name),
      make("td", {}, value == null ? String(scores.distance) : decimals(value), ...(value == null ? [] : [make("span", { class: "meter" }, make("i", { style: `width:${100 * value}%` }))])),
      make("td", {}, words, decides ? ` Decides: at least ${report.threshold} is accepted.` : ""));
  });
}

function drawPair(pair) {
  const place = byId("pair");
  if (!pair) return place.replaceChildren(make("p", { class: "empty" }, "Choose another filter to see a pair."));
  const position = listed.indexOf(pair);
  const kind = pair.exact ? "Exact duplicate" : pair.accepted ? "Accepted" : "Rejected";
  const head = (side, name) => make("div", {}, make("small", {}, name), make("span", { class: "id", dir: "auto" }, side.id));
  const same = pair.pieces.every((piece) => piece.removed == null && piece.added == null);
  const cut = pair.left.cut + pair.right.cut > 0;
  const ending = (side) => make("div", {}, ...(side.cut ? [make("span", { class: "gap" }, `⋯ ${plural(side.cut, "more character")} not shown`)] : []));
  const legend = !same ? [make("span", {}, make("del", {}, "only left")), make("span", {}, make("ins", {}, "only right"))]
    : [make("span", {}, cut ? "No difference in the part shown." : pair.exact ? "The two texts are the same." : "The visible texts are the same.")];
  place.replaceChildren(
    make("div", { class: "verdict" },
      make("span", { class: `badge ${pair.accepted ? "accepted" : "rejected"}` }, kind),
      make("span", { class: "why", dir: "auto" }, pair.why),
      make("span", { class: "steps" },
        make("button", { type: "button", class: "plain", disabled: position <= 0, onclick: () => step(-1) }, "← previous"),
        `${count(position + 1)} of ${count(listed.length)}`,
        make("button", { type: "button", class: "plain", disabled: position + 1 >= listed.length, onclick: () => step(1) }, "next →"))),
    make("table", { class: "scores", "aria-label": "Scores" }, make("tbody", {}, ...scoreRows(pair))),
    make("div", { class: "legend" }, ...legend,
      ...(same ? [] : [make("label", {}, make("input", { type: "checkbox", id: "fold", onchange: (event) => { state.folded = event.target.checked; drawPair(pair); byId("fold").focus(); } }), " Only the differences")])),
    make("div", { class: "texts" },
      make("div", { class: "row head" }, head(pair.left, "Left"), head(pair.right, "Right")),
      ...textRows(state.folded ? folded(pair.pieces) : pair.pieces),
      ...(cut ? [make("div", { class: "row changed" }, ending(pair.left), ending(pair.right))] : [])));
  if (byId("fold")) byId("fold").checked = state.folded;
}

function setUpBrowser() {
  const accepted = pairs.filter((pair) => pair.accepted).length, rejected = pairs.length - accepted;
  const refused = Math.max(sum(report.histogram.rejected), rejected), taken = Math.max(report.totals.pairs, accepted);
  byId("pairs-caption").replaceChildren(...(pairs.length
    ? [`Showing ${count(accepted)} of ${plural(taken, "pair")}${refused ? ` and ${count(rejected)} of ${plural(refused, "rejected candidate")}` : ""}. The doubtful ones come first: if these are right, so are the rest. `,
      make("kbd", {}, "j"), " and ", make("kbd", {}, "k"), " step through the list."]
    : [make("span", {}, taken + refused ? "The run's pairs were not put into this report." : "No candidate was found, so there is nothing to compare.")]));
  byId("browser").hidden = !pairs.length;
  byId("search").addEventListener("input", (event) => choose({ search: event.target.value }));
  byId("order").addEventListener("change", (event) => choose({ order: event.target.value }));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select")) return;
    const arrows = event.target.closest("#list") ? { ArrowDown: 1, ArrowUp: -1 } : {};
    const by = { j: 1, k: -1, ...arrows }[event.key];
    if (by) { event.preventDefault(); step(by, "ArrowDown" in arrows); }
  });
}

// ---- Clusters and the run ----

function drawClusters() {
  byId("clusters").replaceChildren(...report.largest_clusters.map((cluster) => make("details", {},
    make("summary", {}, make("strong", {}, plural(cluster.size, "document")), make("span", { class: "id", dir: "auto" }, cluster.members[0] || "")),
    ...(cluster.example_text ? [make("blockquote", { dir: "auto" }, cluster.example_text)] : []),
    make("ul", {}, ...cluster.members.map((id) => make("li", {}, make("span", { class: "id", dir: "auto" }, id))),
      ...(cluster.more ? [make("li", {}, `and ${count(cluster.more)} more`)] : [])))));
  if (!report.largest_clusters.length) byId("clusters").append(make("p", { class: "empty" }, "There are no clusters."));
}

function drawRun() {
  byId("command").textContent = report.command;
  byId("recipe").textContent = report.recipe;
  const longest = Math.max(1e-9, ...report.stages.map((stage) => stage.seconds));
  byId("stages").append(...report.stages.flatMap((stage) => [make("b", {}, stage.name), make("span", {}, duration(stage.seconds)),
    make("i", { style: `width:${100 * stage.seconds / longest}%` })]));
  byId("footer").textContent = `Written by twindex ${report.version}. This file is complete: it loads nothing from anywhere.`;
}

drawHeader();
setUpBrowser();
drawList();
drawClusters();
drawRun();
const drawCharts = () => { drawHistogram(); drawSizes(); };
drawCharts();
let drawnWidth = innerWidth;
addEventListener("resize", () => { if (innerWidth !== drawnWidth) { drawnWidth = innerWidth; drawCharts(); } });
