import * as z from "zod";
import { daySeconds } from "../../platform/durations.ts";
import type { Table } from "../../platform/storage/table.ts";
import { limitKeys } from "../limits/keys.ts";

/** How long an address of a sign-in is remembered. */
const rememberedSeconds = 30 * daySeconds;

const signedInItem = z.object({ expires_at: z.int() });

/** The addresses from which accounts were signed in to, by the names that were used. */
export type SignInAddresses = ReturnType<typeof createSignInAddresses>;

/** Addresses in the service's table; access pattern C6 of the README in `shared/accounts/limits`. */
export const createSignInAddresses = (table: Table, now: () => number = Date.now) => ({
  /** Whether the name was used to sign in from the address, or its group, within 30 days. */
  isKnown: async (name: string, sourceAddress: string): Promise<boolean> => {
    const item = await table.read({ Key: limitKeys.signedInFrom(name, sourceAddress) });
    return item !== undefined && signedInItem.parse(item).expires_at * 1_000 > now();
  },

  /** @param names all names of the account. */
  remember: async (names: readonly string[], sourceAddress: string): Promise<void> => {
    const expires_at = Math.ceil(now() / 1_000) + rememberedSeconds;
    await Promise.all(
      names.map((name) => table.put({ ...limitKeys.signedInFrom(name, sourceAddress), expires_at })),
    );
  },
});
