import { findLanguage, type Language } from "../../../shared/catalogue/languages.ts";
import { AppError } from "../../../shared/errors/app-error.ts";
import type { Reply } from "../../../shared/http/response.ts";
import type { Segment, Transcription } from "../../../shared/inference/transcription.ts";
import type { Translator } from "../../../shared/inference/translation.ts";
import { countAudio } from "../../../shared/limits/use.ts";
import { segmentsOf, type TranscriptionDependencies, toMilliseconds } from "../transcribe.ts";
import { type AccountContext, chooseLanguage } from "./choose-language.ts";
import type { Transcript, V1TranslationForm } from "./contract.ts";
import { isTimed, openFormsRecording } from "./create-transcription.ts";
import { formatTranscript } from "./format-transcript.ts";

/** A translation works with a translator as well. */
export interface AudioTranslationDependencies extends TranscriptionDependencies {
  readonly translator: Translator;
}

const english = findLanguage("eng");

/** So many characters are translated at a time: models translate what belongs together better than single sentences. */
const longestPiece = 2_000;

/** So many pieces at a time, which is what one listener may ask of the model's server. */
const piecesAtOnce = 4;

/** Segments that follow each other, joined up to the length of a piece. */
const joined = (segments: readonly Segment[]): Segment[] => {
  const pieces: Segment[] = [];
  for (const segment of segments) {
    const last = pieces.at(-1);
    const text = `${last?.text} ${segment.text}`;
    if (!last || text.length > longestPiece) pieces.push(segment);
    else pieces.splice(-1, 1, { start: last.start, end: segment.end, text });
  }
  return pieces;
};

/** Translates the texts of segments, some at a time. */
const translateSegments = async (
  segments: readonly Segment[],
  translate: (text: string) => Promise<string>,
): Promise<Segment[]> => {
  const translated: Segment[] = [];
  for (let index = 0; index < segments.length; index += piecesAtOnce) {
    const some = segments.slice(index, index + piecesAtOnce).map(async ({ start, end, text }) => ({
      start,
      end,
      text: await translate(text),
    }));
    translated.push(...(await Promise.all(some)));
  }
  return translated;
};

const requireTranslatable = (language: Language): void => {
  if (language.tasks.includes("translation")) return;
  throw new AppError("unsupported_language", {
    message: `Recordings in ${language.name} are transcribed, and not translated: it is none of the languages of translation.`,
    param: "language",
  });
};

/**
 * Writes a recording down in English for a client of the OpenAI API.
 *
 * @throws AppError as `createV1Transcription` and the translator do; `unsupported_language` for one that is not translated.
 */
export const createV1Translation = async (
  form: V1TranslationForm,
  context: AccountContext,
  dependencies: AudioTranslationDependencies,
): Promise<Transcript | Reply> => {
  const { response_format: format, prompt, temperature } = form;
  const { signal } = context;
  const language = chooseLanguage(form, context.defaultLanguage);
  requireTranslatable(language);
  const recording = await openFormsRecording(form, context, dependencies);
  const durationSeconds = toMilliseconds(recording.durationSeconds);
  const transcription = await dependencies.transcriber.transcribe(
    { recording, language: language.code, withSegments: true, temperature, prompt },
    { signal },
  );
  countAudio(recording.durationSeconds);

  const translate = async (text: string): Promise<string> => {
    const request = { text, sourceLanguage: language.name, targetLanguage: "English" };
    return (await dependencies.translator.translate(request, { signal })).text;
  };
  const inEnglish = async (): Promise<Transcription> => {
    const heard = segmentsOf(transcription, durationSeconds);
    const segments = await translateSegments(isTimed(format) ? heard : joined(heard), translate);
    return { text: segments.map(({ text }) => text).join(" "), segments };
  };
  return formatTranscript(format, {
    task: "translate",
    language: "en",
    durationSeconds,
    transcription: language === english ? transcription : await inEnglish(),
    temperature,
  });
};
