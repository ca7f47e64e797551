/**
 * Invokes a function once with a sample event and prints its answer.
 *
 * Usage: npm run invoke -- <function> events/<feature>/<operation>.json
 *
 * The function runs as it does behind the local gateway, on the local service's data: inside the service when it
 * runs, else the parts it needs are started for this one invocation.
 */
import { readFile } from "node:fs/promises";
import { findRunningService, functionPath } from "../local/running-service.ts";
import { type LocalSettings, readLocalSettings } from "../local/settings.ts";

const longestInvocationMilliseconds = 15 * 60_000;

const invokeInService = async (url: string, name: string, event: string) => {
  const response = await fetch(`${url}${functionPath(name)}`, {
    method: "POST",
    body: event,
    signal: AbortSignal.timeout(longestInvocationMilliseconds),
  });
  return { ok: response.ok, printed: await response.text() };
};

const invokeAlone = async (settings: LocalSettings, name: string, event: string) => {
  // Only when it is needed: the CDK alone takes longer to load than an invocation in a running service.
  const [{ startLocalService }, { printInvocation }] = await Promise.all([
    import("../local/start-service.ts"),
    import("../local/local-routes.ts"),
  ]);
  const service = await startLocalService({
    settings: { ...settings, port: 0 },
    variables: process.env,
    log: (line) => process.stderr.write(`${line}\n`),
  });
  try {
    return await printInvocation(await service.invoke(name, JSON.parse(event)));
  } finally {
    await service.close();
  }
};

try {
  const [name, file] = process.argv.slice(2);
  if (!name || !file)
    throw new Error("Usage: npm run invoke -- <function> events/<feature>/<operation>.json");
  const event = await readFile(file, "utf8");
  const settings = readLocalSettings(process.env);
  const running = await findRunningService(settings.dataDirectory);
  const { ok, printed } = running
    ? await invokeInService(running.url, name, event)
    : await invokeAlone(settings, name, event);
  process.stdout.write(`${printed}\n`);
  process.exitCode = ok ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
