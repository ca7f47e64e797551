import * as z from "zod";
import type { ItemTable } from "../platform/storage/item-table.ts";
import { messagingKeys } from "./keys.ts";

/** One message of ours: the answer number `index`, from 0, to somebody's message. */
export interface SentReply {
  readonly sender: string;
  readonly messageId: string;
  readonly index: number;
}

/** What the platform reports about an answer it had taken. */
export const sendReceipt = z.object({
  /** The platform's id of the answer. */
  id: z.string(),
  /** The platform's error code, when it could not be delivered after all. */
  refusal: z.int().optional(),
});
export type SendReceipt = z.infer<typeof sendReceipt>;

/**
 * The reference that travels with an answer (`biz_opaque_callback_data`, at most 512 characters) and comes back in the
 * platform's reports about it. Whoever lost the response to a send learns by it whether the answer went out.
 */
export const writeReference = ({ sender, messageId, index }: SentReply): string =>
  JSON.stringify([sender, messageId, index]);

const reference = z.tuple([z.string().min(1), z.string().min(1), z.int().min(0)]);

/** The answer a reference names; `undefined` for one that somebody else's program wrote. */
export const readReference = (text: string): SentReply | undefined => {
  try {
    const [sender, messageId, index] = reference.parse(JSON.parse(text));
    return { sender, messageId, index };
  } catch {
    return undefined;
  }
};

/**
 * Notes a receipt with the message that was answered. A message that is unknown, or done with and not refused, is left
 * alone: most receipts come when nobody waits for them any more.
 */
export const saveReceipt = async (
  table: Pick<ItemTable, "update">,
  { sender, messageId, index }: SentReply,
  receipt: SendReceipt,
): Promise<void> => {
  const isWanted = receipt.refusal === undefined ? " AND attribute_not_exists(done_at)" : "";
  await table.update({
    Key: messagingKeys.message(sender, messageId),
    UpdateExpression: "SET receipts.#index = :receipt",
    ConditionExpression: `attribute_exists(receipts)${isWanted}`,
    ExpressionAttributeNames: { "#index": String(index) },
    ExpressionAttributeValues: { ":receipt": receipt },
  });
};
