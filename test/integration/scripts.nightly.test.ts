import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findChromium } from "../support/chromium.ts";
import { commandOf, type QuickRun, scriptRuns } from "../support/script-runs.ts";

const execute = promisify(execFile);

const vocabulary = {
  lug: ["omuntu", "abaana", "ssomero", "webale", "nnyo"],
  lgg: ["anzi", "drile", "azini", "eri", "muke"],
  swa: ["habari", "watoto", "shule", "asante", "mvua"],
};

/** Invented sentences; corpora of real ones are not part of the project. */
const corpus = ["train", "valid", "test-story"].flatMap((split) =>
  Object.entries(vocabulary).flatMap(([language, words]) =>
    Array.from({ length: 12 }, (_, line) => {
      const text = words.map((_word, index) => words[(line * 3 + index * (1 + (line % 4))) % words.length]);
      return `${split}\t${language}\tstory\t${text.join(" ")}\n`;
    }),
  ),
);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "language-ai-script-"));
  writeFileSync(join(folder, "corpus.tsv"), ["split\tlang\tsource\ttext\n", ...corpus].join(""));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** As a person runs it, with the bundles of this run. */
const environment = ({ variables }: QuickRun) => ({
  PATH: `${join(process.cwd(), "node_modules/.bin")}:${process.env["PATH"]}`,
  HOME: process.env["HOME"],
  BUILT_FUNCTIONS: process.env["BUILT_FUNCTIONS"],
  CHROMIUM_PATH: process.env["CHROMIUM_PATH"],
  DATA_DIR: join(folder, "data"),
  ...variables,
});

const argumentsOf = (name: string, { args = () => [] }: QuickRun): [string, string[]] => {
  const [program = "", ...own] = commandOf(name).split(" ");
  return [program, [...own, ...args(folder)]];
};

/** Runs a script to its end. @returns what it printed. @throws Error with that when it fails. */
const runToEnd = async (name: string, run: QuickRun): Promise<string> => {
  const options = { env: environment(run), timeout: 300_000, maxBuffer: 64_000_000 };
  const { stdout, stderr } = await execute(...argumentsOf(name, run), options);
  return stdout + stderr;
};

/** Runs a script until it shows what it should, and ends it as a terminal does. @returns what it printed. */
const runUntilShown = async (name: string, run: QuickRun): Promise<string> => {
  const child = spawn(...argumentsOf(name, run), { env: environment(run), timeout: 60_000 });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (piece: string) => {
      printed += piece;
      if (run.shows.test(printed)) child.kill("SIGINT");
    });
  }
  const [code]: unknown[] = await once(child, "close");
  if (code !== 0) throw new Error(`It ended with ${code}: ${printed}`);
  return printed;
};

const quickRuns = Object.entries(scriptRuns).filter(
  (entry): entry is [string, QuickRun] => "shows" in entry[1],
);

describe("the quickest run of a script", () => {
  for (const [name, run] of quickRuns) {
    const lacksBrowser = run.needs === "chromium" && findChromium() === undefined;
    it.skipIf(lacksBrowser)(`shows that ${name} works`, async () => {
      const printed = await (run.isServer ? runUntilShown(name, run) : runToEnd(name, run));
      const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
      expect([printed, ...files].join("\n")).toMatch(run.shows);
    });
  }
});
