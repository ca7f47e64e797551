import * as z from "zod";
import { deleteItems, readPartition, type Table } from "../storage/table.ts";
import { messagingKeys } from "./keys.ts";

const storedItem = z.object({ PK: z.string(), SK: z.string(), alias_of: z.string().optional() });

/**
 * Deletes everything the assistant knows of a person: preferences, memory, ratings, records of messages.
 *
 * @param sender the id or the phone number by which the platform names the person.
 * @returns how many items were deleted; 0 when nothing was known.
 */
export const forgetSender = async (table: Table, sender: string): Promise<number> => {
  const found = await readPartition(table, messagingKeys.sender(sender), ["PK", "SK", "alias_of"]);
  const items = found.map((item) => storedItem.parse(item));

  // The other id first: should this fail half-way, the number still leads to what is left.
  const target = items.find(({ alias_of }) => alias_of !== undefined)?.alias_of;
  const ofTarget = target === undefined ? 0 : await forgetSender(table, target);
  await deleteItems(table, items);
  return items.length + ofTarget;
};
