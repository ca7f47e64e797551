import { randomUUID } from "node:crypto";
import { access, constants, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as z from "zod";

const serviceFile = z.object({
  /** Identifies the service: the route `instancePath` returns it. */
  instance: z.string().min(1),
  url: z.url(),
  tableName: z.string(),
  /** The bucket of audio files. */
  bucketName: z.string().optional(),
  /** The queue of mails. */
  mailQueueUrl: z.string().optional(),
  /** Variables with which an AWS SDK calls the embedded services as an operator. */
  sdkVariables: z.record(z.string(), z.string()),
});

/** The data with which other commands find a running service. */
type RunningService = z.output<typeof serviceFile>;

const pathIn = (dataDirectory: string): string => join(dataDirectory, "service.json");

/** The route that returns a service's `instance`. */
export const instancePath = "/_local/service";

const instanceResponse = z.object({ instance: z.string() });

const timeoutMilliseconds = 3_000;

/** Whether the service of a file responds. A process id would prove nothing, because systems reuse them. */
const isRunning = async ({ url, instance }: RunningService): Promise<boolean> => {
  try {
    const response = await fetch(`${url}${instancePath}`, {
      signal: AbortSignal.timeout(timeoutMilliseconds),
    });
    return instanceResponse.parse(await response.json()).instance === instance;
  } catch {
    return false;
  }
};

/** Writes the file about a running service to its data directory, in one step. */
export const announceService = async (dataDirectory: string, service: RunningService): Promise<void> => {
  const written = join(dataDirectory, `service.${randomUUID()}.new`);
  await writeFile(written, JSON.stringify(service), { mode: 0o600 });
  await rename(written, pathIn(dataDirectory));
};

/** Deletes the file about a running service. */
export const withdrawService = (dataDirectory: string): Promise<void> =>
  rm(pathIn(dataDirectory), { force: true });

const parse = (path: string, text: string): RunningService => {
  try {
    return serviceFile.parse(JSON.parse(text));
  } catch {
    throw new Error(
      `${path} is damaged, so a running service cannot be found. Stop the service if it is running, and delete the file.`,
    );
  }
};

/**
 * Returns the service that runs from this data directory; `undefined` when there is none, or it was killed.
 *
 * @throws Error when the file about it is damaged.
 */
export const findRunningService = async (dataDirectory: string): Promise<RunningService | undefined> => {
  const path = pathIn(dataDirectory);
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const service = parse(path, text);
  return (await isRunning(service)) ? service : undefined;
};

/**
 * Creates a folder and its parents one by one. Node's recursive option never ends where no folder can be created, as below
 * `/proc`.
 */
const createFolder = async (path: string): Promise<void> => {
  try {
    await mkdir(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(path) === path) throw error;
    await createFolder(dirname(path));
    await mkdir(path);
  }
};

/** Throws unless the folder and its subfolders are writable. */
const checkWritable = async (folder: string): Promise<void> => {
  const entries = await readdir(folder, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  for (const each of [folder, ...folders]) await access(each, constants.W_OK | constants.X_OK);
};

/**
 * Creates the folder for the service's data, and checks that no other service uses it.
 *
 * @throws Error with a message that says what to do.
 */
export const claimDataDirectory = async (dataDirectory: string): Promise<void> => {
  try {
    await createFolder(dataDirectory);
    await checkWritable(dataDirectory);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The data directory ${dataDirectory} cannot be created or used (${reason}). Set DATA_DIR to a writable folder.`,
    );
  }
  const running = await findRunningService(dataDirectory);
  if (!running) return;
  throw new Error(
    `A service is already running from ${dataDirectory}, at ${running.url}. Stop it, or set DATA_DIR to another folder.`,
  );
};

/** Returns the route that invokes a function with an event, like Lambda's API. */
export const functionPath = (feature: string): string => `/_local/functions/${feature}/invocations`;

/** Header of `GET /_local/messages`: `true` when all replies have been sent, else `false`. */
export const idleHeader = "X-Queue-Idle";
