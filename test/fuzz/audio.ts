import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bufferSource, inspectAudio } from "../../shared/audio/read-audio.ts";
import { audioFiles, encodedFiles } from "../fixtures/audio/corpus.ts";
import { makeChunkTables } from "../fixtures/audio/make-mp4.ts";
import { mutate } from "../fixtures/audio/mutate.ts";
import { observeReading } from "../fixtures/audio/observe-reading.ts";
import { Random } from "../fixtures/audio/random.ts";
import { compareDamaged, compareUndamaged, decodedSeconds, hasFfmpeg } from "./decoded-length.ts";

const maxMilliseconds = 10_000;

const say = (text: string): boolean => process.stdout.write(`${text}\n`);

const maxTableLength = 200_000;

type Files = Awaited<ReturnType<typeof audioFiles>>;

/** One file in eight is hostile instead of damaged; it may be damaged as well. */
const makeFile = (files: Files, random: Random): { readonly name: string; readonly bytes: Buffer } => {
  if (random.below(8) > 0) {
    const { name, bytes } = random.pick(files);
    return { name, bytes: mutate(bytes, random) };
  }
  const bytes = makeChunkTables(random, maxTableLength);
  return { name: "MP4 with made-up tables", bytes: random.below(2) === 0 ? bytes : mutate(bytes, random) };
};

/** Lengths of undamaged files must be those that ffmpeg decodes. */
const compareWithFfmpeg = async (): Promise<void> => {
  for (const { name, bytes } of encodedFiles()) {
    const { durationSeconds } = await inspectAudio(bufferSource(bytes));
    compareUndamaged(name, durationSeconds, decodedSeconds(bytes) ?? 0);
  }
};

/** Reads one file. @returns its outcome, and whether it counts as longer than ffmpeg decodes. */
const judgeFile = async (file: Buffer, isCompared: boolean) => {
  const { outcome, milliseconds, durationSeconds } = await observeReading(file);
  if (milliseconds > maxMilliseconds) throw new Error(`It took ${Math.round(milliseconds)} ms.`);
  const decoded = isCompared && durationSeconds !== undefined ? decodedSeconds(file) : undefined;
  const isLonger = decoded !== undefined && compareDamaged(durationSeconds ?? 0, decoded);
  return { outcome, milliseconds, isLonger };
};

/**
 * Reads damaged audio files, and MP4 files with generated tables, for the given time, and stops at the first one with
 * a wrong result. Where ffmpeg is installed, none may count as shorter than it decodes, and undamaged files must count as
 * exactly as long.
 */
export const fuzzAudio = async (seconds: number, seed: number): Promise<void> => {
  const files = await audioFiles();
  const isCompared = hasFfmpeg();
  say(isCompared ? "comparing with ffmpeg" : "ffmpeg is not installed: lengths are not compared");
  if (isCompared) await compareWithFfmpeg();
  const endAt = performance.now() + seconds * 1_000;
  const outcomes = { read: 0, refused: 0, "not audio": 0 };
  let slowest = 0;
  let longer = 0;
  for (let number = 0; performance.now() < endAt; number += 1) {
    const { name, bytes: mutant } = makeFile(files, new Random(seed + number));
    try {
      const { outcome, milliseconds, isLonger } = await judgeFile(mutant, isCompared);
      if (isLonger) longer += 1;
      outcomes[outcome] += 1;
      slowest = Math.max(slowest, milliseconds);
    } catch (error) {
      const path = join(tmpdir(), `audio-mutant-${seed + number}`);
      await writeFile(path, mutant);
      say(`A mutant of ${name} had a wrong result; it is in ${path}.`);
      throw error;
    }
  }
  say(
    `${JSON.stringify(outcomes)}, ${longer} longer than decoded, slowest ${Math.round(slowest)} ms, ${Math.round(process.memoryUsage().rss / 1e6)} MB`,
  );
};
