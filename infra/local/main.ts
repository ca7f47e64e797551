/** `npm start` and `npm run dev`: the whole service on this machine. */
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

Runs the whole service on this machine. Settings are variables, as in "PORT=4000 npm start":
  PORT            the port of the API (3000); the service also uses the five ports above it
  HOST            the address to listen on (127.0.0.1); 0.0.0.0 admits other machines on the network
  BASE_PATH       the beginning of every path, such as /prod
  DATA_DIR        the folder for its data (.local)
  CHAT_BASE_URL   a model server with the OpenAI HTTP API, instead of the sample models
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

const listed = (names: readonly string[]): string =>
  new Intl.ListFormat("en-GB", { type: "conjunction" }).format(names);

/** The text for the person who started the service; its last line is for programs that wait for it. */
const banner = (service: LocalService, seconds: number): string => {
  const routes = service.model.restApi.routes.filter(({ integration }) => integration.type === "lambda");
  const models = service.models.servers.map(({ url, tasks, isSample }) =>
    isSample
      ? `${listed(tasks)}: SAMPLE server at ${url}, a phrasebook instead of real models`
      : `${listed(tasks)}: ${url}`,
  );
  return [
    "",
    "The Language AI Service is running on this machine",
    `  API          ${service.url}  (${routes.length} routes, listed at ${service.url}/_local/routes)`,
    `  console      open ${service.url} in a browser`,
    ...(service.chatStreamUrl ? [`  chat stream  ${service.chatStreamUrl}/tasks/chat/completions`] : []),
    `  mails        ${service.url}/_local/mail  (see ${service.url}/_local for more)`,
    ...(service.platform
      ? [`  messages     ${service.url}/_local/messages  (send one with npm run message -- "Hello")`]
      : []),
    ...service.identityProviders.map(
      ({ name, issuer }, index) =>
        `  ${index === 0 ? "identity" : "        "}     ${name} at ${issuer}, for test accounts only`,
    ),
    ...models.map((line, index) => `  ${index === 0 ? "models" : "      "}       ${line}`),
    ...service.models.warnings.map((warning) => `  WARNING      ${warning}`),
    ...(service.inspected
      ? [
          `  debugger     ${service.inspected.feature} listens at 127.0.0.1:${service.inspected.port}; the function has one process and a timeout of a day`,
        ]
      : []),
    ...(service.isOpenToNetwork
      ? [
          "  WARNING      everyone on this network can reach the API, the chat stream and stored audio, without encryption,",
          "               because HOST is set; only this machine can reach /_local, with its mails and messages",
        ]
      : []),
    `  started in ${seconds.toFixed(1)} s; press Ctrl-C to stop it, its data stays`,
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
