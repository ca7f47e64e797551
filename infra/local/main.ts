/** `npm start` and `npm run dev`: the whole service on this machine. */
import "./check-node.ts";
import { parseArgs } from "node:util";
import { runCommandLine } from "../command-line.ts";
import { banner } from "./banner.ts";
import { readLocalSettings } from "./settings.ts";
import { type LocalService, startLocalService } from "./start-service.ts";

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const usage = `Usage: npm start
       npm run dev                          reloads functions when their code changes
       npm run dev -- --inspect <function>  a debugger can attach to that function

Runs the whole service on this machine. Settings are variables, as in "PORT=4000 npm start":
  PORT            the port of the API (3000); the service also uses the five ports above it
  HOST            the address to listen on (127.0.0.1); 0.0.0.0 admits other machines on the network
  BASE_PATH       the beginning of every path, such as /prod
  DATA_DIR        the folder for its data (.local)
  STAGE_DIR       the folder with a stage's voices.json, languages.json and profiles.json (infra/stages/local)
  CHAT_BASE_URL   a model server with the OpenAI HTTP API; without it, one at a usual port of this machine
  CHAT_SERVERS    several of them, as a list in JSON
  MODELS          sample: the sample models only
infra/local/README.md lists all settings.`;

let service: LocalService | undefined;
let isEnding = false;

const end = async (): Promise<void> => {
  if (isEnding) return;
  isEnding = true;
  // A server that hangs must not block the terminal.
  setTimeout(() => process.exit(1), 5_000).unref();
  await service?.close();
  process.exit(0);
};

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void end());

/** npm does not pass on a signal that only it receives, so the service ends when npm has ended. */
const endWithParent = (): void => {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) void end();
  }, 500).unref();
};

const start = async (args: string[]): Promise<void> => {
  if (process.env["npm_lifecycle_event"]) endWithParent();
  const startedAt = performance.now();
  const { values } = parseArgs({
    args,
    options: { watch: { type: "boolean" }, inspect: { type: "string" } },
  });
  const settings = readLocalSettings(process.env);
  service = await startLocalService({
    settings,
    variables: process.env,
    log: print,
    inspect: values.inspect,
  });
  if (values.watch) await service.watch();
  print(banner(service, (performance.now() - startedAt) / 1_000));
};

await runCommandLine(usage, start);
if (process.exitCode) process.exit();
