// Tables that can be sorted and filtered, and pictures drawn in the colours of the reader's page. Without it all is there.
"use strict";

const ascending = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));

function valueOf(row, column) {
  const cell = row.cells[column];
  const said = cell.dataset.sort ?? cell.textContent.trim();
  return said !== "" && !Number.isNaN(Number(said)) ? Number(said) : said;
}

function sortBy(table, header) {
  const down = header.getAttribute("aria-sort") !== "descending" && (header.classList.contains("number") || header.dataset.numbers === "1");
  const order = header.getAttribute("aria-sort") === null ? (down ? "descending" : "ascending")
    : header.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", order);
  const column = header.cellIndex;
  const sign = order === "ascending" ? 1 : -1;
  const rows = [...table.tBodies[0].rows].map((row) => [valueOf(row, column), row]);
  rows.sort((a, b) => sign * ascending(a[0], b[0]));
  table.tBodies[0].append(...rows.map((pair) => pair[1]));
}

function makeSortable(table) {
  for (const header of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = header.textContent;
    if (["score", "by position"].includes(header.textContent)) header.dataset.numbers = "1";
    button.addEventListener("click", () => sortBy(table, header));
    header.replaceChildren(button);
  }
}

function filter(form) {
  const wanted = Object.fromEntries(new FormData(form));
  let shown = 0;
  for (const group of document.querySelectorAll("section.group")) {
    group.hidden = group.id !== wanted.group;
    for (const row of group.querySelectorAll("tbody tr")) {
      const { kind, standing, parameters } = row.dataset;
      const fits = (!wanted.kind || kind === wanted.kind) && (!wanted.standing || standing === wanted.standing)
        && (!wanted.parameters || (parameters !== "" && Number(parameters) <= Number(wanted.parameters)))
        && row.cells[1].querySelector("a").textContent.toLowerCase().includes(wanted.name.toLowerCase());
      row.hidden = !fits;
      shown += fits && !group.hidden;
    }
  }
  form.querySelector("output").textContent = `${shown} model${shown === 1 ? "" : "s"}`;
}

function draw(figure, dark) {
  const style = getComputedStyle(document.body);
  const config = {
    background: "transparent", view: { stroke: null },
    axis: { labelColor: style.color, titleColor: style.color, titleFontWeight: "normal", labelFontSize: 12, titleFontSize: 13,
      gridColor: dark ? "#343b44" : "#e6e6e6", domainColor: "#888888", tickColor: "#888888" },
    legend: { labelColor: style.color, titleColor: style.color, labelFontSize: 12, symbolOpacity: 1 },
  };
  const spec = JSON.parse(figure.querySelector("script").textContent);
  return window.vegaEmbed(figure.querySelector(".chart"), { ...spec, config }, { mode: "vega-lite", actions: { export: true, source: false, compiled: false, editor: false } });
}

document.querySelectorAll("table.board").forEach(makeSortable);
const form = document.querySelector("form.filters");
if (form) {
  form.hidden = false;
  for (const kind of ["input", "change"]) form.addEventListener(kind, () => filter(form));
  form.addEventListener("submit", (event) => event.preventDefault());
  filter(form);
}
const scheme = matchMedia("(prefers-color-scheme: dark)");
const drawAll = () => document.querySelectorAll("figure:has(> script)").forEach((figure) => draw(figure, scheme.matches));
scheme.addEventListener("change", drawAll);
drawAll();
