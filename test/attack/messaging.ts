import { randomInt, randomUUID } from "node:crypto";
import * as z from "zod";
import { deliveryOf, postDelivery } from "../../infra/local/messaging/deliveries.ts";
import { idleHeader } from "../../infra/local/running-service.ts";
import { type Attack, attacksOf, heldIf, type Target } from "./attack.ts";
import { orderOf, thoughts, thoughtWord } from "./model-server.ts";
import { ask, read } from "./visitor.ts";

/** What the local service's deliveries are signed with, unless its operator has set another one. */
const appSecret = process.env["MESSAGING_APP_SECRET"] ?? "local-app-secret";

const newSender = (): string => `2567${randomInt(10_000_000, 99_999_999)}`;

const messageOf = (from: string, body: string): object => ({
  from,
  id: `wamid.${randomUUID()}`,
  timestamp: String(Math.floor(Date.now() / 1_000)),
  type: "text",
  text: { body },
});

const contactOf = (id: string, name: string): object => ({ profile: { name }, wa_id: id });

const deliver = async (
  target: Target,
  messages: readonly object[],
  contacts: readonly object[] = [],
): Promise<number> => {
  const response = await postDelivery(
    `${target.url}/tasks/webhook`,
    deliveryOf({ contacts, messages }),
    appSecret,
  );
  await response.arrayBuffer();
  return response.status;
};

const sentMessages = z.array(z.object({ to: z.string(), body: z.unknown() }));

/** The messages that a person received, each as the JSON sent, once no more arrive. */
const repliesTo = async (target: Target, person: string): Promise<string[]> => {
  for (let looks = 0; looks < 12; looks += 1) {
    const response = await ask(target, "/_local/messages");
    if (response.headers.get(idleHeader) === "true") {
      return read(response, sentMessages)
        .filter(({ to }) => to === person)
        .map(({ body }) => JSON.stringify(body));
    }
  }
  throw new Error("the assistant did not finish its replies");
};

const oddTexts = ["\uFFFE", "\uFFFF", "\u0000", "\uD83D", "\uDC00"];

/** What people send to the assistant: number 5, and a part of 7 and 10. */
export const messagingAttacks: readonly Attack[] = [
  ...attacksOf({ number: 5, needs: ["messages"] })({
    "texts that a queue refuses, in one delivery with another person's": async (target) => {
      const odd = oddTexts.map((text) => ({ person: newSender(), text: `hello ${text}` }));
      const innocent = newSender();
      const messages = [
        ...odd.map(({ person, text }) => messageOf(person, text)),
        messageOf(innocent, "hello"),
      ];
      const status = await deliver(target, messages);
      const replied = await Promise.all(
        odd.map(async ({ person }) => (await repliesTo(target, person)).length > 0),
      );
      const isBystanderServed = (await repliesTo(target, innocent)).length > 0;
      return heldIf(
        status === 200 && isBystanderServed && replied.every(Boolean),
        `the delivery ${status}, ${replied.filter(Boolean).length} of ${odd.length} got a reply, and the bystander ${isBystanderServed ? "as well" : "not"}`,
      );
    },
    "a name that a queue refuses, and a sender without a name behind it": async (target) => {
      const [odd, nameless] = [newSender(), newSender()];
      const status = await deliver(
        target,
        [messageOf(odd, "hello"), messageOf(nameless, "hello")],
        [contactOf(odd, "Nakato \uFFFE\uFFFF")],
      );
      const [first, second] = [await repliesTo(target, odd), await repliesTo(target, nameless)];
      const isMistaken = second.join().includes("Nakato");
      return heldIf(
        status === 200 && first.length > 0 && second.length > 0 && !isMistaken,
        `the delivery ${status}, ${[first, second].filter(({ length }) => length > 0).length} of 2 got a reply, ${isMistaken ? "the other's" : "the right"} name used`,
      );
    },
  }),
  ...attacksOf({ number: 7, needs: ["messages", "models"] })({
    "thoughts in the assistant's replies": async (target) => {
      const people = Object.keys(thoughts).map((form) => ({ form, person: newSender() }));
      for (const { form, person } of people) await deliver(target, [messageOf(person, orderOf(form))]);
      const leaking: string[] = [];
      for (const { form, person } of people) {
        const replies = await repliesTo(target, person);
        if (replies.length === 0 || replies.join().includes(thoughtWord)) leaking.push(form);
      }
      return heldIf(
        leaking.length === 0,
        `${people.length - leaking.length} of ${people.length} forms held back${leaking.length ? `, not: ${leaking.join(", ")}` : ""}`,
      );
    },
  }),
  ...attacksOf({ number: 10, needs: ["messages"], isLong: true })({
    "60 messages of one sender in a few seconds": async (target) => {
      const person = newSender();
      for (let batch = 0; batch < 6; batch += 1) {
        await deliver(
          target,
          Array.from({ length: 10 }, () => messageOf(person, "status")),
        );
      }
      const { length } = await repliesTo(target, person);
      // Thirty replies, for a new person what we store and a greeting, and one message that it is too much.
      return heldIf(length >= 1 && length <= 33, `60 sent, ${length} replies`);
    },
  }),
];
