import { identifiableLanguages } from "../../../../../shared/models/language-id/identification.ts";
import { createScorer } from "../../../../../shared/models/language-id/model.ts";
import { normalise } from "../../../../../shared/models/language-id/normalise.ts";
import { otherClass, type Weights } from "../../../../../shared/models/language-id/weights.ts";
import { textsByLength } from "./length-buckets.ts";
import type { LabelledLine } from "./partition.ts";

interface Scored {
  readonly scores: Float64Array;
  readonly classIndex: number;
}

/** The largest source has most of the lines; this many texts of each keep it from deciding alone. */
const maxTextsPerSource = 150;

const scoreDevelopment = (weights: Weights, development: readonly LabelledLine[]): readonly Scored[] => {
  const scoresOf = createScorer(weights);
  const six = development.filter(({ classIndex }) => classIndex !== otherClass);
  return [...Map.groupBy(six, ({ classIndex, group }) => `${classIndex} ${group}`).values()].flatMap(
    (members) => {
      const texts = textsByLength(
        members.map(({ line }) => line.text),
        maxTextsPerSource,
      );
      const classIndex = members[0]?.classIndex ?? otherClass;
      return [...texts.values()].flat().map((text) => ({ scores: scoresOf(normalise(text)), classIndex }));
    },
  );
};

/** Mean surprise (negative log likelihood, in nats) of the right language among the six at that temperature. */
const surprise = (scored: readonly Scored[], temperature: number): number => {
  const total = scored.reduce((sum, { scores, classIndex }) => {
    const six = scores.subarray(0, identifiableLanguages.length);
    const logSum = Math.log(six.reduce((powers, score) => powers + Math.exp(score / temperature), 0));
    return sum + logSum - (six[classIndex] ?? 0) / temperature;
  }, 0);
  return total / scored.length;
};

const candidates = Array.from({ length: 41 }, (_, step) => 0.5 + step * 0.05);

/**
 * Finds the temperature at which the probabilities fit the development texts best.
 *
 * @returns the temperature and what it costs there
 */
export const fitTemperature = (weights: Weights, development: readonly LabelledLine[]) => {
  const scored = scoreDevelopment(weights, development);
  return candidates
    .map((temperature) => ({ temperature, surprise: surprise(scored, temperature) }))
    .reduce((best, candidate) => (candidate.surprise < best.surprise ? candidate : best));
};
