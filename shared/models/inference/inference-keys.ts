import * as z from "zod";
import { cacheSecret, type ReadSecret } from "../../platform/config/secrets.ts";

/** Members that are no texts are ignored. */
const inferenceKeys = z.record(z.string(), z.string().optional().catch(undefined));

/** The text in place of a key for a server that needs none. */
const noKey = "none";

/** Returns the key of a server; `undefined` for one that has none. @param substitute the server whose key it gets if none is stored. */
export type KeyOf = (serverName: string, substitute?: string) => Promise<string | undefined>;

/**
 * The keys of model servers by their names, from the secret that holds them as one JSON object. The only server of a task has the
 * task's name. Read at the start and again every five minutes, so a changed key needs
 * no deployment. The result rejects when the secret has never been read successfully.
 */
export const inferenceKeysIn = (secretId: string, read: ReadSecret): KeyOf => {
  const keys = cacheSecret({
    name: "model servers' keys",
    load: async () => inferenceKeys.parse(JSON.parse((await read(secretId)) ?? "{}")),
  });
  // If this fails, the first request reads it again.
  keys.get().catch(() => undefined);
  return async (serverName, substitute = serverName) => {
    const keyByName = await keys.get();
    const key = keyByName[serverName] ?? keyByName[substitute];
    return key === noKey ? undefined : key;
  };
};
