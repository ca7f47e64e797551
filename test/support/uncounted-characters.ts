import type { CharacterQuota } from "../../shared/accounts/limits/character-quota.ts";

const status = { used: 0, limit: undefined, resetSeconds: 60 };

/** A quota of characters without a limit, for tests of other things. */
export const uncountedCharacters: CharacterQuota = {
  charge: async () => status,
  refund: async () => status,
  read: async () => status,
};
