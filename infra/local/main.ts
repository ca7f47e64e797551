/**
 * `npm start`: the whole service on this machine. With `--watch` it reloads functions when their code changes, with
 * `--inspect <function>` a debugger can attach to that function.
 */
import { parseArgs } from "node:util";
import { runCommandLine } from "../commands/command-line.ts";
import { readLocalSettings } from "./settings.ts";
import { type LocalService, startLocalService } from "./start-service.ts";

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const usage = `Usage: npm start
       npm run dev                          reloads functions when their code changes
       npm run dev -- --inspect <function>  a debugger can attach to that function

Runs the whole service on this machine. What can be set, before the command as in "PORT=4000 npm start":
  PORT            where it listens (3000); the five ports above it are used too
  HOST            127.0.0.1; an address of this machine, or 0.0.0.0, lets others on the same network in
  BASE_PATH       what stands in front of every path, such as /prod
  DATA_DIR        the folder that holds its data (.local)
  CHAT_BASE_URL   a server of models that speaks the OpenAI HTTP API, instead of the sample models
All of them are in infra/local/README.md.`;

let service: LocalService | undefined;
let isEnding = false;

const end = async (): Promise<void> => {
  if (isEnding) return;
  isEnding = true;
  // Whatever hangs must not keep the terminal.
  setTimeout(() => process.exit(1), 5_000).unref();
  await service?.close();
  process.exit(0);
};

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void end());

/** npm does not pass on a signal that only it receives; when it is gone, so should be the service. */
const endWithParent = (): void => {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) void end();
  }, 500).unref();
};

const listed = (names: readonly string[]): string =>
  new Intl.ListFormat("en-GB", { type: "conjunction" }).format(names);

/** What a person reads when the service is up; the last line is for programs that wait for it. */
const banner = (service: LocalService, seconds: number): string => {
  const routes = service.model.restApi.routes.filter(({ integration }) => integration.type === "lambda");
  const models = service.models.servers.map(({ url, tasks, isSample }) =>
    isSample
      ? `${listed(tasks)} by the SAMPLE server at ${url}: a phrasebook, not the real models`
      : `${listed(tasks)} by ${url}`,
  );
  return [
    "",
    "Language AI Service, running on this machine",
    `  API          ${service.url}  (${routes.length} routes; ${service.url}/_local/routes lists them)`,
    `  console      open ${service.url} in a browser`,
    ...(service.chatStreamUrl ? [`  chat stream  ${service.chatStreamUrl}/tasks/chat/completions`] : []),
    `  mails        ${service.url}/_local/mail  (${service.url}/_local lists what else there is)`,
    ...(service.platform
      ? [`  messages     ${service.url}/_local/messages  (npm run message -- "Hello" plays a person)`]
      : []),
    ...service.identityProviders.map(
      ({ name, issuer }, index) =>
        `  ${index === 0 ? "identity" : "        "}     ${name} at ${issuer}, not a real one: its page names test accounts`,
    ),
    ...models.map((line, index) => `  ${index === 0 ? "models" : "      "}       ${line}`),
    ...service.models.warnings.map((warning) => `  WARNING      ${warning}`),
    ...(service.inspected
      ? [
          `  debugger     ${service.inspected.feature} listens at 127.0.0.1:${service.inspected.port}, in one process with a day instead of its time-out`,
        ]
      : []),
    ...(service.isOpenToNetwork
      ? [
          "  WARNING      everybody on this network can reach the API, the chat stream and stored audio, without encryption",
          "               (HOST is set); mails, messages and whatever else is under /_local answer to this machine alone",
        ]
      : []),
    `  started in ${seconds.toFixed(1)} s; Ctrl-C ends it, its data stays`,
    "",
    `ready ${service.url}`,
  ].join("\n");
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
