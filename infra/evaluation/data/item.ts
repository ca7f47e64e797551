import { createHash } from "node:crypto";
import * as z from "zod";
import { findLanguage } from "../../../shared/platform/catalogue/languages.ts";

const text = z.string({ error: "must be a text" }).refine((value) => value.trim() !== "", {
  error: "must not be empty",
});

/** The code of a language of the catalogue; any other text stays as it is, so a stage can have languages of its own. */
const language = text.transform((value) => findLanguage(value)?.code ?? value.trim());

const rows = {
  translation: z.object({
    source_language: language,
    target_language: language,
    source: text,
    target: text,
  }),
  transcription: z.object({ language, audio: text, transcript: text }),
  language_identification: z.object({ language, text }),
};

/** What can be evaluated. */
export type EvaluatedTask = keyof typeof rows;

interface Identified<Task extends EvaluatedTask> {
  /** The same for the same content. */
  readonly id: string;
  readonly task: Task;
}

export type TranslationItem = Identified<"translation"> & z.output<(typeof rows)["translation"]>;
export type IdentificationItem = Identified<"language_identification"> &
  z.output<(typeof rows)["language_identification"]>;
export type TranscriptionItem = Identified<"transcription"> &
  z.output<(typeof rows)["transcription"]> & {
    /** Where the recording is. */
    readonly file: string;
    readonly bytes: number;
  };

/** An input for the service with what it should return. */
export type DataItem = TranslationItem | TranscriptionItem | IdentificationItem;

/** A file next to the data. */
export interface BesideData {
  readonly path: string;
  readonly bytes: number;
}

const idOf = (...parts: readonly (string | number)[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);

const problemsOf = ({ issues }: z.ZodError): string =>
  issues
    .map(({ path, message }) => `${path.join(".")} ${message === "must be a text" ? "is missing" : message}`)
    .join(", ");

const parse = <Row>(schema: z.ZodType<Row>, row: object): Row => {
  const result = schema.safeParse(row);
  if (result.success) return result.data;
  throw new Error(problemsOf(result.error));
};

/**
 * Returns the item of a row: a translation if it has a `source`, a transcription if it has `audio`, else a text whose language
 * is known. Other fields are ignored.
 *
 * @param findFile finds a recording by its name
 * @throws Error that names the fields that are missing or empty.
 */
export const toItem = (row: object, findFile: (name: string) => BesideData): DataItem => {
  if ("source" in row) {
    const fields = parse(rows.translation, row);
    const { source_language, target_language, source, target } = fields;
    return {
      id: idOf("translation", source_language, target_language, source, target),
      task: "translation",
      ...fields,
    };
  }
  if ("audio" in row) {
    const fields = parse(rows.transcription, row);
    const { path: file, bytes } = findFile(fields.audio);
    return {
      id: idOf("transcription", fields.language, fields.audio, bytes, fields.transcript),
      task: "transcription",
      ...fields,
      file,
      bytes,
    };
  }
  if (!("text" in row)) throw new Error("it has none of the fields source, audio and text");
  const fields = parse(rows.language_identification, row);
  return {
    id: idOf("language_identification", fields.language, fields.text),
    task: "language_identification",
    ...fields,
  };
};
