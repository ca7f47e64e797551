import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The columns of the README's table of clients, and the titles of the tests that a tick stands for. */
const features: Readonly<Record<string, RegExp>> = {
  chat: /(?<!responses.*)returns a whole reply|requests the title of a chat/,
  streamed: /streams a reply/,
  tools: /\btools?\b/,
  "structured output": /structured output/,
  responses: /\bresponses?\b/,
  transcription: /transcribes a recording/,
  speech: /\bspeaks\b/,
  "list of models": /lists the models/,
  "its own errors": /reports what went wrong|errors are of the class/,
};

const tableHead = [
  `| client | ${Object.keys(features).join(" | ")} |`,
  `| --- |${":-:|".repeat(Object.keys(features).length)}`,
] as const;

const repository = join(import.meta.dirname, "../..");
const file = join(repository, "README.md");
const clients = "test/verify/clients";

/** Where versions of packages are pinned: the oldest that is run, where there is one, and the newest. */
const pins: readonly (readonly [
  kind: RegExp,
  files: readonly string[],
  pattern: (name: string) => string,
])[] = [
  [
    / for Python$/,
    [`${clients}/oldest-requirements.txt`, `${clients}/requirements.txt`],
    (name) => `^${name}==(.+)$`,
  ],
  [/openai-go/, [`${clients}/oldest/go.mod`, `${clients}/go.mod`], (name) => `/${name}(?:/v\\d+)? v(\\S+)`],
  [
    /^`/,
    [`${clients}/node/package.json`, "package.json"],
    (name) => `"${name}(?:-oldest)?": "(?:npm:${name}@)?([\\d.]+)"`,
  ],
];

/** The versions of a client that are run, oldest and newest; none of a program whose requests were recorded. */
const versionsOf = (client: string): string => {
  const [, name = ""] = /^`(.+)`/.exec(client) ?? [];
  const [, files = [], pattern = () => ""] = pins.find(([kind]) => kind.test(client)) ?? [];
  const versions = files.flatMap((path) => {
    const text = readFileSync(join(repository, path), "utf8");
    return new RegExp(pattern(name), "m").exec(text)?.[1] ?? [];
  });
  return [...new Set(versions)].join(" and ");
};

/** The result of one test. */
export interface Outcome {
  readonly title: string;
  readonly passed: boolean;
}

/** The row of a client: a feature is ticked when it was tested, and each of its tests has passed. */
export const clientRow = (client: string, outcomes: readonly Outcome[]): string => {
  const cells = Object.values(features).map((title) => {
    const tests = outcomes.filter((outcome) => title.test(outcome.title));
    return tests.length > 0 && tests.every(({ passed }) => passed) ? "✓" : "–";
  });
  return `| ${[client, versionsOf(client)].join(" ").trim()} |${cells.join("|")}|`;
};

/**
 * Compares the row that the README has with what the tests say. With `WRITE_CLIENT_TABLE` it is written there.
 *
 * @returns what is wrong, a sentence each
 */
export const rowProblems = (client: string, outcomes: readonly Outcome[]): string[] => {
  const row = clientRow(client, outcomes);
  const readme = readFileSync(file, "utf8");
  if (!readme.includes(tableHead.join("\n"))) {
    return [`The README's table of clients must begin with:\n${tableHead.join("\n")}`];
  }
  if (readme.split("\n").includes(row)) return [];
  if (process.env["WRITE_CLIENT_TABLE"] === undefined) {
    return [`By its tests, the README's table of clients must say: ${row}`];
  }
  const lines = readme.split("\n");
  const at = lines.findIndex((line) => line.startsWith(`| ${client} `));
  if (at < 0) lines.splice(lines.indexOf(tableHead[1]) + 1, 0, row);
  else lines[at] = row;
  writeFileSync(file, lines.join("\n"));
  return [];
};
