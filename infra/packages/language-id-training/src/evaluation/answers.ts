import { classify } from "../../../../../shared/language-id/identification.ts";
import type { LanguageModel } from "../../../../../shared/language-id/model.ts";
import { lengthBuckets } from "../training/length-buckets.ts";
import type { TestText } from "./test-texts.ts";

/** What `classify` does with texts of the six languages of one length. */
export interface AnswerRow {
  readonly bucket: string;
  /** Share of the texts that get an answer. */
  readonly answered: number;
  /** Share of the answers that are right. */
  readonly right: number;
}

/** Measures how often texts in the six languages are answered, and how often rightly. */
export const measureAnswers = (model: LanguageModel, texts: readonly TestText[]): readonly AnswerRow[] =>
  lengthBuckets.map(({ name }) => {
    const judged = texts
      .filter((text) => text.bucket === name)
      .map(({ text, language }) => ({ language, answer: classify(model.identify(text)) }));
    const answered = judged.filter(({ answer }) => answer !== undefined);
    const right = answered.filter(({ answer, language }) => answer === language);
    return { bucket: name, answered: answered.length / judged.length, right: right.length / answered.length };
  });

const binCount = 10;

/** Expected calibration error over ten bins, 0 to 1: how far confidence is from the share of right answers. */
export const calibrationError = (model: LanguageModel, texts: readonly TestText[]): number => {
  const judged = texts.map(({ text, language }) => {
    const { language: answer, confidence } = model.identify(text);
    return { confidence, right: answer === language ? 1 : 0 };
  });
  const bins = Map.groupBy(judged, ({ confidence }) =>
    Math.min(binCount - 1, Math.floor(confidence * binCount)),
  );
  const gaps = [...bins.values()].map((members) =>
    Math.abs(members.reduce((gap, { confidence, right }) => gap + confidence - right, 0)),
  );
  return gaps.reduce((sum, gap) => sum + gap, 0) / judged.length;
};
