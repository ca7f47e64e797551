/**
 * Plans the pieces of a file and cuts all of them, in a process of its own: what it took, and how much memory at most. With
 * `--expose-gc` also how much it held at most, without what could have been collected.
 */
import { open, readFile } from "node:fs/promises";
import { cutPiece, planPieces } from "../../../shared/audio/pieces/cut-pieces.ts";
import { inspectAudio } from "../../../shared/audio/read-audio.ts";
import { ReadingBudget } from "../../../shared/audio/reading/reading-budget.ts";

const [path] = process.argv.slice(2);
const result = { pieces: 0, planMilliseconds: 0, cutMilliseconds: 0, peakMegabytes: 0, heldMegabytes: 0 };
const { gc } = globalThis;
const noteHeld = (): void => {
  // The second one waits until the buffers that the first found are released.
  gc?.();
  gc?.();
  const { heapUsed, external } = process.memoryUsage();
  result.heldMegabytes = Math.max(result.heldMegabytes, (heapUsed + external) / 1_024 ** 2);
};
const sampling = gc && setInterval(noteHeld, 20);
if (path !== undefined) {
  const file = await open(path);
  const source = {
    size: (await file.stat()).size,
    read: async (start: number, end: number) => {
      const { buffer } = await file.read(new Uint8Array(end - start), 0, end - start, start);
      return buffer;
    },
  };
  const facts = await inspectAudio(source, { budget: ReadingBudget.forBackgroundWork() });
  const startedAt = performance.now();
  const pieces = await planPieces(source, facts);
  result.planMilliseconds = performance.now() - startedAt;
  for (const piece of pieces) {
    let bytes = 0;
    for await (const part of cutPiece(source, piece)) bytes += part.length;
    if (bytes > piece.bytes) throw new Error(`Piece ${piece.index} has ${bytes} bytes, not ${piece.bytes}.`);
  }
  result.cutMilliseconds = performance.now() - startedAt - result.planMilliseconds;
  result.pieces = pieces.length;
  noteHeld();
  await file.close();
}
clearInterval(sampling);
// Linux counts the parent's memory at the fork in a process's usage; its own peak is in /proc.
const status = await readFile("/proc/self/status", "utf8").catch(() => "");
result.peakMegabytes =
  Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? process.resourceUsage().maxRSS) / 1_024;
const { user, system } = process.cpuUsage();
process.stdout.write(JSON.stringify({ ...result, cpuMilliseconds: (user + system) / 1_000 }));
