import * as z from "zod";
import { daySeconds } from "../../platform/durations.ts";
import type { Table } from "../../platform/storage/table.ts";
import { limitKeys } from "../limits/keys.ts";

/** How long it is remembered that somebody signed in from an address. */
const rememberedSeconds = 30 * daySeconds;

const signedInItem = z.object({ expires_at: z.int() });

/** From where accounts were signed in to, by the names they sign in with. */
export interface SignInAddresses {
  /** Whether somebody has signed in with the name from the address, or its group, within 30 days. */
  isKnown(name: string, sourceAddress: string): Promise<boolean>;
  /** @param names all with which the account signs in. */
  remember(names: readonly string[], sourceAddress: string): Promise<void>;
}

/** Addresses in the service's table; access pattern C6 of the README in `shared/accounts/limits`. */
export const createSignInAddresses = (table: Table, now: () => number = Date.now): SignInAddresses => ({
  isKnown: async (name, sourceAddress) => {
    const item = await table.read({ Key: limitKeys.signedInFrom(name, sourceAddress) });
    return item !== undefined && signedInItem.parse(item).expires_at * 1_000 > now();
  },

  remember: async (names, sourceAddress) => {
    const expires_at = Math.ceil(now() / 1_000) + rememberedSeconds;
    await Promise.all(
      names.map((name) => table.put({ ...limitKeys.signedInFrom(name, sourceAddress), expires_at })),
    );
  },
});
