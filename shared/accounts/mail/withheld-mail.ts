import * as z from "zod";
import type { Table, TableWrite } from "../../platform/storage/table.ts";
import { limitKeys } from "../limits/keys.ts";

/** Why an address gets no more mail: it does not exist, or its owner has complained. */
const withheldItem = z.object({ reason: z.enum(["bounce", "complaint"]), since: z.string() });

/** Why an address gets no more mail, and since when, as an ISO date. */
export type Withheld = z.infer<typeof withheldItem>;

/** Addresses that get no more mail until an operator lifts the block. */
export type WithheldMail = ReturnType<typeof createWithheldMail>;

/** The blocked addresses in the service's table; access pattern C8 of the README in `shared/accounts/limits`. */
export const createWithheldMail = (table: Pick<Table, "read" | "put" | "transact">) => ({
  /** Returns why an address is blocked, or `undefined`. */
  find: async (email: string): Promise<Withheld | undefined> => {
    const item = await table.read({ Key: limitKeys.withheldMail(email) });
    return item && withheldItem.parse(item);
  },
  add: (email: string, withheld: Withheld): Promise<void> =>
    table.put({ ...limitKeys.withheldMail(email), ...withheld }),
  /** Sends the address mails again. @param record what an operator's act is recorded with: both are written, or neither. */
  lift: async (email: string, record: TableWrite): Promise<void> => {
    await table.transact([{ delete: limitKeys.withheldMail(email) }, record]);
  },
});
