import * as z from "zod";
import type { Table } from "../../platform/storage/table.ts";
import { limitKeys } from "../limits/keys.ts";

/** Why an address gets no more mail: it does not exist, or its owner has complained. */
const withheldItem = z.object({ reason: z.enum(["bounce", "complaint"]), since: z.string() });

/** Why an address gets no more mail, and since when, as an ISO date. */
export type Withheld = z.infer<typeof withheldItem>;

/** Addresses that get no more mail until an operator lifts the block. */
export interface WithheldMail {
  /** Returns why an address is blocked, or `undefined`. */
  find(email: string): Promise<Withheld | undefined>;
  add(email: string, withheld: Withheld): Promise<void>;
  lift(email: string): Promise<void>;
}

/** The blocked addresses in the service's table; access pattern C8 of the README in `shared/accounts/limits`. */
export const createWithheldMail = (table: Pick<Table, "read" | "put" | "delete">): WithheldMail => ({
  find: async (email) => {
    const item = await table.read({ Key: limitKeys.withheldMail(email) });
    return item && withheldItem.parse(item);
  },
  add: (email, withheld) => table.put({ ...limitKeys.withheldMail(email), ...withheld }),
  lift: (email) => table.delete(limitKeys.withheldMail(email)),
});
