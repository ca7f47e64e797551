import { randomUUID } from "node:crypto";
import { access, constants, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as z from "zod";

const serviceFile = z.object({
  /** Tells this service from every other: it gives the same one when it is asked. */
  instance: z.string().min(1),
  url: z.url(),
  tableName: z.string(),
  /** The bucket of audio files. */
  bucketName: z.string().optional(),
  /** Variables through which an AWS SDK finds the embedded services. */
  sdkVariables: z.record(z.string(), z.string()),
});

/** How other commands find a service that is running. */
type RunningService = z.output<typeof serviceFile>;

const pathIn = (dataDirectory: string): string => join(dataDirectory, "service.json");

/** Where a service says which one it is. */
export const instancePath = "/_local/service";

const instanceResponse = z.object({ instance: z.string() });

const askMilliseconds = 3_000;

/** Whether the service that a file tells of answers. Its process id would prove nothing: a system gives them out again. */
const isRunning = async ({ url, instance }: RunningService): Promise<boolean> => {
  try {
    const response = await fetch(`${url}${instancePath}`, { signal: AbortSignal.timeout(askMilliseconds) });
    return instanceResponse.parse(await response.json()).instance === instance;
  } catch {
    return false;
  }
};

/** Leaves word that a service runs from this data directory. Whoever reads it finds the whole of it or nothing. */
export const announceService = async (dataDirectory: string, service: RunningService): Promise<void> => {
  const written = join(dataDirectory, `service.${randomUUID()}.new`);
  await writeFile(written, JSON.stringify(service), { mode: 0o600 });
  await rename(written, pathIn(dataDirectory));
};

/** Takes the word back. */
export const withdrawService = (dataDirectory: string): Promise<void> =>
  rm(pathIn(dataDirectory), { force: true });

const parse = (path: string, text: string): RunningService => {
  try {
    return serviceFile.parse(JSON.parse(text));
  } catch {
    throw new Error(
      `${path} is damaged, so it does not tell whether a service is running. Stop the one that is, if any, and delete that file.`,
    );
  }
};

/**
 * The service that runs from this data directory; `undefined` when there is none, or it was killed.
 *
 * @throws Error with a sentence when the file that would tell is damaged.
 */
export const findRunningService = async (dataDirectory: string): Promise<RunningService | undefined> => {
  const path = pathIn(dataDirectory);
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const service = parse(path, text);
  return (await isRunning(service)) ? service : undefined;
};

/**
 * Makes a folder and those above it, one by one: where none can be made at all, as below `/proc`, Node's own way of making
 * several tries for ever.
 */
const makeFolder = async (path: string): Promise<void> => {
  try {
    await mkdir(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await mkdir(path);
  }
};

/** Fails unless the folder, and each in it, can be written to. */
const checkWritable = async (folder: string): Promise<void> => {
  const entries = await readdir(folder, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  for (const each of [folder, ...folders]) await access(each, constants.W_OK | constants.X_OK);
};

/**
 * Makes the folder that holds the service's data, and makes sure that no other service uses it.
 *
 * @throws Error with a sentence that says what to do.
 */
export const claimDataDirectory = async (dataDirectory: string): Promise<void> => {
  try {
    await makeFolder(dataDirectory);
    await checkWritable(dataDirectory);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The data directory ${dataDirectory} cannot be made or used (${reason}). Set DATA_DIR to a folder that can be written to.`,
    );
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
