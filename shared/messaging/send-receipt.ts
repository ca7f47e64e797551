import * as z from "zod";
import type { Table } from "../platform/storage/table.ts";
import { messagingKeys } from "./keys.ts";

/** One of our replies to a message, by its index. */
export interface SentReply {
  readonly sender: string;
  readonly messageId: string;
  readonly index: number;
}

/** The platform's report about a reply that it accepted. */
export const sendReceipt = z.object({
  /** The platform's id of the reply. */
  id: z.string(),
  /** The platform's error code when it could not deliver the reply. */
  refusal: z.int().optional(),
});
export type SendReceipt = z.infer<typeof sendReceipt>;

/**
 * Writes the reference that we send with a reply (`biz_opaque_callback_data`, at most 512 characters). The platform returns it in
 * its reports, so a worker that lost the response to a send can see whether the reply was sent.
 */
export const writeReference = ({ sender, messageId, index }: SentReply): string =>
  JSON.stringify([sender, messageId, index]);

const reference = z.tuple([z.string().min(1), z.string().min(1), z.int().min(0)]);

/** Reads a reference; `undefined` for one that another program wrote. */
export const readReference = (text: string): SentReply | undefined => {
  try {
    const [sender, messageId, index] = reference.parse(JSON.parse(text));
    return { sender, messageId, index };
  } catch {
    return undefined;
  }
};

/**
 * Stores a receipt with the message that the reply belongs to. Ignores an unknown message, and good news about a finished one:
 * most receipts arrive when the worker no longer needs them.
 */
export const saveReceipt = async (
  table: Pick<Table, "update">,
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
