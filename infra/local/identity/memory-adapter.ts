import type { Adapter, AdapterPayload } from "oidc-provider";

/** How much a stand-in remembers; what is oldest goes first. */
const max = 500;

/** Keeps what a provider remembers in memory, until it ends: a session there is worth nothing after a restart. */
export const memoryAdapter = (): ((name: string) => Adapter) => {
  const stored = new Map<string, { readonly payload: AdapterPayload; readonly expiresAt: number }>();
  const read = (key: string): AdapterPayload | undefined => {
    const entry = stored.get(key);
    return entry && entry.expiresAt > Date.now() ? entry.payload : undefined;
  };
  return (name) => {
    const keyOf = (id: string): string => `${name} ${id}`;
    const findBy = (member: "uid" | "userCode", value: string): AdapterPayload | undefined =>
      [...stored.keys()]
        .filter((key) => key.startsWith(keyOf("")))
        .map(read)
        .find((payload) => payload?.[member] === value);
    return {
      upsert: async (id, payload, expiresIn) => {
        stored.set(keyOf(id), { payload, expiresAt: Date.now() + (expiresIn ?? 3_600) * 1_000 });
        const [oldest] = stored.keys();
        if (stored.size > max && oldest !== undefined) stored.delete(oldest);
      },
      find: async (id) => read(keyOf(id)),
      findByUid: async (uid) => findBy("uid", uid),
      findByUserCode: async (userCode) => findBy("userCode", userCode),
      consume: async (id) => {
        const payload = read(keyOf(id));
        if (payload) payload["consumed"] = Math.floor(Date.now() / 1_000);
      },
      destroy: async (id) => {
        stored.delete(keyOf(id));
      },
      revokeByGrantId: async (grantId) => {
        for (const [key, { payload }] of stored) if (payload.grantId === grantId) stored.delete(key);
      },
    };
  };
};
