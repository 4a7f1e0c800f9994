// The page of the service: asks it, and draws what it answers. The shared script comes first.

// ---- Asking ----

async function ask(method, path, body) {
  const headers = {};
  const token = sessionStorage.getItem("token");
  if (token) headers.authorization = `Bearer ${token}`;
  if (body) headers["content-type"] = "application/json";
  let response;
  try {
    response = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  } catch {
    throw new Error("The service cannot be reached.");
  }
  if (response.status === 401) byId("token-form").hidden = false;
  const answer = await response.text();
  if (response.ok) return answer ? JSON.parse(answer) : null;
  let detail = `The service answered with ${response.status}.`;
  try { detail = JSON.parse(answer).detail; } catch { /* Not every answer is ours: a proxy may be between. */ }
  throw Object.assign(new Error(detail), { status: response.status });
}

function tell(error) {
  byId("alert").textContent = error ? error.message : "";
  byId("alert").hidden = !error;
}

// Runs what a form does, with the form's button out of use meanwhile.
function onSubmit(form, act) {
  byId(form).addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = byId(form).querySelector("button");
    button.disabled = true;
    try { await act(); tell(null); } catch (error) { tell(error); } finally { button.disabled = false; }
  });
}

// ---- The document, and its matches ----

const asked = { text: "", markup: "none", matches: [] };

async function check() {
  const text = byId("text").value, markup = byId("markup").value;
  if (!text.trim()) { byId("text").focus(); throw new Error("Paste a document first."); }
  const started = performance.now();
  const answer = await ask("POST", "/v1/check", { text, markup, limit: 100 });
  Object.assign(asked, { text, markup, matches: answer.matches });
  const took = `asked and answered in ${Math.max(1, Math.round(performance.now() - started))} ms`;
  const found = answer.matches.length;
  byId("status").replaceChildren(
    make("strong", {}, found ? `${answer.seen ? "Seen" : "Not covered"}: ${plural(found, "document")}${answer.more ? " or more" : ""} like it.` : "Not seen: nothing like it is in the index."),
    ` ${took}${answer.fingerprint ? `, fingerprint ${answer.fingerprint}` : ""}.`);
  byId("add").hidden = false;
  byId("answer").hidden = !found;
  byId("matches").replaceChildren(...answer.matches.map((match, index) => make("li", {},
    make("button", { type: "button", "data-index": index, onclick: () => choose(index) },
      make("span", { class: `score ${match.whole ? "accepted" : "rejected"}` }, match.jaccard == null ? `${match.distance} bits` : decimals(match.jaccard)),
      make("span", { class: "id", dir: "auto" }, match.id),
      make("small", {}, kindOf(match))))));
  if (found) await choose(0);
}

function kindOf(match) {
  const parts = match.paragraphs?.length ? plural(match.paragraphs.length, "paragraph") : "";
  if (!match.whole) return `${parts} alike`;
  const kind = match.jaccard === 1 && !match.distance ? "same words" : match.verified ? "near-duplicate" : "not verified";
  return parts ? `${kind}, ${parts}` : kind;
}

async function choose(index) {
  const match = asked.matches[index];
  for (const button of byId("matches").querySelectorAll("button")) button.setAttribute("aria-current", button.dataset.index === String(index));
  const left = { text: asked.text, markup: asked.markup };
  let comparison;
  try {
    comparison = await ask("POST", "/v1/compare", { left, right: { id: match.id } });
  } catch (error) {
    if (error.status !== 404) throw error;
    // There is no text of it. Places count in what is visible of a text, and comparing ours with nothing tells that of ours.
    const { difference } = await ask("POST", "/v1/compare", { left, right: { text: "" } });
    drawOne(match, difference.map((piece) => piece.removed ?? "").join(""), sentence(error.message.replace(/^right: /, "")));
    return;
  }
  drawTwo(match, comparison);
}

const sentence = (words) => `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`;

function drawTwo(match, comparison) {
  drawPair(match, verdictOf(match, comparison), [make("span", {}, make("del", {}, "only yours")), make("span", {}, make("ins", {}, "only in the index"))],
    textRows(comparison.difference).map((row) => {
      markAlike(row.firstChild, row.places.left, placesOf(match, "left"));
      markAlike(row.lastChild, row.places.right, placesOf(match, "right"));
      return row;
    }));
}

// An index that keeps no text of a document still knows scores, and the places of paragraphs.
function drawOne(match, visible, reason) {
  const lines = textRows([{ same: visible }]).map((row) => {
    markAlike(row.firstChild, row.places.left, placesOf(match, "left"));
    return row.firstChild;
  });
  const decided = {
    "content-hash": "The texts are equal: they have the same hash.",
    features: "All shingles of both were compared; the index keeps no texts.",
    sketch: "Sketches were compared: the scores are estimates.",
    fingerprint: "Only fingerprints were compared: nothing is verified.",
  }[match.evidence] ?? "";
  // A narrow screen hides the right side of a row that has not changed.
  const row = make("div", { class: "row changed" }, make("div", { class: "parts" }, ...lines), make("div", { class: "caption" }, reason));
  drawPair(match, [decided, beyond(match) && sentence(`as a whole it ${beyond(match)}`)].filter(Boolean).join(" "), [], [row]);
}

function drawPair(match, words, legend, rows) {
  const badge = make("span", { class: `badge ${match.whole ? "accepted" : "rejected"}` }, match.whole ? "Duplicate" : "Shares paragraphs");
  if (match.paragraphs?.length) legend.push(make("span", { class: "alike" }, "matched paragraph"));
  byId("pair").replaceChildren(
    make("div", { class: "verdict" }, badge, make("span", { class: "why" }, words)),
    make("table", { class: "scores", "aria-label": "Scores" }, make("tbody", {}, ...scoreRows(match))),
    make("div", { class: "legend" }, ...legend),
    make("div", { class: "texts" },
      make("div", { class: "row head" }, make("div", {}, make("small", {}, "Yours"), make("span", { class: "id" }, "the document above")),
        make("div", {}, make("small", {}, "In the index"), make("span", { class: "id", dir: "auto" }, match.id))),
      ...rows));
}

// A comparison knows the rule alone; a match must have been found by the search, too.
function verdictOf(match, comparison) {
  if (match.whole || !comparison.duplicates) return comparison.verdict;
  return `passes the rule (${comparison.verdict.replace(/^duplicates: /, "")}), but ${beyond(match) || "was not found by the search"}`;
}

function beyond(match) {
  const radius = last?.stats.rules.radius;
  if (match.whole || match.distance == null || radius == null || match.distance <= radius) return "";
  return `lies beyond the radius of the search: ${plural(match.distance, "bit")}, and it looks within ${radius}`;
}

const placesOf = (match, side) => (match.paragraphs ?? []).map((paragraph) => paragraph[side]);

// Marks what of a cell, which shows these bytes of a text, is in one of the places: all of it, or parts.
function markAlike(cell, shown, all) {
  const places = all.filter((place) => place.start < shown.end && shown.start < place.end);
  if (!places.length) return;
  const encoder = new TextEncoder(), decoder = new TextDecoder();
  const parts = [];
  const put = (alike, node, apart = false) => {
    if (apart || parts.at(-1)?.alike !== alike) parts.push({ alike, nodes: [] });
    parts.at(-1).nodes.push(node);
  };
  let at = shown.start;
  for (const child of cell.childNodes) {
    const isText = child.nodeType === Node.TEXT_NODE;
    // A change of nothing but line ends shows as ↵; the line ends themselves come behind it.
    if (!isText && /^↵+$/.test(child.textContent)) { put(parts.at(-1)?.alike ?? false, child.cloneNode(true)); continue; }
    const bytes = encoder.encode(child.textContent), from = at;
    at += bytes.length;
    const edges = places.flatMap((place) => [place.start, place.end]).filter((edge) => from < edge && edge < at);
    let begin = from;
    for (const end of [...edges, at].sort((one, other) => one - other)) {
      const alike = places.some((place) => place.start <= begin && end <= place.end);
      let words = decoder.decode(bytes.subarray(begin - from, end - from));
      // Parts stand apart without the empty lines between them.
      const behind = places.some((place) => place.end === begin);
      if (behind) words = words.replace(/^\n+/, "");
      if (places.some((place) => place.start === end)) words = words.replace(/\n+$/, "");
      if (words) put(alike, isText ? words : make(child.localName, {}, words), behind || places.some((place) => place.start === begin));
      begin = end;
    }
  }
  const kept = parts.filter((part) => part.alike || part.nodes.some((node) => (node.textContent ?? node).trim()));
  if (kept.every((part) => part.alike)) cell.classList.add("alike");
  else {
    cell.classList.add("parts");
    cell.replaceChildren(...kept.map(({ alike, nodes }) => make("div", { class: alike && "alike", dir: "auto" }, ...nodes)));
  }
}

function scoreRows(match) {
  const rows = [
    ["Jaccard", match.jaccard, "of all shingles of the two documents are in both"],
    ["Containment of yours", match.containment_left, "of your document is in the other"],
    ["Containment of theirs", match.containment_right, "of the other is in yours"],
    ["Cosine", match.cosine, ""],
  ].filter(([, value]) => value != null).map(([name, value, words]) => {
    const bar = make("i");
    bar.style.width = `${100 * value}%`;
    return make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, decimals(value), make("span", { class: "meter" }, bar)),
      make("td", {}, words ? `${percent(value)} ${words}.` : "1 means the same words in the same proportions."));
  });
  if (match.distance != null) rows.push(make("tr", {}, make("th", { scope: "row" }, "Simhash distance"), make("td", {}, String(match.distance)),
    make("td", {}, `${plural(match.distance, "bit")} of the two fingerprints ${match.distance === 1 ? "differs" : "differ"}. Decided by: ${match.evidence}.`)));
  return rows;
}

onSubmit("ask", check);
byId("text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) byId("ask").requestSubmit();
});

onSubmit("add", async () => {
  const verdict = await ask("POST", "/v1/documents", { id: byId("new-id").value, text: asked.text, markup: asked.markup, limit: 0 });
  byId("status").textContent = { added: "Added.", unchanged: "It was there already, with the same text.", replaced: "It took the place of another text of the same id.", seen: "Left out." }[verdict.outcome];
  byId("new-id").value = "";
});

// ---- Files ----

async function take(file) {
  if (!file) return;
  byId("text").value = await file.text();
  byId("markup").value = /\.html?$/i.test(file.name) ? "html" : "none";
  byId("ask").requestSubmit();
}

byId("file").addEventListener("change", (event) => take(event.target.files[0]));
addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("dropping"); });
addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dropping"); });
addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  const text = event.dataTransfer.getData("text");
  if (event.dataTransfer.files.length) take(event.dataTransfer.files[0]);
  else if (text) { byId("text").value = text; byId("ask").requestSubmit(); }
});

// ---- Looking up ----

onSubmit("find", async () => {
  const id = byId("id").value;
  byId("found").replaceChildren();
  const stored = await ask("GET", `/v1/documents/${encodeURIComponent(id)}`).catch((error) => {
    if (error.status !== 404) throw error;
    byId("found").replaceChildren(make("p", { class: "empty" }, error.message));
  });
  if (!stored) return;
  const facts = [["id", stored.id], ["fingerprint", stored.fingerprint ?? "none: it has no words"],
    ["expires", stored.expires == null ? "never" : new Date(1000 * stored.expires).toLocaleString()]];
  const like = () => { byId("text").value = stored.text; byId("markup").value = stored.markup; byId("ask").requestSubmit(); byId("status").scrollIntoView(); };
  byId("found").replaceChildren(
    make("dl", {}, ...facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", { class: "id", dir: "auto" }, value)])),
    ...(stored.text == null ? [make("p", { class: "caption" }, "The index does not keep its text.")]
      : [make("pre", { dir: "auto", tabindex: 0, "aria-label": "Its text" }, stored.text), make("button", { type: "button", class: "plain", onclick: like }, "Find what is like it")]));
});

// ---- Live figures ----

const PAUSE = 2000, SHOWN = 60;
const history = [];
let last = null;

async function watch() {
  if (document.hidden) return;
  let stats;
  try { stats = await ask("GET", "/v1/stats"); } catch (error) { if (!last) tell(error); return; }
  if (!last) tell(null);
  const now = performance.now();
  if (last) {
    const counts = stats.check.counts.map((count, bucket) => count - last.stats.check.counts[bucket]);
    history.push({ rate: 1000 * sum(counts) / (now - last.now), latency: quantile(counts, stats.check.bounds, 0.99), median: quantile(counts, stats.check.bounds, 0.5) });
    if (history.length > SHOWN) history.shift();
  }
  last = { stats, now };
  drawLive(stats);
}

// The bound below which so many of the counted durations are; null without any.
function quantile(counts, bounds, part) {
  const wanted = Math.max(1, Math.ceil(part * sum(counts)));
  let seen = 0;
  for (const [bucket, count] of counts.entries()) {
    seen += count;
    if (seen >= wanted) return bounds[bucket] ?? null;
  }
  return null;
}

const milliseconds = (seconds) => (seconds == null ? "–" : `${seconds < 0.01 ? (1000 * seconds).toFixed(2) : Math.round(1000 * seconds)} ms`);

function drawLive(stats) {
  const { rules, index } = stats;
  byId("version").textContent = stats.version;
  byId("rules").textContent = `Duplicates have ${rules.rule} (recipe ${rules.recipe})${rules.radius == null ? "" : `; fingerprints within ${plural(rules.radius, "bit")} are looked at`}`
    + `${rules.paragraphs ? ", paragraphs too" : ""}. Evidence kept: ${rules.evidence}.`
    + `${index.share_of_candidates < 1 ? ` The search proposes about ${percent(index.share_of_candidates)} of what is within the radius.` : ""}`;
  const now = history[history.length - 1] ?? {};
  const tile = (name, value) => make("div", {}, make("dt", {}, name), make("dd", {}, value));
  byId("tiles").replaceChildren(tile(index.documents === 1 ? "document" : "documents", count(index.documents)), tile("questions/s", (now.rate ?? 0).toFixed(1)),
    tile("median", milliseconds(now.median ?? stats.check.p50)), tile("99 %", milliseconds(now.latency ?? stats.check.p99)),
    tile("memory", stats.resident_bytes == null ? "–" : size(stats.resident_bytes)));
  drawLine("rate", history.map((point) => point.rate), (value) => value.toFixed(value < 10 ? 1 : 0));
  drawLine("latency", history.map((point) => point.latency), milliseconds);
}

// A line over the last two minutes; moments without a value are gaps.
function drawLine(place, values, print) {
  const width = 300, height = 84, top = 16, bottom = 4;
  const most = Math.max(0, ...values.filter((value) => value != null));
  const x = (index) => width - (values.length - 1 - index) * width / (SHOWN - 1);
  const y = (value) => height - bottom - (most ? value / most : 0) * (height - top - bottom);
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": most ? `at most ${print(most)} in the last two minutes` : "nothing was asked in the last two minutes" },
    shape("line", { class: "axis", x1: 0, x2: width, y1: height - bottom, y2: height - bottom }));
  let run = [];
  const finish = () => {
    if (run.length) {
      const points = run.map(([a, b]) => `${a.toFixed(1)},${b.toFixed(1)}`).join(" ");
      svg.append(shape("polygon", { class: "under", points: `${run[0][0].toFixed(1)},${height - bottom} ${points} ${run[run.length - 1][0].toFixed(1)},${height - bottom}` }), shape("polyline", { class: "line", points }));
    }
    run = [];
  };
  values.forEach((value, index) => { if (value == null) finish(); else run.push([x(index), y(value)]); });
  finish();
  svg.append(shape("text", { x: 0, y: 12 }, most ? print(most) : ""));
  byId(place).replaceChildren(svg);
}

onSubmit("token-form", async () => {
  sessionStorage.setItem("token", byId("token").value);
  byId("token").value = "";
  await ask("GET", "/v1/stats");
  byId("token-form").hidden = true;
  await watch();
});

watch();
setInterval(watch, PAUSE);
