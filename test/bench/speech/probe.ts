/** Reads one file as a function does, in ranges, and prints what it cost. Usage: node probe.ts [<file>] */
import { open, readFile } from "node:fs/promises";
import { inspectAudio } from "../../../shared/audio/read-audio.ts";

const [path] = process.argv.slice(2);
const startedAt = performance.now();
let seconds = 0;
if (path) {
  const file = await open(path);
  const { size } = await file.stat();
  const facts = await inspectAudio({
    size,
    read: async (start, end) => {
      const bytes = new Uint8Array(end - start);
      await file.read(bytes, 0, bytes.length, start);
      return bytes;
    },
  });
  seconds = facts.durationSeconds;
  await file.close();
}
const milliseconds = performance.now() - startedAt;
// Linux counts the parent's memory at the fork in a process's usage; its own peak is in /proc.
const status = await readFile("/proc/self/status", "utf8").catch(() => "");
const peakKilobytes = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? process.resourceUsage().maxRSS);
const peakMegabytes = peakKilobytes / 1_024;
process.stdout.write(JSON.stringify({ seconds, milliseconds, peakMegabytes }));
