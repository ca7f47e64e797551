import { type FileHandle, mkdir, open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { DataItem } from "../data/item.ts";
import { heardDetails, type ModelOutput, type RefusedItem } from "./outcome.ts";

const runSchema = z.object({ base_url: z.string() });

const recordSchema = z.object({
  id: z.string(),
  output: z.string().nullable(),
  seconds: z.number().nullable(),
  tokens: z.number().nullable(),
  audio_seconds: z.number().nullable(),
  server: z.string().nullable(),
  refused: z.object({ status: z.number(), code: z.string(), detail: z.string() }).nullable(),
  at: z.iso.datetime(),
  heard: heardDetails.exactOptional(),
});
/** What is stored about an item: its output, or why it has none. */
export type OutputRecord = z.output<typeof recordSchema>;

/** The outputs of an evaluation, one line each, so that others can score them too. */
export interface Outputs {
  /** What earlier runs stored, by the id of the item. */
  readonly earlier: ReadonlyMap<string, OutputRecord>;
  /** Stores the outcome of an item before it returns. */
  add(item: DataItem, outcome: ModelOutput | RefusedItem): Promise<OutputRecord>;
  close(): Promise<void>;
}

const readIfExists = (path: string): Promise<string> =>
  readFile(path, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  });

/** Refuses to mix the outputs of two services. */
const claimFolder = async (folder: string, baseUrl: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  const path = join(folder, "run.json");
  const text = await readIfExists(path);
  if (text === "") {
    await writeFile(path, `${JSON.stringify({ base_url: baseUrl })}\n`);
    return;
  }
  const { base_url: other } = runSchema.parse(JSON.parse(text));
  if (other !== baseUrl) {
    throw new Error(`${folder} has the outputs of ${other}; name another folder with --out.`);
  }
};

const readRecords = (path: string, text: string): Map<string, OutputRecord> =>
  new Map(
    text
      .split("\n")
      .filter((line) => line !== "")
      .map((line, index) => {
        try {
          const record = recordSchema.parse(JSON.parse(line));
          return [record.id, record] as const;
        } catch (error) {
          throw new Error(`${path}:${index + 1} is damaged; delete that line.`, { cause: error });
        }
      }),
  );

/** The lines that were written whole: a run that was killed may have left the beginning of another. */
const wholeLines = (text: string): string => text.slice(0, text.lastIndexOf("\n") + 1);

const shownItem = (item: DataItem): object => {
  if (item.task !== "transcription") return item;
  const { file: _file, bytes: _bytes, ...shown } = item;
  return shown;
};

const toRecord = (id: string, outcome: ModelOutput | RefusedItem): OutputRecord => {
  const at = new Date().toISOString();
  if ("output" in outcome) {
    const { output, seconds, tokens, audio_seconds, server, heard } = outcome;
    const details = heard ? { heard } : {};
    return { id, output, seconds, tokens, audio_seconds, server, refused: null, at, ...details };
  }
  const { status, code, detail } = outcome;
  const none = { output: null, seconds: null, tokens: null, audio_seconds: null, server: null };
  return { id, ...none, refused: { status, code, detail }, at };
};

/**
 * Opens the outputs of a service in a folder, which it creates.
 *
 * @throws Error when the folder has the outputs of another service, or a damaged line.
 */
export const openOutputs = async (folder: string, baseUrl: string): Promise<Outputs> => {
  await claimFolder(folder, baseUrl);
  const path = join(folder, "outputs.jsonl");
  const whole = wholeLines(await readIfExists(path));
  const earlier = readRecords(path, whole);
  const file: FileHandle = await open(path, "a");
  await file.truncate(Buffer.byteLength(whole));
  return {
    earlier,
    add: async (item, outcome) => {
      const record = toRecord(item.id, outcome);
      await file.appendFile(`${JSON.stringify({ ...shownItem(item), ...record })}\n`);
      return record;
    },
    close: () => file.close(),
  };
};
