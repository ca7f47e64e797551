import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPeopleRepository } from "../../../functions/messaging/person.ts";
import type { InboundMessage, MessageContent } from "../../../shared/messaging/inbound-message.ts";
import { messagingKeys } from "../../../shared/messaging/keys.ts";
import { findSenderData } from "../../../shared/messaging/sender-data.ts";
import type { Table } from "../../../shared/platform/storage/table.ts";
import {
  FakePlatform,
  newMessage,
  noLongRecordings,
  recordOf,
  replyBasics,
  startWorker,
} from "../../support/assistant.ts";
import { startTestTable, type TestTable } from "../../support/test-table.ts";
import { unsureJudgement } from "../../support/unsure-detector.ts";

let server: TestTable;
let table: Table;
beforeAll(async () => {
  server = await startTestTable();
  table = server.open();
});
afterAll(() => server.close());

/** The identifiers of one person, by the letters of the cases below. */
const identifiersOf = () => {
  const digits = `2567${String(Math.floor(Math.random() * 1e10)).padStart(10, "0")}`;
  return { phone: digits, otherPhone: `${digits}9`, userId: `UG.${digits}`, otherUserId: `UG.X${digits}` };
};
type Identifiers = ReturnType<typeof identifiersOf>;

/** How a message names its sender, as the webhook queues it. */
const forms = {
  phone: ({ phone }: Identifiers) => ({ sender: phone, phone }),
  "user id": ({ userId }: Identifiers) => ({ sender: userId }),
  both: ({ phone, userId }: Identifiers) => ({ sender: userId, phone }),
  "other phone": ({ otherPhone: phone }: Identifiers) => ({ sender: phone, phone }),
  "other user id": ({ otherUserId }: Identifiers) => ({ sender: otherUserId }),
  "both others": ({ otherPhone: phone, otherUserId }: Identifiers) => ({ sender: otherUserId, phone }),
};
type Form = keyof typeof forms;

/** Changes of identifiers, as the webhook queues them. */
const changes = {
  "user id changed": ({ userId, otherUserId }: Identifiers) => ({ sender: otherUserId, names: [userId] }),
  "number changed": ({ phone, otherPhone }: Identifiers) => ({ sender: otherPhone, names: [phone] }),
};
type Change = keyof typeof changes;

type Step = { readonly form: Form; readonly says: string } | { readonly change: Change };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    form: fc.constantFrom(...(Object.keys(forms) as Form[])),
    says: fc.constantFrom("hello", "STOP", "START", "set language luganda"),
  }),
  fc.record({ change: fc.constantFrom(...(Object.keys(changes) as Change[])) }),
);

/** A person with an assistant, and what is expected of it. */
class Expected {
  readonly #groups: Set<string>[] = [];
  readonly #stopped = new Set<Set<string>>();
  readonly #chose = new Set<Set<string>>();

  /** Joins names that a message connects. @returns all names of the person, as far as they are connected. */
  join(names: readonly string[]): Set<string> {
    const known = this.#groups.filter((group) => names.some((name) => group.has(name)));
    const joined = new Set([...names, ...known.flatMap((group) => [...group])]);
    for (const group of known) this.#groups.splice(this.#groups.indexOf(group), 1);
    this.#groups.push(joined);
    if (known.some((group) => this.#stopped.has(group))) this.#stopped.add(joined);
    if (known.some((group) => this.#chose.has(group))) this.#chose.add(joined);
    return joined;
  }

  isStopped = (group: Set<string>): boolean => this.#stopped.has(group);
  choseLuganda = (group: Set<string>): boolean => this.#chose.has(group);

  say(group: Set<string>, words: string): void {
    if (words === "STOP") this.#stopped.add(group);
    else if (words === "START") this.#stopped.delete(group);
    else if (words !== "hello" && !this.#stopped.has(group)) this.#chose.add(group);
  }
}

const setUp = () => {
  const platform = new FakePlatform(server.openForRequests());
  const worker = startWorker({
    table,
    platform,
    recordings: { ...noLongRecordings, clear: async () => undefined },
    models: {
      chat: { reply: async () => ({ text: "It is 42.", finishReason: "stop", usage: undefined }) },
      translator: { translate: async () => ({ text: "Webale", usage: undefined }) },
      ...unsureJudgement,
      transcriber: { transcribe: async () => ({ text: "Oli otya?", segments: undefined }) },
      platform: { download: async () => ({ bytes: new Uint8Array() }) },
      transcriptionRetry: { after: 120_000, pause: 1 },
      longRecordings: noLongRecordings,
      ...replyBasics,
    },
  });
  const handle = async (sender: Pick<InboundMessage, "sender" | "phone">, content: MessageContent) => {
    const { phone: _, ...message } = newMessage(content);
    const before = platform.taken.length;
    const sent = { ...message, ...sender, id: `wamid.${randomUUID()}` };
    // As the queue delivers what another message has interrupted.
    let attempts = 1;
    while (attempts < 5 && !(await worker.handle(recordOf(sent, { attempts })))) attempts += 1;
    expect(attempts).toBeLessThan(5);
    return platform.taken.length - before;
  };
  const say = (sender: Pick<InboundMessage, "sender" | "phone">, words: string) =>
    handle(sender, { type: "text", text: words });
  return { handle, say, people: createPeopleRepository(table) };
};

const namesIn = ({ sender, phone }: Pick<InboundMessage, "sender" | "phone">): string[] =>
  phone === undefined ? [sender] : [sender, phone];

const run = async (steps: readonly Step[]) => {
  const { handle, say, people } = setUp();
  const [identifiers, expected] = [identifiersOf(), new Expected()];
  for (const each of steps) {
    let group: Set<string>;
    if ("change" in each) {
      const { sender, names } = changes[each.change](identifiers);
      group = expected.join([sender, ...names]);
      expect(await handle({ sender }, { type: "identity", names })).toBe(0);
    } else {
      const sender = forms[each.form](identifiers);
      group = expected.join(namesIn(sender));
      const isSilent = expected.isStopped(group) && each.says !== "START";
      const replies = await say(sender, each.says);
      expect(replies > 0, `${replies} replies to ${each.says} by ${each.form}`).toBe(!isSilent);
      expected.say(group, each.says);
    }
    const found = await Promise.all([...group].map((name) => people.find({ sender: name })));
    for (const { person, conversation } of found) {
      expect(person.stoppedAt !== undefined).toBe(expected.isStopped(group));
      expect(conversation?.settings.language ?? "eng").toBe(expected.choseLuganda(group) ? "lug" : "eng");
    }
  }
  return { say, identifiers, expected };
};

const remaining = async (names: readonly string[]) => (await findSenderData(names, table)).items;

describe("A person", () => {
  it("is one, by each identifier and in every order of arrival: STOP and settings follow", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 7 }), async (steps) => {
        await run(steps);
      }),
      { numRuns: 60 },
    );
  });

  it("loses neither STOP nor a setting when messages under two identifiers are handled at once", async () => {
    const form = fc.constantFrom<Form>("phone", "user id", "both");
    const words = fc.constantFrom("hello", "STOP", "set language luganda");
    const message = fc.record({ form, says: words });
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 2 }), message, message, async (before, one, other) => {
        const { say, identifiers, expected } = await run(before);
        const both = forms.both(identifiers);
        await Promise.all([one, other].map(({ form: name, says }) => say(forms[name](identifiers), says)));
        const group = expected.join(namesIn(both));
        const wasStopped = expected.isStopped(group);
        const isStopped = wasStopped || one.says === "STOP" || other.says === "STOP";
        const replies = await say(both, "hello");
        expect(replies > 0).toBe(!isStopped);
        const chose = [one, other].some(({ says }) => says.startsWith("set"));
        // One after the other, STOP may have come first.
        if (isStopped && chose) return;
        const { people } = setUp();
        for (const name of Object.values(identifiers).slice(0, 1)) {
          const { conversation } = await people.find({ sender: name });
          const isChosen = chose || expected.choseLuganda(group);
          expect(conversation?.settings.language ?? "eng").toBe(isChosen ? "lug" : "eng");
        }
      }),
      { numRuns: 60 },
    );
  });

  it("is found after an upgrade by what was stored under the phone number alone", async () => {
    const { phone, userId } = identifiersOf();
    const stored = { exchanges: [], note: "", settings: { language: "lug", mode: "chat", voice: false } };
    const updated_at = "2026-11-20T08:00:00.000Z";
    await table.put({
      ...messagingKeys.conversation(phone),
      ...stored,
      updated_at,
      expires_at: 4_000_000_000,
    });
    const { say, people } = setUp();
    expect(await say({ sender: userId, phone }, "hello")).toBeGreaterThan(0);
    expect((await people.find({ sender: userId })).conversation?.settings.language).toBe("lug");
    const other = identifiersOf();
    await table.put({ ...messagingKeys.stopped(other.phone), stopped_at: updated_at });
    expect(await say({ sender: other.userId, phone: other.phone }, "hello")).toBe(0);
    expect(await say({ sender: other.userId }, "hello")).toBe(0);
  });

  it("is forgotten under all identifiers", async () => {
    const { say, identifiers } = await run([
      { form: "phone", says: "set language luganda" },
      { form: "user id", says: "hello" },
      { form: "both", says: "hello" },
      { change: "user id changed" },
      { change: "number changed" },
    ]);
    await say(forms["other user id"](identifiers), "forget me");
    await say(forms["other user id"](identifiers), "YES");
    for (const name of Object.values(identifiers)) {
      expect(await table.query({ partition: messagingKeys.sender(name) })).toEqual([]);
    }
  });

  it("sees the data that was stored under an identifier before", async () => {
    const { say, identifiers } = await run([
      { form: "phone", says: "hello" },
      { form: "both", says: "hello" },
    ]);
    const [byPhone, byUserId] = await Promise.all(
      [identifiers.phone, identifiers.userId].map((name) => remaining([name])),
    );
    expect(byUserId?.map(({ SK }) => SK).toSorted()).toEqual(byPhone?.map(({ SK }) => SK).toSorted());
    expect(await say({ sender: identifiers.userId }, "my data")).toBeGreaterThan(0);
  });

  it("who said STOP is still found after the links of others have expired", async () => {
    const { identifiers } = await run([
      { form: "both", says: "hello" },
      { form: "user id", says: "STOP" },
    ]);
    const alias = await table.read({ Key: messagingKeys.alias(identifiers.phone) });
    expect(alias).toMatchObject({ alias_of: identifiers.userId });
    expect(alias).not.toHaveProperty("expires_at");
  });
});
