import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Evaluation } from "../../../functions/site/quality/evaluation.ts";
import {
  hasPrices,
  type MeasuredRow,
  qualityRows,
  qualityTasks,
  scoreNumbers,
  scoreText,
} from "../../../functions/site/quality/quality-rows.ts";
import { escapeHtml } from "../../../shared/http/html.ts";
import { fill, textsOf } from "../../../shared/pages/texts/languages.ts";
import { momentOf, numbersIn } from "../../../shared/pages/view/dates.ts";

const { quality: words, languages } = textsOf.en;
const numbers = {
  scores: scoreNumbers("en"),
  counts: numbersIn("en", 1),
  seconds: numbersIn("en", 2),
  dollars: numbersIn("en", 6),
};

const tokensFile = join(import.meta.dirname, "../../../shared/pages/view/style/tokens.css");

/** The look of the console's tables, in one file that can be sent to others. */
const style = (): string =>
  [
    readFileSync(tokensFile, "utf8"),
    "body{max-width:64rem;margin:0 auto;padding:1.5rem var(--gutter) 3rem;font:1rem/1.55 var(--sans);color:var(--ink);background:var(--paper)}",
    "h1{font-size:1.75rem;line-height:1.2}h2{margin:2.5rem 0 .75rem;font-size:1.25rem}",
    "p,dt{color:var(--soft)}dl{display:grid;grid-template-columns:fit-content(40%) minmax(0,1fr);gap:.35rem 1.25rem}",
    "dd{margin:0;overflow-wrap:anywhere}",
    "table{width:100%;border-collapse:collapse;font-size:var(--control);text-align:left;background:var(--surface);border:1px solid var(--line)}",
    "th,td{padding:.6rem .75rem;border-top:1px solid var(--line);vertical-align:top}th{font-weight:500}",
    "thead th{font-size:var(--caption);color:var(--faint);background:var(--sunk)}",
    "@media(max-width:47.99rem){thead{display:none}table,tbody,tr,th,td{display:block}tr{padding:.75rem;border-top:1px solid var(--line)}",
    "th,td{padding:.15rem 0;border:0}td{display:flex;justify-content:space-between;gap:1rem}td::before{content:attr(data-label);color:var(--faint)}}",
  ].join("\n");

interface Column {
  readonly label: string;
  readonly textOf: (measured: MeasuredRow["measured"]) => string;
}

const orNothing = (value: number | null, number: Intl.NumberFormat): string =>
  value === null ? "" : number.format(value);

/** The columns that have a value in some row. */
const columnsOf = (
  rows: readonly MeasuredRow[],
  scores: (typeof qualityTasks)[number]["scores"],
): Column[] => {
  const costs: readonly Column[] = [
    {
      label: "Characters per item",
      textOf: ({ cost_per_item: cost }) => orNothing(cost.characters, numbers.counts),
    },
    { label: "Tokens per item", textOf: ({ cost_per_item: cost }) => orNothing(cost.tokens, numbers.counts) },
    {
      label: "Seconds of audio per item",
      textOf: ({ cost_per_item: cost }) => orNothing(cost.audio_seconds, numbers.counts),
    },
    ...(hasPrices(rows)
      ? [
          {
            label: words.dollars,
            textOf: ({ cost_per_item: cost }: MeasuredRow["measured"]) =>
              orNothing(cost.dollars, numbers.dollars),
          },
        ]
      : []),
    { label: "Servers", textOf: ({ servers }) => servers.join(", ") },
  ];
  const columns: readonly Column[] = [
    ...scores.map((name, index) => ({
      label: words[name],
      textOf: ({ scores: values }: MeasuredRow["measured"]) => {
        const value = values[index];
        return value === undefined ? "" : scoreText(value, numbers.scores);
      },
    })),
    {
      label: words.items,
      textOf: ({ items, without_output: without }) =>
        without === 0 ? String(items) : `${items} ${fill(words.without, { count: without })}`,
    },
    { label: words.seconds, textOf: ({ median_seconds: median }) => numbers.seconds.format(median) },
    { label: "95% within (seconds)", textOf: ({ slow_seconds: slow }) => numbers.seconds.format(slow) },
  ];
  const isUsed = ({ textOf }: Column): boolean => rows.some(({ measured }) => textOf(measured) !== "");
  return [...columns, ...costs.filter(isUsed)];
};

const tableOf = ({ task, scores }: (typeof qualityTasks)[number], rows: readonly MeasuredRow[]): string => {
  if (rows.length === 0) return "";
  const columns = columnsOf(rows, scores);
  const first = task === "translation" ? words.direction : languages.language;
  const heads = [first, ...columns.map(({ label }) => label)];
  const cellsOf = ({ measured }: MeasuredRow): string =>
    columns
      .map(
        ({ label, textOf }) => `<td data-label="${escapeHtml(label)}">${escapeHtml(textOf(measured))}</td>`,
      )
      .join("");
  return `<table>
<thead><tr>${heads.map((head) => `<th scope="col">${escapeHtml(head)}</th>`).join("")}</tr></thead>
<tbody>
${rows.map((row) => `<tr><th scope="row">${escapeHtml(row.name)}</th>${cellsOf(row)}</tr>`).join("\n")}
</tbody>
</table>`;
};

const sectionOf = (each: (typeof qualityTasks)[number], evaluation: Evaluation): string => {
  const { measured, unmeasured } = qualityRows(each.task, evaluation);
  const others =
    unmeasured.length === 0
      ? ""
      : `<p><strong>${escapeHtml(words.notMeasured)}:</strong> ${escapeHtml(unmeasured.join(", "))}</p>`;
  return `<h2>${escapeHtml(words[each.task])}</h2>
${tableOf(each, measured)}
${others}`;
};

/** The page about an evaluation, as one file. */
export const evaluationPage = (evaluation: Evaluation): string => {
  const { base_url, measured_at, data, bootstrap } = evaluation;
  const facts = [
    ["Service", base_url],
    [words.measuredOn, momentOf(measured_at, "en")],
    [words.data, data.name],
    ...(data.about === "" ? [] : [[words.aboutData, data.about]]),
    ["Intervals", `95%, by bootstrap: ${bootstrap.resamples} samples, seed ${bootstrap.seed}`],
  ].map(([label = "", fact = ""]) => `<dt>${escapeHtml(label)}</dt><dd>${escapeHtml(fact)}</dd>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(words.title)} – ${escapeHtml(base_url)}</title>
<style>
${style()}
</style>
</head>
<body>
<h1>${escapeHtml(words.title)}</h1>
<dl>${facts.join("")}</dl>
<p>${escapeHtml(fill(words.howToRead, { count: bootstrap.min_items }))}</p>
${qualityTasks.map((each) => sectionOf(each, evaluation)).join("\n")}
</body>
</html>
`;
};
