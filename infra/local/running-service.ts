import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";

const serviceFile = z.object({
  processId: z.int(),
  url: z.url(),
  tableName: z.string(),
  /** Variables through which an AWS SDK finds the embedded services. */
  sdkVariables: z.record(z.string(), z.string()),
});

/** How other commands find a service that is running. */
type RunningService = z.output<typeof serviceFile>;

const pathIn = (dataDirectory: string): string => join(dataDirectory, "service.json");

const isRunning = (processId: number): boolean => {
  try {
    process.kill(processId, 0);
    return true;
  } catch {
    return false;
  }
};

/** Leaves word that a service runs from this data directory. */
export const announceService = (dataDirectory: string, service: RunningService): Promise<void> =>
  writeFile(pathIn(dataDirectory), JSON.stringify(service), { mode: 0o600 });

/** Takes the word back. */
export const withdrawService = (dataDirectory: string): Promise<void> =>
  rm(pathIn(dataDirectory), { force: true });

/** The service that runs from this data directory; `undefined` when there is none, or it was killed. */
export const findRunningService = async (dataDirectory: string): Promise<RunningService | undefined> => {
  const text = await readFile(pathIn(dataDirectory), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const { success, data } = serviceFile.safeParse(JSON.parse(text));
  return success && isRunning(data.processId) ? data : undefined;
};

/**
 * Makes the folder that holds the service's data, and makes sure that no other service uses it.
 *
 * @throws Error with a sentence that says what to do.
 */
export const claimDataDirectory = async (dataDirectory: string): Promise<void> => {
  try {
    await mkdir(dataDirectory, { recursive: true });
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
    throw new Error(`The data directory ${dataDirectory} cannot be made or used (${reason}); set DATA_DIR.`);
  }
  const running = await findRunningService(dataDirectory);
  if (!running) return;
  throw new Error(
    `A service is running from ${dataDirectory} already, at ${running.url}. Stop it, or set DATA_DIR to another folder.`,
  );
};

/** Where a function can be invoked with an event of one's own; the shape is that of Lambda's API. */
export const functionPath = (feature: string): string => `/_local/functions/${feature}/invocations`;

/** Of `GET /_local/messages`: whether every answer that was on its way had gone out, `true` or `false`. */
export const idleHeader = "X-Queue-Idle";
