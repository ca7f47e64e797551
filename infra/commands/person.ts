import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { deliveryOf, postDelivery } from "../local/messaging/deliveries.ts";
import { idleHeader } from "../local/running-service.ts";

/** A person on the messaging platform, from the view of the local service. */
export interface Person {
  /** Their phone number, without the plus. */
  readonly id: string;
  readonly name: string;
  readonly serviceUrl: string;
  /** Signs deliveries. */
  readonly appSecret: string;
}

const sentMessages = z.array(
  z.object({ id: z.string(), to: z.string(), type: z.string(), body: z.unknown(), at: z.string() }),
);
export type PersonReply = z.output<typeof sentMessages>[number];

const webhookResponse = z.object({ status: z.string(), message: z.string().nullable() });

const requestMilliseconds = 10_000;
const lookAgainMilliseconds = 150;

const readReplies = async (person: Person): Promise<{ replies: PersonReply[]; isIdle: boolean }> => {
  const response = await fetch(`${person.serviceUrl}/_local/messages?wait=no`, {
    signal: AbortSignal.timeout(requestMilliseconds),
  });
  if (!response.ok)
    throw new Error("The service does not use the built-in messaging platform (MESSAGING_API_URL is set).");
  const all = sentMessages.parse(await response.json());
  return {
    replies: all.filter(({ to }) => to === person.id),
    isIdle: response.headers.get(idleHeader) === "true",
  };
};

/** Uploads a recording to the platform. @returns its id. */
export const uploadRecording = async (
  { serviceUrl }: Person,
  contentType: string,
  bytes: Uint8Array,
): Promise<string> => {
  const response = await fetch(`${serviceUrl}/_local/media`, {
    method: "POST",
    headers: { "Content-Type": contentType },
    body: Uint8Array.from(bytes),
    signal: AbortSignal.timeout(requestMilliseconds),
  });
  return z.object({ id: z.string() }).parse(await response.json()).id;
};

/** The id of the last reply to the person; `undefined` when there is none. */
export const lastReplyId = async (person: Person): Promise<string | undefined> =>
  (await readReplies(person)).replies.at(-1)?.id;

/** Sends a message to the service as the platform would deliver it. @throws Error when the webhook refuses it. */
export const sendMessage = async (person: Person, content: object): Promise<void> => {
  const message = {
    from: person.id,
    id: `wamid.${randomBytes(24).toString("base64")}`,
    timestamp: String(Math.floor(Date.now() / 1_000)),
    ...content,
  };
  const contacts = [{ profile: { name: person.name }, wa_id: person.id }];
  const response = await postDelivery(
    `${person.serviceUrl}/tasks/webhook`,
    deliveryOf({ contacts, messages: [message] }),
    person.appSecret,
  );
  const { status, message: reason } = webhookResponse.parse(await response.json());
  if (status !== "success") throw new Error(`The webhook responded "${status}". ${reason ?? ""}`.trim());
};

/** Runs `act`, and yields the replies to the person as they come, until the service is idle. */
export async function* repliesTo(person: Person, act: () => Promise<void>): AsyncGenerator<PersonReply> {
  let seen = (await readReplies(person)).replies.length;
  await act();
  for (;;) {
    const { replies, isIdle } = await readReplies(person);
    yield* replies.slice(seen);
    seen = replies.length;
    if (isIdle) return;
    await pause(lookAgainMilliseconds);
  }
}
