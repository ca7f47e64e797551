import * as z from "zod";
import { sqsError } from "./sqs-errors.ts";

const receiptSchema = z.object({ queue: z.string(), sequence: z.number().int(), receipt: z.string() });

/** One delivery of one message: a later delivery of the same message has another `receipt`. */
export type Receipt = z.output<typeof receiptSchema>;

/** The opaque text that stands for a delivery on the wire. */
export const encodeReceiptHandle = (receipt: Receipt): string =>
  Buffer.from(JSON.stringify(receipt)).toString("base64");

const decode = (handle: string): unknown => {
  try {
    return JSON.parse(Buffer.from(handle, "base64").toString("utf8"));
  } catch {
    return undefined;
  }
};

/** @throws AwsError `ReceiptHandleIsInvalid` when the text is not a receipt handle of this queue. */
export const decodeReceiptHandle = (handle: string, queueName: string): Receipt => {
  const parsed = receiptSchema.safeParse(decode(handle));
  if (!parsed.success || parsed.data.queue !== queueName) {
    throw sqsError("ReceiptHandleIsInvalid", "The input receipt handle is invalid.");
  }
  return parsed.data;
};
