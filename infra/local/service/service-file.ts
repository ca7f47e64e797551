import { readFile, rm, writeFile } from "node:fs/promises";
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
export type RunningService = z.output<typeof serviceFile>;

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
