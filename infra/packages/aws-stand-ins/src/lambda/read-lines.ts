import type { Readable } from "node:stream";

/** A line longer than this is handed on in parts, so that a function cannot fill the memory of the service. */
const LONGEST_LINE = 1024 * 1024;

/**
 * Calls back with every line of a process's output, as soon as it is complete, and with an unfinished last one
 * at the end. Only line feeds end lines: `node:readline` would also cut the JSON of a log record at a U+2028.
 */
export function readLines(output: Readable, onLine: (line: string) => void): void {
  let pending = "";
  output.setEncoding("utf8");
  output.on("data", (text: string) => {
    const lines = (pending + text).split("\n");
    pending = lines.pop() ?? "";
    for (const line of lines) onLine(line);
    if (pending.length > LONGEST_LINE) {
      onLine(pending);
      pending = "";
    }
  });
  output.once("end", () => {
    if (pending !== "") onLine(pending);
  });
}
