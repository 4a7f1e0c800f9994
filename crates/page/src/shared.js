"use strict";
// What every page of twindex draws with. Ids and texts are written by strangers: they only ever become text nodes
// (`make` and `textContent`), never markup.

const byId = (id) => document.getElementById(id);
const count = new Intl.NumberFormat("en-US").format;
const plural = (number, one, many = one + "s") => `${count(number)} ${number === 1 ? one : many}`;
const decimals = (value) => (value == null ? "–" : value.toFixed(3));
const percent = (value) => {
  if (value > 0 && value < 0.005) return "<1%";
  return value < 1 && value >= 0.995 ? ">99%" : `${Math.round(100 * value)}%`;
};
const edgeOf = (value) => String(Number(value.toFixed(3)));
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value != null && value !== false) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function duration(seconds) {
  if (seconds == null) return "–";
  if (seconds < 1) return `${Math.round(1000 * seconds)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${count(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}

function size(bytes) {
  const units = ["bytes", "kB", "MB", "GB", "TB", "PB"];
  let unit = 0;
  while (bytes >= 1000 && unit < units.length - 1) { bytes /= 1000; unit += 1; }
  return `${unit && bytes < 100 ? bytes.toFixed(1) : count(Math.round(bytes))} ${units[unit]}`;
}

function shape(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) if (value != null) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// ---- Two texts side by side ----

// Long common passages shortened to what surrounds the differences.
function folded(pieces) {
  const context = 70;
  return pieces.flatMap((piece, index) => {
    const text = piece.same == null ? [] : Array.from(piece.same);
    const head = index === 0 ? 0 : context, tail = index === pieces.length - 1 ? 0 : context;
    if (pieces.length === 1 || text.length <= head + tail + 40) return [piece];
    return [{ same: text.slice(0, head).join("") }, { skipped: text.length - head - tail }, { same: text.slice(text.length - tail).join("") }];
  });
}

// A change without the line ends around it, which would colour empty lines; one made only of them shows as ↵.
function marked(tag, text) {
  const [, before, inner, after] = /^(\n*)([^]*?)(\n*)$/.exec(text);
  return inner ? [before, make(tag, {}, inner), after] : [make(tag, {}, "↵".repeat(before.length)), before];
}

// Rows of two cells, so that the sides stay level: a new row begins wherever both texts begin a line. `row.places` says
// which bytes of the texts (in UTF-8, as the service counts) are in it.
function textRows(pieces) {
  const rows = [];
  const encoder = new TextEncoder();
  const bytes = (text) => encoder.encode(text).length;
  const at = { left: 0, right: 0 };
  let begin = { ...at };
  let left = [], right = [], changed = false;
  const finish = () => {
    for (const cell of [left, right]) {
      const last = cell.length - 1;
      if (typeof cell[last] === "string") cell[last] = cell[last].replace(/\n+$/, "");
    }
    if (left.length || right.length) {
      const row = make("div", { class: changed ? "row changed" : "row" }, make("div", { dir: "auto" }, ...left), make("div", { dir: "auto" }, ...right));
      row.places = { left: { start: begin.left, end: at.left }, right: { start: begin.right, end: at.right } };
      rows.push(row);
    }
    [left, right, changed] = [[], [], false];
    begin = { ...at };
  };
  const atLineEnd = (cell) => !cell.length || String(cell[cell.length - 1]).endsWith("\n");
  pieces.forEach((piece, index) => {
    if (piece.same != null) {
      piece.same.split("\n").forEach((line, part) => {
        if (part > 0) { finish(); at.left += 1; at.right += 1; begin = { ...at }; }
        if (line) { left.push(line); right.push(line); at.left += bytes(line); at.right += bytes(line); }
      });
    } else if (piece.skipped != null) {
      const gap = () => make("span", { class: "gap" }, ` ⋯ ${plural(piece.skipped, "identical character")} ⋯ `);
      left.push(gap());
      right.push(gap());
    } else {
      changed = true;
      if (piece.removed != null) { left.push(...marked("del", piece.removed)); at.left += bytes(piece.removed); }
      else { right.push(...marked("ins", piece.added)); at.right += bytes(piece.added); }
      // What was removed stays beside what replaced it.
      if (pieces[index + 1]?.added == null && atLineEnd(left) && atLineEnd(right)) finish();
    }
  });
  finish();
  return rows;
}
