/**
 * `npm run bench -- profile`: where the chat function's CPU time goes under the load of `npm run bench`, by source file
 * and package. `--stream` requests streams, `--functions` lists functions, `--lines 60` prints more; `--keep <file>`
 * writes the profile in V8's format, for a debugger (its positions are those of the bundle).
 */

import { readFile, writeFile } from "node:fs/promises";
import * as z from "zod";
import { readOptions } from "../../infra/command-line.ts";
import { chooseCores, serveChat } from "./compare/gateways.ts";
import { type LoadCommand, loadResult, loadResults } from "./compare/load.ts";
import { cpuProfile, sharesOf, sourceMapFile } from "./compare/read-profile.ts";
import { ask, startProcess, stopProcess } from "./processes.ts";

const usage = `Usage: npm run bench -- profile [--stream] [--functions] [--lines 60] [--keep FILE] [--once]

Shows where the chat function's CPU time goes, by source file and package or by function. --keep writes V8's profile;
--once only sees whether it works, and takes a second.`;

const options = readOptions(usage, {
  stream: { type: "boolean", default: false },
  functions: { type: "boolean", default: false },
  lines: { type: "string", default: "40" },
  keep: { type: "string" },
  once: { type: "boolean", default: false },
});
const lines = z.coerce.number().int().min(1).parse(options.lines);
const [warmUpMilliseconds, profiledMilliseconds] = options.once ? [200, 800] : [3_000, 8_000];

const cores = chooseCores();
const served = await serveChat(cores);
const load = await startProcess("compare/load-process.ts", { core: cores.load });
try {
  const { target } = served.chat;
  const command = (milliseconds: number): LoadCommand =>
    options.stream
      ? {
          kind: "streams",
          targets: [target],
          connections: 64,
          reply: { tokens: milliseconds / 20, pauseMilliseconds: 20 },
        }
      : { kind: "saturate", target, connections: 16, milliseconds, requests: 1 };
  const results = z.union([loadResults, loadResult.transform((result) => [result])]);
  await ask(load, command(warmUpMilliseconds), results);
  await ask(served.chat, { kind: "begin profile" }, z.unknown());
  const result = await ask(load, command(profiledMilliseconds), results);
  const requests = result.reduce((sum, one) => sum + ("requests" in one ? one.requests : 0), 0);
  const profile = cpuProfile.parse(await ask(served.chat, { kind: "end profile" }, z.unknown()));
  if (options.keep !== undefined) await writeFile(options.keep, JSON.stringify(profile));

  const map = sourceMapFile.parse(JSON.parse(await readFile(`${served.bundle}.map`, "utf8")));
  const shares = sharesOf(profile, { file: served.bundle, map }, options.functions);
  const percent = (share: number) => `${(share * 100).toFixed(1)}%`.padStart(7);
  const rows = shares
    .slice(0, lines)
    .map(({ origin, self, inclusive }) => `| ${percent(self)} | ${percent(inclusive)} | ${origin} |`);
  process.stdout.write(
    [
      "|    self | with what it calls | file or package |",
      "| ------: | ------: | --- |",
      ...rows,
      "",
      `${requests} ${options.stream ? "streams" : "requests"}; shares of the time in which the process did anything.`,
      "",
    ].join("\n"),
  );
} finally {
  await stopProcess(load);
  await served.close();
}
