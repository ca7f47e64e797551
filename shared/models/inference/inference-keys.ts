import * as z from "zod";
import { cacheSecret, type ReadSecret } from "../../platform/config/secrets.ts";
import { minuteMilliseconds } from "../../platform/durations.ts";

/** Members that are no texts are ignored. */
const inferenceKeys = z.record(z.string(), z.string().optional().catch(undefined));

const cacheMilliseconds = 5 * minuteMilliseconds;

/** Returns the key of a server; `undefined` for one that has none. */
export type KeyOf = (serverName: string) => Promise<string | undefined>;

/**
 * The keys of model servers by their names, from the secret that holds them as one JSON object. The only server of a task has the
 * task's name; that of translation falls back to the key of chat. Read at the start and again every five minutes, so a changed key needs
 * no deployment. The result rejects when the secret has never been read successfully.
 */
export const inferenceKeysIn = (secretId: string, read: ReadSecret): KeyOf => {
  const keys = cacheSecret({
    name: "model servers' keys",
    maxAgeMilliseconds: cacheMilliseconds,
    load: async () => inferenceKeys.parse(JSON.parse((await read(secretId)) ?? "{}")),
  });
  // If this fails, the first request reads it again.
  keys.get().catch(() => undefined);
  return async (serverName) => {
    const keyByName = await keys.get();
    return keyByName[serverName] ?? (serverName === "translation" ? keyByName["chat"] : undefined);
  };
};
