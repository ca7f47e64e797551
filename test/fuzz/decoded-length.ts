import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Enough for any rate of a recording, and few bytes to count. */
const sampleRate = 8_000;
const maxBytes = 1 << 27;
const maxMilliseconds = 30_000;

const run = (...options: readonly string[]) =>
  spawnSync("ffmpeg", ["-nostdin", "-v", "quiet", ...options], {
    maxBuffer: maxBytes,
    timeout: maxMilliseconds,
  });

/** Whether ffmpeg is on this machine. */
export const hasFfmpeg = (): boolean => run("-version").status === 0;

/**
 * How many seconds ffmpeg decodes of a file. Undefined where it decodes nothing, or does not come to an end: damaged files are
 * often too much for it.
 */
export const decodedSeconds = (bytes: Uint8Array): number | undefined => {
  const path = join(tmpdir(), `decoded-${process.pid}`);
  writeFileSync(path, bytes);
  try {
    const { stdout, error } = run("-i", path, "-f", "s16le", "-ac", "1", "-ar", String(sampleRate), "-");
    return error || stdout.length === 0 ? undefined : stdout.length / 2 / sampleRate;
  } finally {
    rmSync(path, { force: true });
  }
};

/** What decoders add, and a packet or two. */
const exact = 0.15;

/** Damage: each decoder skips another part of it. */
const damageSeconds = 2;
const damageShare = 0.1;

/** @throws Error when an undamaged file is not measured as ffmpeg decodes it. */
export const compareUndamaged = (name: string, measured: number, decoded: number): void => {
  if (Math.abs(measured - decoded) <= exact) return;
  throw new Error(`${name} counts as ${measured} s, and ffmpeg decodes ${decoded} s.`);
};

/**
 * Compares the lengths of a damaged file. @returns whether it counts as longer than it plays, which only its sender pays for
 * @throws Error when it counts as shorter.
 */
export const compareDamaged = (measured: number, decoded: number): boolean => {
  if (measured < decoded * (1 - damageShare) - damageSeconds) {
    throw new Error(`It counts as ${measured} s, and ffmpeg decodes ${decoded} s.`);
  }
  return measured > decoded * (1 + damageShare) + damageSeconds;
};
