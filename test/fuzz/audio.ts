import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "../../infra/commands/command-line.ts";
import { bufferSource, inspectAudio } from "../../shared/audio/read-audio.ts";
import { audioFiles, encodedFiles } from "../fixtures/audio/corpus.ts";
import { makeChunkTables } from "../fixtures/audio/make-mp4.ts";
import { mutate } from "../fixtures/audio/mutate.ts";
import { observeReading } from "../fixtures/audio/observe-reading.ts";
import { Random } from "../fixtures/audio/random.ts";
import { compareDamaged, compareUndamaged, decodedSeconds, hasFfmpeg } from "./decoded-length.ts";

/**
 * Reads damaged audio files, and MP4 files with generated tables, for the given time, and stops at the first one with
 * a wrong result. Where ffmpeg is installed, none may count as shorter than it decodes, and undamaged files must count as
 * exactly as long.
 *
 * node test/fuzz/audio.ts --seconds 600 --seed 1
 */
const usage = `Usage: node test/fuzz/audio.ts [--seconds 60] [--seed NUMBER]

Reads damaged audio files until the first wrong result.`;

const values = readOptions(usage, {
  seconds: { type: "string", default: "60" },
  seed: { type: "string", default: String(Date.now()) },
});

const maxMilliseconds = 10_000;

const say = (text: string): boolean => process.stdout.write(`${text}\n`);

const files = await audioFiles();

const maxTableLength = 200_000;

/** One file in eight is hostile instead of damaged; it may be damaged as well. */
const makeFile = (random: Random): { readonly name: string; readonly bytes: Buffer } => {
  if (random.below(8) > 0) {
    const { name, bytes } = random.pick(files);
    return { name, bytes: mutate(bytes, random) };
  }
  const bytes = makeChunkTables(random, maxTableLength);
  return { name: "MP4 with made-up tables", bytes: random.below(2) === 0 ? bytes : mutate(bytes, random) };
};

const isCompared = hasFfmpeg();
say(isCompared ? "comparing with ffmpeg" : "ffmpeg is not installed: lengths are not compared");
for (const { name, bytes } of isCompared ? encodedFiles() : []) {
  const { durationSeconds } = await inspectAudio(bufferSource(bytes));
  compareUndamaged(name, durationSeconds, decodedSeconds(bytes) ?? 0);
}

const endAt = performance.now() + Number(values.seconds) * 1_000;
const outcomes = { read: 0, refused: 0, "not audio": 0 };
let slowest = 0;
let longer = 0;

say(`seed ${values.seed}`);
for (let number = 0; performance.now() < endAt; number += 1) {
  const random = new Random(Number(values.seed) + number);
  const { name, bytes: mutant } = makeFile(random);
  try {
    const { outcome, milliseconds, durationSeconds } = await observeReading(mutant);
    if (milliseconds > maxMilliseconds) throw new Error(`It took ${Math.round(milliseconds)} ms.`);
    const decoded = isCompared && durationSeconds !== undefined ? decodedSeconds(mutant) : undefined;
    if (decoded !== undefined && compareDamaged(durationSeconds ?? 0, decoded)) longer += 1;
    outcomes[outcome] += 1;
    slowest = Math.max(slowest, milliseconds);
  } catch (error) {
    const path = join(tmpdir(), `audio-mutant-${Number(values.seed) + number}`);
    await writeFile(path, mutant);
    say(`A mutant of ${name} had a wrong result; it is in ${path}.`);
    throw error;
  }
}
say(
  `${JSON.stringify(outcomes)}, ${longer} longer than decoded, slowest ${Math.round(slowest)} ms, ${Math.round(process.memoryUsage().rss / 1e6)} MB`,
);
