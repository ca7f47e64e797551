import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, extname, join, sep } from "node:path";
import * as z from "zod";
import { type BesideData, type DataItem, toItem } from "./item.ts";
import { type Row, readJsonLines, readTsv } from "./read-rows.ts";

/** The sentences that come with the project. */
export const ownSentencesFolder = join(import.meta.dirname, "../sentences");

const aboutFile = "about.json";

const aboutSchema = z.object({ name: z.string().min(1).max(200), about: z.string().max(2_000).default("") });

/** A folder of data. */
export interface EvaluationData {
  readonly name: string;
  /** What readers of the scores should know about it. */
  readonly about: string;
  readonly items: readonly DataItem[];
  /** How many rows repeat another one. */
  readonly repeated: number;
}

const readers: Readonly<Record<string, (text: string) => Row[]>> = {
  ".tsv": readTsv,
  ".jsonl": readJsonLines,
};

const decoder = new TextDecoder("utf-8", { fatal: true });

const readText = (path: string): string => {
  try {
    return decoder.decode(readFileSync(path));
  } catch (error) {
    const reason = error instanceof TypeError ? "it is not UTF-8" : String(error);
    throw new Error(`${path} cannot be read: ${reason}.`, { cause: error });
  }
};

/** A recording in the folder or below. Data of others must not name files elsewhere, which would be sent to the service. */
const findFileIn =
  (folder: string) =>
  (name: string): BesideData => {
    let path: string;
    try {
      path = realpathSync(join(folder, name));
    } catch {
      throw new Error(`there is no file ${name}`);
    }
    if (!path.startsWith(realpathSync(folder) + sep)) throw new Error(`${name} is outside the folder`);
    const about = statSync(path);
    if (!about.isFile()) throw new Error(`${name} is not a file`);
    return { path, bytes: about.size };
  };

const readFile = (folder: string, file: string): DataItem[] => {
  const path = join(folder, file);
  const read = readers[extname(file)];
  if (!read) return [];
  return read(readText(path)).map(({ line, fields }) => {
    try {
      if (typeof fields === "string") throw new Error(fields);
      return toItem(fields, findFileIn(folder));
    } catch (error) {
      throw new Error(`${path}:${line}: ${error instanceof Error ? error.message : error}.`, {
        cause: error,
      });
    }
  });
};

const readAbout = (folder: string, files: readonly string[]): z.output<typeof aboutSchema> => {
  if (!files.includes(aboutFile)) return { name: basename(folder), about: "" };
  const path = join(folder, aboutFile);
  try {
    return aboutSchema.parse(JSON.parse(readText(path)));
  } catch (error) {
    throw new Error(`${path} must be a JSON object with a name, and may have an about.`, { cause: error });
  }
};

/**
 * Reads the `.tsv` and `.jsonl` files of a folder, and its name from `about.json` if it has one.
 *
 * @throws Error with the file and the line of a mistake, or when there is no data.
 */
export const readData = (folder: string): EvaluationData => {
  let files: string[];
  try {
    files = readdirSync(folder).toSorted();
  } catch (error) {
    throw new Error(`There is no folder ${folder} that can be read.`, { cause: error });
  }
  const rows = files.flatMap((file) => readFile(folder, file));
  if (rows.length === 0) throw new Error(`${folder} has no rows in files that end in .tsv or .jsonl.`);
  const items = [...new Map(rows.map((item) => [item.id, item])).values()];
  return { ...readAbout(folder, files), items, repeated: rows.length - items.length };
};
