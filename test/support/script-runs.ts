import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";

/** The quickest run of a script that shows whether it works. It may judge no speed: other tests run at the same time. */
export interface QuickRun {
  /** @param folder a folder of its own, which has a small corpus in `corpus.tsv` */
  readonly args?: (folder: string) => readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  /** A line that it prints, or a file that it writes into the folder, only when it worked. */
  readonly shows: RegExp;
  /** It runs until it is ended, which happens once it shows that. */
  readonly isServer?: true;
  readonly needs?: "chromium";
}

/** Where CI runs the script already, or its program: a file, or another script, with its own words. */
export interface RunElsewhere {
  readonly ranBy: string;
  readonly as: string;
}

/** Why nothing runs the script yet. */
export interface NotRun {
  readonly notRun: string;
}

const once = (shows: RegExp): QuickRun => ({ args: () => ["--once"], shows });

const deploys = "It needs an account of AWS; a later change runs it against a stand-in.";

/** Every script of package.json, and how CI runs it; of some scripts with the name of the program in it. */
export const scriptRuns: Readonly<Record<string, QuickRun | RunElsewhere | NotRun>> = {
  start: { ranBy: "test/support/run-service.ts", as: 'runCommand("infra/local/main.ts", [], variables)' },
  dev: { variables: { PORT: "0" }, isServer: true, shows: /^ready http/m },
  test: { ranBy: ".ci/run", as: "npm run test:all" },
  "test:all": { ranBy: ".ci/run", as: "npm run test:all" },
  "test:release": { ranBy: ".github/workflows/ci.yml", as: "npm run test:release" },
  check: { ranBy: ".ci/run", as: "npm run check" },
  house: { ranBy: "check", as: "node test/house/main.ts" },
  format: { ranBy: "check", as: "biome check ." },
  openapi: { ranBy: "check", as: "node infra/commands/write-openapi.ts" },
  account: {
    ranBy: "test/integration/local/operators.slow.test.ts",
    as: 'service.operate("account", ...args)',
  },
  usage: {
    ranBy: "test/integration/local/operators.slow.test.ts",
    as: 'service.operate("usage", "--month", ...args)',
  },
  feedback: {
    ranBy: "test/conformance/messaging-rights.slow.test.ts",
    as: 'runCommand("infra/commands/feedback.ts", ["--month", month], {',
  },
  affected: {
    ranBy: "test/conformance/affected.slow.test.ts",
    as: 'runCommand("infra/commands/affected.ts", args, variables)',
  },
  message: {
    ranBy: "test/integration/local/operators.slow.test.ts",
    as: 'service.operate("message", ...args, "--from"',
  },
  invoke: {
    ranBy: "test/integration/local/operators.slow.test.ts",
    as: 'service.operate("invoke", feature, path)',
  },
  synth: {
    args: (folder) => ["--output", folder],
    variables: { CHAT_BASE_URL: "https://models.example.org/v1", MAIL_FROM: "no-reply@example.org" },
    shows: /-Api\.template\.json$/m,
  },
  deploy: { notRun: deploys },
  "langid -- train": {
    args: (folder) => [
      join(folder, "corpus.tsv"),
      "--samples",
      "2000",
      "--output",
      join(folder, "weights.bin"),
    ],
    shows: /^weights\.bin$/m,
  },
  "langid -- evaluate": {
    args: (folder) => [join(folder, "corpus.tsv"), "--once"],
    shows: /^Targets$/m,
  },
  "langid -- train-source": {
    args: (folder) => [
      join(folder, "corpus.tsv"),
      "--samples",
      "2000",
      "--output",
      join(folder, "source-language.bin"),
    ],
    shows: /^source-language\.bin$/m,
  },
  "langid -- evaluate-source": {
    args: (folder) => [join(folder, "corpus.tsv"), "--once"],
    shows: /is below|All targets reached/m,
  },
  "langid -- train-order": {
    args: (folder) => [
      join(folder, "corpus.tsv"),
      "--epochs",
      "1",
      "--output",
      join(folder, "word-order.bin"),
    ],
    shows: /^word-order\.bin$/m,
  },
  "langid -- evaluate-order": {
    args: (folder) => [join(folder, "corpus.tsv")],
    shows: /^ +words +ach/m,
  },
  "bench -- local": once(/^so the gateway and Lambda add/m),
  "bench -- speech": once(/^flac /m),
  "bench -- chat": once(/^function alone: memory[\s\S]*after a stream of 1000 tokens/m),
  "bench -- jobs": once(/^flac, /m),
  "bench -- documents": once(/^exponent of CPU over the texts of a list/m),
  bench: once(/calls to DynamoDB, a request .* met /),
  "bench -- pages": { ...once(/^All bounds hold\.$/m), needs: "chromium" },
  "bench -- profile": once(/^\d+ requests; shares of the time/m),
  "bench -- growth": once(/^\| accounts in the table, registering: bytes/m),
  "bench -- cold": once(/^\| webhook \|/m),
  attack: {
    ranBy: "test/integration/attack.endurance.test.ts",
    as: 'runCommand("test/attack/main.ts", args, variables)',
  },
  verify: { ranBy: ".ci/run", as: "npm run verify -- --changed" },
  pictures: {
    args: (folder) => ["--once", "--page", "usage", "--folder", folder],
    shows: /usage\/many-360-light\.png$/m,
    needs: "chromium",
  },
  fuzz: { args: () => ["--seconds", "2", "--requests", "80"], shows: /^80 requests; [\s\S]*^ran: /m },
  release: {
    ranBy: "test/integration/release.nightly.test.ts",
    as: '["run", "release", "--", "local"',
  },
  package: {
    args: (folder) => ["prod", "--output", folder],
    variables: { CHAT_BASE_URL: "https://models.example.org/v1", MAIL_FROM: "no-reply@example.org" },
    shows: /language-ai-service-[\d.]+-prod\.zip$/m,
  },
  smoke: { ranBy: "infra/commands/release.ts", as: '["run", "smoke"]' },
  "first-deployment": {
    ranBy: "test/integration/local/operators.slow.test.ts",
    as: 'runHere("infra/commands/first-deployment/main.ts", args,',
  },
  stage: { notRun: deploys },
  costs: { shows: /kB sent to the internet/ },
  load: {
    args: () => ["--seconds", "1", "--streams", "1", "--workers", "1"],
    shows: /^processes left after the end: 0; sockets lost: \d+; errors: 0$/m,
  },
  mutants: {
    args: () => ["--files", "functions/console/account/browser-name.ts", "--count", "1"],
    shows: /^1 of 1 mutants are killed by tests/m,
  },
  evaluate: {
    ranBy: "test/conformance/evaluate.slow.test.ts",
    as: 'runCommand("infra/commands/evaluate.ts"',
  },
  audit: { ranBy: ".ci/run", as: "npm run audit" },
};

/** The scripts of package.json, by name. */
export const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync("package.json", "utf8")));

/** What a script runs, in words. */
export const commandOf = (name: string): string => {
  const [script = "", ...args] = name.split(" -- ");
  const command = scripts[script];
  if (command === undefined) throw new Error(`package.json has no script ${script}.`);
  return [command, ...args].join(" ");
};
