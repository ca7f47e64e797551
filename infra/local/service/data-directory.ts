import { mkdir } from "node:fs/promises";
import { findRunningService } from "./service-file.ts";

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
