import type { Adapter, AdapterPayload } from "oidc-provider";

/** How much a stand-in remembers; what is oldest goes first. */
const most = 500;

/** Keeps what a provider remembers in memory, until it ends: a session there is worth nothing after a restart. */
export const memoryAdapter = (): ((name: string) => Adapter) => {
  const kept = new Map<string, { readonly payload: AdapterPayload; readonly expiresAt: number }>();
  const read = (key: string): AdapterPayload | undefined => {
    const entry = kept.get(key);
    return entry && entry.expiresAt > Date.now() ? entry.payload : undefined;
  };
  return (name) => {
    const keyOf = (id: string): string => `${name} ${id}`;
    const findBy = (member: "uid" | "userCode", value: string): AdapterPayload | undefined =>
      [...kept.keys()]
        .filter((key) => key.startsWith(keyOf("")))
        .map(read)
        .find((payload) => payload?.[member] === value);
    return {
      upsert: async (id, payload, expiresIn) => {
        kept.set(keyOf(id), { payload, expiresAt: Date.now() + (expiresIn ?? 3_600) * 1_000 });
        const [oldest] = kept.keys();
        if (kept.size > most && oldest !== undefined) kept.delete(oldest);
      },
      find: async (id) => read(keyOf(id)),
      findByUid: async (uid) => findBy("uid", uid),
      findByUserCode: async (userCode) => findBy("userCode", userCode),
      consume: async (id) => {
        const payload = read(keyOf(id));
        if (payload) payload["consumed"] = Math.floor(Date.now() / 1_000);
      },
      destroy: async (id) => {
        kept.delete(keyOf(id));
      },
      revokeByGrantId: async (grantId) => {
        for (const [key, { payload }] of kept) if (payload.grantId === grantId) kept.delete(key);
      },
    };
  };
};
