import type { Adapter, AdapterPayload } from "oidc-provider";

/** Above this number the oldest entry is deleted. */
const maxEntries = 500;

/** Stores a provider's state in memory: its sessions need not outlive it. */
export const memoryAdapter = (): ((name: string) => Adapter) => {
  const entries = new Map<string, { readonly payload: AdapterPayload; readonly expiresAt: number }>();
  const read = (key: string): AdapterPayload | undefined => {
    const entry = entries.get(key);
    return entry && entry.expiresAt > Date.now() ? entry.payload : undefined;
  };
  return (name) => {
    const keyOf = (id: string): string => `${name} ${id}`;
    const findBy = (member: "uid" | "userCode", value: string): AdapterPayload | undefined =>
      [...entries.keys()]
        .filter((key) => key.startsWith(keyOf("")))
        .map(read)
        .find((payload) => payload?.[member] === value);
    return {
      upsert: async (id, payload, expiresIn) => {
        entries.set(keyOf(id), { payload, expiresAt: Date.now() + (expiresIn ?? 3_600) * 1_000 });
        const [oldest] = entries.keys();
        if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
      },
      find: async (id) => read(keyOf(id)),
      findByUid: async (uid) => findBy("uid", uid),
      findByUserCode: async (userCode) => findBy("userCode", userCode),
      consume: async (id) => {
        const payload = read(keyOf(id));
        if (payload) payload["consumed"] = Math.floor(Date.now() / 1_000);
      },
      destroy: async (id) => {
        entries.delete(keyOf(id));
      },
      revokeByGrantId: async (grantId) => {
        for (const [key, { payload }] of entries) if (payload.grantId === grantId) entries.delete(key);
      },
    };
  };
};
