import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import * as z from "zod";
import { loggedRequest, type SentRequest } from "../../shared/accounts/requests/request-log.ts";
import type { LogEvent } from "../../shared/platform/telemetry/log-events.ts";

const decompress = promisify(gunzip);

/** A batch has at most 1 MB when CloudWatch sends it. */
const maxBytes = 16 * 1_024 * 1_024;

const subscription = z.object({ awslogs: z.object({ data: z.base64() }) });

/** What CloudWatch sends; a control message only checks that the function can be invoked. */
const batch = z.discriminatedUnion("messageType", [
  z.object({ messageType: z.literal("CONTROL_MESSAGE") }),
  z.object({
    messageType: z.literal("DATA_MESSAGE"),
    logEvents: z.array(z.object({ message: z.string() })),
  }),
]);

/** The fields of the last line of a request that its account may see. Others are dropped here. */
const lastLine = z
  .object({
    message: z.literal("request.answered" satisfies LogEvent),
    account_id: z.int(),
    timestamp: loggedRequest.shape.at,
    request_id: loggedRequest.shape.id,
    key_id: loggedRequest.shape.key,
    ...loggedRequest.pick({ operation: true, status: true, code: true, milliseconds: true, used: true })
      .shape,
  })
  .transform(({ account_id: userId, timestamp: at, request_id: id, key_id: key, message: _, ...rest }) => ({
    userId,
    request: { at, id, ...rest, ...(key === undefined ? {} : { key }) },
  }));

const parse = (message: string): SentRequest[] => {
  try {
    const { data } = lastLine.safeParse(JSON.parse(message));
    return data ? [data] : [];
  } catch {
    return [];
  }
};

/** Reads the requests in a batch of log lines. Other lines are left out. @throws Error when the event is no such batch. */
export const readLines = async (event: unknown): Promise<SentRequest[]> => {
  const { data } = subscription.parse(event).awslogs;
  const text = await decompress(Buffer.from(data, "base64"), { maxOutputLength: maxBytes });
  const content = batch.parse(JSON.parse(text.toString()));
  return content.messageType === "DATA_MESSAGE"
    ? content.logEvents.flatMap(({ message }) => parse(message))
    : [];
};
