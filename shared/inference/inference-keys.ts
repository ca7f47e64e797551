import * as z from "zod";
import { readSecret } from "../config/secrets.ts";

/** The tasks whose servers may ask for a key. */
export type InferenceTask = "chat" | "translation" | "transcription" | "speech";

const inferenceKeys = z.object({
  chat: z.string().optional(),
  translation: z.string().optional(),
  transcription: z.string().optional(),
  speech: z.string().optional(),
});

const keptForMilliseconds = 5 * 60_000;

/**
 * The key of a task's server, from the secret that holds them as one JSON object. Translation falls back to the key
 * of chat. Read while the function starts and again every five minutes, so that a changed key needs no deployment.
 *
 * @throws Error when the secret cannot be read or is not such an object.
 */
export const inferenceKey = (secretId: string, task: InferenceTask): (() => Promise<string | undefined>) => {
  let reading: Promise<z.output<typeof inferenceKeys>> | undefined;
  let readAt = 0;
  const read = async () => inferenceKeys.parse(JSON.parse((await readSecret(secretId)) ?? "{}"));
  const start = () => {
    readAt = performance.now();
    reading = read();
    reading.catch(() => {
      reading = undefined;
    });
    return reading;
  };
  start();
  return async () => {
    const isFresh = performance.now() - readAt <= keptForMilliseconds;
    const keys = await (isFresh && reading ? reading : start());
    return keys[task] ?? (task === "translation" ? keys.chat : undefined);
  };
};
