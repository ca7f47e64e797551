import * as z from "zod";
import { keyVariable } from "../../platform/config/model-servers.ts";
import { cacheSecret, type ReadSecret } from "../../platform/config/secrets.ts";

/** Members that are no texts are ignored. */
const inferenceKeys = z.record(z.string(), z.string().optional().catch(undefined));

const ownKeyMissing = (server: string, other: string): string =>
  `The server of ${server} is at another origin than that of ${other}, whose key it does not get. Store a key for it ` +
  `(on this machine ${keyVariable(server)}), or the text none if it needs none.`;

/** The text in place of a key for a server that needs none. */
const noKey = "none";

/** Which key a server gets if none is stored under its name. */
export interface KeyRule {
  /** The server whose key it gets. */
  readonly substitute?: string;
  /** The server whose key it must not get, because it is at another origin. */
  readonly other?: string;
}

/**
 * Returns the key of a server; `undefined` for one that has none.
 *
 * @throws Error when none is stored and the other server has one: then it is not known whether this one needs none.
 */
export type KeyOf = (serverName: string, rule?: KeyRule) => Promise<string | undefined>;

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
  return async (serverName, { substitute = serverName, other } = {}) => {
    const keyByName = await keys.get();
    const key = keyByName[serverName] ?? keyByName[substitute];
    if (key === undefined && other !== undefined && (keyByName[other] ?? noKey) !== noKey) {
      throw new Error(ownKeyMissing(serverName, other));
    }
    return key === noKey ? undefined : key;
  };
};
