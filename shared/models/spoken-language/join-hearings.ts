import type { Segment, Transcription, Word } from "../inference/transcription.ts";
import type { Hearing, JudgedLanguages, LanguageSpan } from "./judge-language.ts";

const isWithin =
  ({ start, end }: LanguageSpan) =>
  (said: Segment | Word): boolean => {
    const middle = (said.start + said.end) / 2;
    return middle >= start && middle < end;
  };

/**
 * Joins what a model heard in each language into the transcription of a recording, whose segments have their language where it
 * changes.
 */
export const joinHearings = (
  hearings: readonly Hearing[],
  { language, spans }: JudgedLanguages,
): Transcription => {
  const heardIn = (code: string | undefined): Transcription =>
    hearings.find((hearing) => hearing.language === code)?.transcription ?? { text: "", segments: undefined };
  if (language === undefined) return heardIn(hearings[0]?.language);
  if (spans.length < 2) return { ...heardIn(language), language };
  const parts = spans.map((span) => {
    const { segments = [], words = [] } = heardIn(span.language);
    return {
      segments: segments.filter(isWithin(span)).map((segment) => ({ ...segment, language: span.language })),
      words: words.filter(isWithin(span)),
    };
  });
  const segments = parts.flatMap((part) => part.segments);
  const hasWords = spans.every((span) => heardIn(span.language).words !== undefined);
  return {
    language,
    text: segments.map(({ text }) => text).join(" "),
    segments,
    ...(hasWords ? { words: parts.flatMap(({ words }) => words) } : {}),
  };
};
