import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cutPiece, planPieces } from "../../shared/audio/pieces/cut-pieces.ts";
import { bufferSource, inspectAudio } from "../../shared/audio/read-audio.ts";
import { collect } from "../fixtures/audio/sources.ts";
import { withTemporaryDirectory } from "../infra/synthesized-service.ts";
import { type Recipe, recipes, refusedRecipes, runFfmpeg } from "./recipes.ts";
import { type Part, verdictOf } from "./run-parts.ts";

/** Syllables and pauses: loud noise and voice, which encoders find hard at the rates of speech. No ten seconds are like others. */
const audioOf = (seconds: number): string =>
  `aevalsrc='(0.2+0.3*abs(sin(t/7)))*(sin(2*PI*t*(120+40*sin(2*PI*t)))+0.6*random(0))*gt(sin(2*PI*4*t),-0.4)*lt(mod(t,3),2.6)':s=48000:d=${seconds}`;

const sampleRate = 8_000;

const decode = (path: string): Int16Array => {
  const bytes = runFfmpeg("-i", path, "-f", "s16le", "-ac", "1", "-ar", String(sampleRate), "-");
  return new Int16Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / 2));
};

const maxDifference = (seconds: number): number => Math.max(0.1, seconds / 100);

const make = async (directory: string, speech: string, recipe: Recipe) => {
  const path = join(directory, `recording.${recipe.extension}`);
  await rm(path, { force: true });
  recipe.make(speech, path);
  return { path, source: bufferSource(await readFile(path)) };
};

/** What is wrong with the length of a recording. */
const lengthFindings = async (directory: string, speech: string, recipe: Recipe): Promise<string[]> => {
  const { name } = recipe;
  const { path, source } = await make(directory, speech, recipe);
  const expected = decode(path).length / sampleRate;
  const facts = await inspectAudio(source).catch(String);
  if (typeof facts === "string") return [`${name}: ${facts}`];
  const isRight = Math.abs(facts.durationSeconds - expected) <= maxDifference(expected);
  return isRight && !facts.hasWrongTimes
    ? []
    : [
        `${name}: ${facts.durationSeconds} s${facts.hasWrongTimes ? ", wrong times" : ""}; ffmpeg decodes ${expected}`,
      ];
};

/** How long recordings are, by ffmpeg: as common programs write them, in every container. */
export const lengthsPart: Part = {
  name: "ffmpeg: lengths of recordings",
  paths: ["shared/audio"],
  run: () =>
    withTemporaryDirectory(async (directory) => {
      const speech = join(directory, "speech.wav");
      runFfmpeg("-f", "lavfi", "-i", audioOf(6), speech);
      const findings: string[] = [];
      for (const recipe of recipes) findings.push(...(await lengthFindings(directory, speech, recipe)));
      for (const { kind, ...recipe } of refusedRecipes) {
        const { source } = await make(directory, speech, recipe);
        const refusal = await inspectAudio(source).then(() => "it was taken", String);
        if (!refusal.includes(`This is ${kind}`)) findings.push(`${recipe.name}: ${refusal}`);
      }
      const count = recipes.length + refusedRecipes.length;
      return verdictOf(
        findings,
        `${count} recordings: ${recipes.length} are taken, and ${refusedRecipes.length} refused by name`,
      );
    }),
};

const stepSamples = sampleRate / 10;

/** How loud each tenth of a second is. */
const envelope = (samples: Int16Array): number[] =>
  Array.from({ length: Math.floor(samples.length / stepSamples) }, (_, step) => {
    const part = samples.subarray(step * stepSamples, (step + 1) * stepSamples);
    return Math.sqrt(part.reduce((sum, sample) => sum + sample * sample, 0) / stepSamples);
  });

/** Lossy encoders hear the start of a piece otherwise than its middle. */
const startSteps = 6;
const maxLoudnessDifference = 1_500;

/** How far a piece may be moved against the whole: decoders differ in what they leave out at its start. */
const maxMovedSamples = sampleRate / 10;
const movedStep = sampleRate / 100;

/** The largest difference in loudness between a piece and its position in the whole, where they fit best. */
const differenceOf = (whole: Int16Array, piece: Int16Array, start: number, firstStep: number): number => {
  const heard = envelope(piece).slice(firstStep, -startSteps);
  let least = Number.POSITIVE_INFINITY;
  for (let moved = 0; moved <= maxMovedSamples && least > maxLoudnessDifference; moved += movedStep) {
    for (const offset of [start + moved, Math.max(0, start - moved)]) {
      const expected = envelope(whole.subarray(offset, offset + piece.length)).slice(firstStep);
      const differences = heard.map((loudness, step) => Math.abs(loudness - (expected[step] ?? 0)));
      least = Math.min(least, Math.max(...differences));
    }
  }
  return least;
};

/** What is wrong with the pieces of a recording that is longer than a model takes. */
const pieceFindings = async (directory: string, speech: string, recipe: Recipe): Promise<string[]> => {
  const { path, source } = await make(directory, speech, recipe);
  const whole = decode(path);
  const facts = await inspectAudio(source).catch(String);
  if (typeof facts === "string") return [`${recipe.name}: ${facts}`];
  const pieces = await planPieces(source, facts).catch(String);
  if (typeof pieces === "string") return [`${recipe.name}: ${pieces}`];
  const findings: string[] = [];
  const [wholeSeconds, end] = [whole.length / sampleRate, pieces.at(-1)?.end ?? 0];
  if (Math.abs(end - wholeSeconds) > 0.3 || pieces.length < 2)
    findings.push(`${recipe.name}: ${pieces.length} pieces end at ${end} s of ${wholeSeconds}`);
  for (const { index, start, ...piece } of pieces) {
    const file = join(directory, `piece.${piece.fileExtension}`);
    await writeFile(file, await collect(cutPiece(source, { index, start, ...piece })));
    const decoded = decode(file);
    const planned = piece.end - start;
    if (Math.abs(decoded.length / sampleRate - planned) > 0.25)
      findings.push(`${recipe.name}: piece ${index} plays ${decoded.length / sampleRate} s, not ${planned}`);
    const largest = differenceOf(
      whole,
      decoded,
      Math.round(start * sampleRate),
      index === 0 ? 0 : startSteps,
    );
    if (largest > maxLoudnessDifference)
      findings.push(`${recipe.name}: piece ${index} differs by ${largest}`);
  }
  return findings;
};

/** Eleven minutes of each encoder and container, in pieces that ffmpeg decodes to the whole. */
export const longRecordingsPart: Part = {
  name: "ffmpeg: pieces of long recordings",
  paths: ["shared/audio"],
  isNightly: true,
  run: () =>
    withTemporaryDirectory(async (directory) => {
      const speech = join(directory, "speech.wav");
      runFfmpeg("-f", "lavfi", "-i", audioOf(660), "-ar", "16000", speech);
      const long = recipes.filter(({ isLong }) => isLong);
      const findings: string[] = [];
      for (const recipe of long) findings.push(...(await pieceFindings(directory, speech, recipe)));
      return verdictOf(findings, `${long.length} recordings of eleven minutes are cut`);
    }),
};
