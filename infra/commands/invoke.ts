/** `npm run invoke`: invokes a function once with a sample event and prints its result. */
import { readFile } from "node:fs/promises";
import { functionDefinitions } from "../../functions/manifest.ts";
import { minuteMilliseconds } from "../../shared/platform/durations.ts";
import { runCommandLine, UsageError, unreadableFile } from "../command-line.ts";
import { findRunningService, functionPath } from "../local/running-service.ts";
import { type LocalSettings, readLocalSettings } from "../local/settings.ts";

const usage = `Usage: npm run invoke -- <function> events/<feature>/<operation>.json

Invokes a function once with an event and prints its result. It runs in the local service when that is running, else in a
service that is started for this invocation, and always on the local service's data.`;

const readEvent = async (file: string): Promise<string> => {
  const event = await readFile(file, "utf8").catch((error: unknown) => {
    throw unreadableFile("sample event", file, error);
  });
  try {
    JSON.parse(event);
  } catch {
    throw new Error(`The sample event ${file} is not valid JSON.`);
  }
  return event;
};

const maxInvocationMilliseconds = 15 * minuteMilliseconds;

const invokeInService = async (url: string, name: string, event: string) => {
  const response = await fetch(`${url}${functionPath(name)}`, {
    method: "POST",
    body: event,
    signal: AbortSignal.timeout(maxInvocationMilliseconds),
  });
  return { ok: response.ok, printed: await response.text() };
};

const invokeAlone = async (settings: LocalSettings, name: string, event: string) => {
  // Imported on demand: loading the CDK takes longer than an invocation in a running service.
  const [{ startLocalService }, { printInvocation }] = await Promise.all([
    import("../local/start-service.ts"),
    import("../local/local-routes.ts"),
  ]);
  const service = await startLocalService({
    settings: { ...settings, PORT: 0 },
    variables: process.env,
    log: (line) => process.stderr.write(`${line}\n`),
  });
  try {
    return await printInvocation(await service.invoke(name, JSON.parse(event)));
  } finally {
    await service.close();
  }
};

await runCommandLine(usage, async (args) => {
  const [name, file, ...rest] = args;
  if (!name || !file || rest.length > 0) throw new UsageError("Name a function and the file of an event.");
  const known = functionDefinitions.map((definition): string => definition.name);
  if (!known.includes(name)) throw new Error(`There is no function ${name}; there are ${known.join(", ")}.`);
  const event = await readEvent(file);
  const settings = readLocalSettings(process.env);
  const running = await findRunningService(settings.DATA_DIR);
  const { ok, printed } = running
    ? await invokeInService(running.url, name, event)
    : await invokeAlone(settings, name, event);
  process.stdout.write(`${printed}\n`);
  process.exitCode = ok ? 0 : 1;
});
