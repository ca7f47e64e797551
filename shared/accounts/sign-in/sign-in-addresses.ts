import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
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
export const createSignInAddresses = (
  { client, name: TableName }: Table,
  now: () => number = Date.now,
): SignInAddresses => ({
  isKnown: async (name, sourceAddress) => {
    const Key = limitKeys.signedInFrom(name, sourceAddress);
    const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
    return Item !== undefined && signedInItem.parse(Item).expires_at * 1_000 > now();
  },

  remember: async (names, sourceAddress) => {
    const expires_at = Math.ceil(now() / 1_000) + rememberedSeconds;
    await Promise.all(
      names.map((name) =>
        client.send(
          new PutCommand({
            TableName,
            Item: { ...limitKeys.signedInFrom(name, sourceAddress), expires_at },
          }),
        ),
      ),
    );
  },
});
