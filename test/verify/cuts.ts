import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cutPiece, planPieces } from "../../shared/audio/pieces/cut-pieces.ts";
import { bufferSource, inspectAudio } from "../../shared/audio/read-audio.ts";
import { collect } from "../fixtures/audio/sources.ts";
import { withTemporaryDirectory } from "../infra/synthesized-service.ts";
import { type Part, ToolMissing, verdictOf } from "./run-parts.ts";

/** A tone that changes all the time, with noise: each moment is unlike all others. */
const audio =
  "aevalsrc='0.4*sin(2*PI*t*(200+20*mod(t,37)))*(0.6+0.4*sin(2*PI*3*t))+0.1*random(0)':s=44100:d=75";

/**
 * Files as ffmpeg makes them; how far a piece may be moved against the whole, in milliseconds, and from when on its samples are
 * the same. Of AAC without noise that decoders make up, which is never the same.
 */
const files: readonly (readonly [name: string, options: string, moved: number, sameAfter: number])[] = [
  ["16-bits.wav", "-c:a pcm_s16le", 0, 0],
  ["24-bits.wav", "-c:a pcm_s24le -ac 2", 0, 0],
  ["cbr.mp3", "-c:a libmp3lame -b:a 64k", 0, 0],
  ["low.mp3", "-c:a libmp3lame -b:a 32k", 0, 0.1],
  ["vbr.mp3", "-ar 16000 -c:a libmp3lame -q:a 5", 0, 0],
  ["without-header.mp3", "-c:a libmp3lame -b:a 128k -write_xing 0", 0, 0],
  ["frames.aac", "-ar 16000 -c:a aac -aac_pns 0 -b:a 32k -f adts", 0, 0.07],
  ["end.m4a", "-c:a aac -aac_pns 0 -b:a 64k", 0, 0],
  ["start.m4a", "-c:a aac -aac_pns 0 -b:a 64k -movflags +faststart", 0, 0],
  ["fragments.m4a", "-c:a aac -aac_pns 0 -b:a 64k -frag_duration 1000000 -movflags +empty_moov", 0, 0],
  ["alac.m4a", "-c:a alac", 0, 0],
  ["opus.mp4", "-c:a libopus -b:a 24k", 0, 0.3],
  ["opus.ogg", "-c:a libopus -b:a 24k", 0, 0],
  ["vorbis.ogg", "-c:a libvorbis -q:a 2", 0, 0],
  ["lossless.flac", "-c:a flac", 0, 0],
  ["opus.webm", "-c:a libopus -b:a 24k", 2, 0.4],
  ["browser.webm", "-c:a libopus -b:a 24k -live 1", 2, 0.4],
  ["vorbis.webm", "-c:a libvorbis", 4, 0],
  ["aac.mkv", "-c:a aac -aac_pns 0 -b:a 64k", 2, 0.07],
];

const limits = { maxSeconds: 30, overlapSeconds: 3, maxBytes: 9_000_000 };
const rate = 48_000;

/** What is not a difference: a rounding to 16 bits or two. */
const maxDifference = 8;

const runFfmpeg = (...options: readonly string[]): Buffer => {
  const { stdout, stderr, status, error } = spawnSync("ffmpeg", ["-v", "error", "-y", ...options], {
    maxBuffer: 1 << 28,
    timeout: 60_000,
  });
  if (error) throw new ToolMissing("there is no ffmpeg on this machine");
  if (status !== 0 || stderr.length > 0) throw new Error(stderr.toString());
  return stdout;
};

/** Without resampling, which would hide by how much audio is shifted. */
const decode = (file: string): Int16Array => {
  const bytes = runFfmpeg("-err_detect", "crccheck", "-i", file, "-f", "s16le", "-ac", "1", "-");
  return new Int16Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / 2));
};

/** The largest difference at the best allowed offset. */
const differenceAt = (whole: Int16Array, piece: Int16Array, offset: number, from: number): number => {
  let largest = 0;
  for (let index = from; index < piece.length; index += 1) {
    const expected = whole[offset + index];
    if (expected !== undefined) largest = Math.max(largest, Math.abs(expected - (piece[index] ?? 0)));
  }
  return largest;
};

const findingsOf = async (
  directory: string,
  [name, options, moved, sameAfter]: (typeof files)[number],
): Promise<{ readonly pieces: number; readonly findings: readonly string[] }> => {
  const path = join(directory, name);
  runFfmpeg("-i", join(directory, "sound.wav"), ...options.split(" "), path);
  const source = bufferSource(await readFile(path));
  const facts = await inspectAudio(source);
  const sampleRate = facts.codec === "opus" ? rate : (facts.sampleRate ?? rate);
  const whole = decode(path);
  const findings: string[] = [];
  const pieces = await planPieces(source, facts, limits);
  for (const piece of pieces) {
    const file = join(directory, `piece.${piece.fileExtension}`);
    await writeFile(file, await collect(cutPiece(source, piece)));
    const decoded = decode(file);
    const [seconds, planned] = [decoded.length / sampleRate, piece.end - piece.start];
    // A packet of the longest that there are here.
    if (Math.abs(seconds - planned) > 0.03)
      findings.push(`${name}: piece ${piece.index} plays ${seconds} s, not ${planned}`);
    const offset = Math.round(piece.start * sampleRate);
    const reach = Math.round((moved * sampleRate) / 1_000);
    const from = piece.index === 0 ? 0 : Math.round(sameAfter * sampleRate);
    let difference = Number.POSITIVE_INFINITY;
    for (let shift = -reach; shift <= reach && difference > maxDifference; shift += 1) {
      difference = Math.min(
        difference,
        differenceAt(whole, decoded.subarray(0, -sampleRate / 10), offset + shift, from),
      );
    }
    if (difference > maxDifference) findings.push(`${name}: piece ${piece.index} differs by ${difference}`);
  }
  return { pieces: pieces.length, findings };
};

/** The pieces of a recording, decoded by others: each plays as long as it should, and the same as the whole does there. */
export const cutsPart: Part = {
  name: "ffmpeg: cuts of recordings",
  paths: ["shared/audio"],
  run: () =>
    withTemporaryDirectory(async (directory) => {
      runFfmpeg("-f", "lavfi", "-i", audio, "-ac", "1", join(directory, "sound.wav"));
      const results = [];
      for (const file of files) results.push(await findingsOf(directory, file));
      const findings = results.flatMap((result) => result.findings);
      const pieces = results.reduce((sum, result) => sum + result.pieces, 0);
      return verdictOf(findings, `${pieces} pieces of ${files.length} recordings`);
    }),
};
