import type { Transcription } from "../inference/transcription.ts";
import type { SourceLanguageDetector } from "../source-language/detector.ts";

/** Shorter texts are in the language of what was said before: a greeting is in many. In characters. */
const minCharacters = 20;

/** Names the language of each segment of a transcription whose server has detected one, if the text shows that it changes. */
export const labelLanguages = (
  transcription: Transcription,
  detector: SourceLanguageDetector,
): Transcription => {
  const { language: main, segments } = transcription;
  if (!segments || main === undefined) return transcription;
  let current = main;
  const labelled = segments.map((segment) => {
    if (segment.text.length >= minCharacters) current = detector.detect(segment.text)?.code ?? current;
    return { ...segment, language: current };
  });
  return labelled.some(({ language }) => language !== main)
    ? { ...transcription, segments: labelled }
    : transcription;
};
