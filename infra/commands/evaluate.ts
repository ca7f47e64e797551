/** `npm run evaluate`: how good the models of a service are. */
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import type { Evaluation } from "../../functions/site/quality/evaluation.ts";
import { runCommandLine, UsageError } from "../command-line.ts";
import { toCalibration } from "../evaluation/calibration/to-calibration.ts";
import type { DataItem } from "../evaluation/data/item.ts";
import { ownSentencesFolder, readData } from "../evaluation/data/read-data.ts";
import { evaluationPage } from "../evaluation/report/evaluation-page.ts";
import { calibrationLines, refusalLines, summaryLines } from "../evaluation/report/summary-lines.ts";
import { type Prices, toEvaluation } from "../evaluation/report/to-evaluation.ts";
import { callService } from "../evaluation/run/call-service.ts";
import { type OutputRecord, openOutputs } from "../evaluation/run/outputs.ts";
import { showProgress } from "../evaluation/run/progress.ts";
import { runItems } from "../evaluation/run/run-items.ts";

const stagesFolder = join(import.meta.dirname, "../stages");

const usage = `Usage: npm run evaluate -- --base-url <address> --key <key> [--data <folder>] [--out <folder>]
       [--calibrate] [--stage <name>]
       [--parallel 4] [--timeout 300]
       [--dollars-per-million-tokens <price>] [--dollars-per-audio-hour <price>] [--dollars-per-server-hour <price>]

Sends the texts and recordings of a folder to a service and scores what it returns: chrF++ and BLEU of translations, WER and CER of
transcriptions, accuracy of language identification, time and cost per item, by language and direction.

  --base-url  the address of the service, such as https://api.example.org
  --key       a key with the scopes translate, transcribe, upload and language; or the variable EVALUATE_KEY
  --data      a folder with .tsv and .jsonl files; by default the few sentences of infra/evaluation/sentences
  --out       the folder for outputs.jsonl, evaluation.json and index.html; by default evaluation
  --calibrate also fits how often words are right by what the models report, for each language: calibration.json
  --stage     with --calibrate: writes it to infra/stages/<name>/, too, where the next release takes it from
  --parallel  requests at the same time; --timeout: seconds for each

Run it again to continue after it was interrupted. It waits when the service responds with 429. infra/evaluation/README.md
explains the formats, and where larger data is. Copy evaluation.json to infra/stages/<stage>/ to show it at /quality.`;

const positive = (name: string, value: string): number => {
  const number = Number(value);
  if (!(number > 0) || !Number.isFinite(number)) throw new UsageError(`--${name} must be a number above 0.`);
  return number;
};

const priceOf = (name: string, value: string | undefined): number =>
  value === undefined ? 0 : positive(name, value);

const readAddress = (address: string | undefined): string => {
  const url = URL.parse(address ?? "");
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError("Name the service with --base-url, such as https://api.example.org.");
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
};

const readParallel = (value: string): number => {
  const parallel = positive("parallel", value);
  if (!Number.isInteger(parallel) || parallel > 64) {
    throw new UsageError("--parallel must be a whole number from 1 to 64.");
  }
  return parallel;
};

const readArguments = (args: string[]) => {
  const { values } = parseArgs({
    args,
    options: {
      "base-url": { type: "string" },
      key: { type: "string" },
      data: { type: "string", default: ownSentencesFolder },
      out: { type: "string", default: "evaluation" },
      parallel: { type: "string", default: "4" },
      timeout: { type: "string", default: "300" },
      calibrate: { type: "boolean", default: false },
      stage: { type: "string" },
      "dollars-per-million-tokens": { type: "string" },
      "dollars-per-audio-hour": { type: "string" },
      "dollars-per-server-hour": { type: "string" },
    },
  });
  const key = values.key ?? process.env["EVALUATE_KEY"];
  if (!key) throw new UsageError("Name a key with --key or the variable EVALUATE_KEY.");
  const price = (name: `dollars-per-${"million-tokens" | "audio-hour" | "server-hour"}`): number =>
    priceOf(name, values[name]);
  const prices: Prices = {
    millionTokens: price("dollars-per-million-tokens"),
    audioHour: price("dollars-per-audio-hour"),
    serverHour: price("dollars-per-server-hour"),
  };
  const timeoutSeconds = positive("timeout", values.timeout);
  const { calibrate: calibrates, stage } = values;
  if (stage !== undefined && !calibrates) throw new UsageError("--stage needs --calibrate.");
  if (stage !== undefined && !existsSync(join(stagesFolder, `${basename(stage)}.json`)))
    throw new UsageError(`There is no stage "${stage}" in infra/stages.`);
  const service = { baseUrl: readAddress(values["base-url"]), key, timeoutSeconds, calibrates };
  return {
    stage,
    service,
    data: values.data,
    out: values.out,
    parallel: readParallel(values.parallel),
    prices,
  };
};

type Arguments = ReturnType<typeof readArguments>;

/** Sends the items that have no outcome yet. @returns all outcomes. */
const completeItems = async ({ service, data: folder, out, parallel }: Arguments) => {
  const data = readData(folder);
  const outputs = await openOutputs(out, service.baseUrl);
  try {
    const records = new Map(outputs.earlier);
    const isDone = ({ id, task }: DataItem): boolean => {
      const record = records.get(id);
      const needsDetails = service.calibrates && task === "transcription" && record?.refused === null;
      return record !== undefined && (!needsDetails || record.heard !== undefined);
    };
    const pending = data.items.filter((item) => !isDone(item));
    const done = data.items.length - pending.length;
    const progress = showProgress(data.items.length, done, process.stdout);
    const failed = await runItems(pending, {
      parallel,
      call: (item) => callService(item, service),
      store: async (item, outcome) => {
        records.set(item.id, await outputs.add(item, outcome));
        progress.step();
      },
      onWait: (seconds) => progress.say(`The service asks to wait ${Math.ceil(seconds)} s.`),
    }).finally(progress.end);
    return { data, records, failed };
  } finally {
    await outputs.close();
  }
};

/** Writes the calibration next to the scores, and where the stage takes it from. @returns lines about it. */
const calibrate = async (
  { out, stage }: Arguments,
  items: readonly DataItem[],
  records: ReadonlyMap<string, OutputRecord>,
  about: Pick<Evaluation, "base_url" | "data" | "measured_at">,
): Promise<string[]> => {
  const { base_url, data, measured_at } = about;
  const recordings = items.filter((item) => item.task === "transcription");
  const calibration = toCalibration(recordings, records, { base_url, data, measured_at });
  const folders = [out, ...(stage === undefined ? [] : [join(stagesFolder, stage)])];
  for (const folder of folders) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "calibration.json"), `${JSON.stringify(calibration, undefined, 2)}\n`);
  }
  return [...calibrationLines(calibration), `calibration.json is in ${folders.join(" and ")}.`];
};

await runCommandLine(usage, async (args) => {
  const options = readArguments(args);
  const { service, out, parallel, prices } = options;
  const { data, records, failed } = await completeItems(options);
  const evaluation = toEvaluation({ data, records, baseUrl: service.baseUrl, parallel, prices });
  await writeFile(join(out, "evaluation.json"), `${JSON.stringify(evaluation, undefined, 2)}\n`);
  await writeFile(join(out, "index.html"), evaluationPage(evaluation));
  const repeated = data.repeated > 0 ? [`${data.repeated} rows repeat another one and were left out.`] : [];
  const about = service.calibrates ? await calibrate(options, data.items, records, evaluation) : [];
  const lines = [...summaryLines(evaluation), ...refusalLines(data, records), ...repeated, ...about];
  process.stdout.write(`${[...lines, `Written to ${out}.`].join("\n")}\n`);
  const [first] = failed;
  if (!first) return;
  throw new Error(
    `${failed.length} of ${data.items.length} items failed, the first because ${first.reason}. Run the same command to send them again.`,
  );
});
