import pLimit from "p-limit";
import type { Reply } from "../../../shared/http/response.ts";
import { promptWith } from "../../../shared/models/inference/keywords.ts";
import type { Segment, Transcription } from "../../../shared/models/inference/transcription.ts";
import type { Translator } from "../../../shared/models/inference/translation.ts";
import { findLanguage, type Language } from "../../../shared/platform/catalogue/languages.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { onFirstUse } from "../../../shared/platform/on-first-use.ts";
import { countAudio } from "../../../shared/platform/telemetry/use.ts";
import {
  type AccountContext,
  segmentsOf,
  toMilliseconds,
  type UnnamedTranscriptionDependencies,
} from "../transcribe.ts";
import { chooseLanguage } from "./choose-language.ts";
import type { V1TranslationForm } from "./contract.ts";
import { isTimed, openFormsRecording } from "./create-transcription.ts";
import { formatTranscript } from "./format-transcript.ts";
import type { Transcript } from "./transcript.ts";

/** A translation needs a translator as well. */
export interface AudioTranslationDependencies extends UnnamedTranscriptionDependencies {
  readonly translator: Translator;
}

const english = findLanguage("eng");

/** Characters per translation: models translate related sentences better together. */
const maxPieceLength = 2_000;

/** Pieces translated in parallel for one caller. */
const piecesAtOnce = 4;

const sentences = onFirstUse(() => new Intl.Segmenter("en", { granularity: "sentence" }));

/** Splits a text into sentences; into words where a model wrote no punctuation. */
const breakable = (text: string): string[] =>
  [...sentences().segment(text)].flatMap(({ segment }) =>
    segment.length > maxPieceLength ? segment.split(/(?<=\s)/u) : [segment],
  );

/** Cuts a text into pieces that a model accepts: without timestamps, a whole recording is one segment. */
const cut = (text: string): string[] => {
  const pieces: string[] = [];
  for (const segment of breakable(text)) {
    const joined = `${pieces.at(-1) ?? ""}${segment}`;
    if (pieces.length > 0 && joined.length <= maxPieceLength) pieces.splice(-1, 1, joined);
    else pieces.push(segment);
  }
  return pieces.map((piece) => piece.trim());
};

/** Translates the texts of segments, several in parallel. The first failure ends it. */
const translateSegments = async (
  segments: readonly Segment[],
  translate: (text: string) => Promise<string>,
): Promise<Segment[]> => {
  const limit = pLimit(piecesAtOnce);
  const translateText = async (text: string): Promise<string> =>
    (await Promise.all(cut(text).map((piece) => limit(translate, piece)))).join(" ");
  const translated = segments.map(async ({ start, end, text }) => ({
    start,
    end,
    text: await translateText(text),
  }));
  try {
    return await Promise.all(translated);
  } finally {
    limit.clearQueue();
  }
};

const requireTranslatable = (language: Language): void => {
  if (language.tasks.includes("translation")) return;
  throw new AppError("unsupported_language", {
    message: `Recordings in ${language.name} can be transcribed, but not translated; GET /languages lists the languages that can be translated.`,
    param: "language",
  });
};

/**
 * Translates a recording into English for a client of the OpenAI API.
 * @throws AppError as `createV1Transcription` and the translator do; `unsupported_language` when it cannot be
 * translated.
 */
export const createV1Translation = async (
  form: V1TranslationForm,
  context: AccountContext,
  dependencies: AudioTranslationDependencies,
): Promise<Transcript | Reply> => {
  const { response_format: format, temperature } = form;
  const prompt = promptWith(context.keywords ?? [], form.prompt);
  const { signal } = context;
  const language = chooseLanguage(form, context);
  requireTranslatable(language);
  const recording = await openFormsRecording(form, context, dependencies);
  const durationSeconds = toMilliseconds(recording.durationSeconds);
  const transcription = await dependencies.transcriber.transcribe(
    { recording, language: language.code, withSegments: isTimed(format), temperature, prompt },
    { signal },
  );
  countAudio(recording.durationSeconds);

  const translate = async (text: string): Promise<string> => {
    const request = { text, sourceLanguage: language.name, targetLanguage: "English" };
    return (await dependencies.translator.translate(request, { signal })).text;
  };
  const inEnglish = async (): Promise<Transcription> => {
    // Without timestamps in the response, related sentences stay together.
    const heard = isTimed(format) ? transcription : { text: transcription.text, segments: undefined };
    const segments = await translateSegments(segmentsOf(heard, durationSeconds), translate);
    return { text: segments.map(({ text }) => text).join(" "), segments };
  };
  return formatTranscript(format, {
    task: "translate",
    language: "en",
    durationSeconds,
    transcribedSeconds: durationSeconds,
    transcription: language === english ? transcription : await inEnglish(),
    temperature,
  });
};
