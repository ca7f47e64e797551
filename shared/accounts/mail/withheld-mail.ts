import * as z from "zod";
import type { Table } from "../../platform/storage/table.ts";
import { limitKeys } from "../limits/keys.ts";

/** Why an address gets no mail any more: nobody can be reached there, or whoever is does not want it. */
const withheldItem = z.object({ reason: z.enum(["bounce", "complaint"]), since: z.string() });

/** What is known of an address that gets no mail any more, and since when, as an ISO date. */
export type Withheld = z.infer<typeof withheldItem>;

/** Addresses that get no mail any more, until an operator lifts it. */
export interface WithheldMail {
  /** Why an address gets none; `undefined` for one that does. */
  find(email: string): Promise<Withheld | undefined>;
  add(email: string, withheld: Withheld): Promise<void>;
  lift(email: string): Promise<void>;
}

/** Such addresses in the service's table; access pattern C8 of the README in `shared/accounts/limits`. */
export const createWithheldMail = (table: Pick<Table, "read" | "put" | "delete">): WithheldMail => ({
  find: async (email) => {
    const item = await table.read({ Key: limitKeys.withheldMail(email) });
    return item && withheldItem.parse(item);
  },
  add: (email, withheld) => table.put({ ...limitKeys.withheldMail(email), ...withheld }),
  lift: (email) => table.delete(limitKeys.withheldMail(email)),
});
