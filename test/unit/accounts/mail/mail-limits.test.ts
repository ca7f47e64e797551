import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createMailLimits, type MailToSend } from "../../../../functions/mail/mail-limits.ts";
import { fakeTable } from "../../../support/fake-table.ts";

const put = z.object({
  Item: z.looseObject({ PK: z.string(), revision: z.int() }),
  ExpressionAttributeValues: z.object({ ":revision": z.int() }),
});
const get = z.object({ Key: z.object({ PK: z.string() }) });

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Limits over a table of a test, and its clock. */
const setup = () => {
  const items = new Map<string, z.output<typeof put>["Item"]>();
  let now = Date.parse("2026-11-20T10:00:00Z");
  const table = fakeTable(async ({ name, input }) => {
    if (name === "GetItem") return { Item: items.get(get.parse(input).Key.PK) };
    const { Item, ExpressionAttributeValues } = put.parse(input);
    const found = items.get(Item.PK);
    if (found && found.revision !== ExpressionAttributeValues[":revision"]) {
      throw new ConditionalCheckFailedException({ message: "It has changed.", $metadata: {} });
    }
    items.set(Item.PK, Item);
    return {};
  });
  const limits = createMailLimits(table, () => now);
  let requested = 0;
  const admit = (mail: Partial<MailToSend> = {}) => {
    requested += 1;
    return limits.admit({
      id: `message-${requested}`,
      kind: "verify-email",
      email: "amina@example.com",
      ...mail,
    });
  };
  /** Requests mails again and again. @returns how many would be sent. */
  const bomb = async (times: number, pause: number, mail: Partial<MailToSend> = {}) => {
    let sent = 0;
    for (let time = 0; time < times; time += 1) {
      if (await admit(mail)) sent += 1;
      now += pause;
    }
    return sent;
  };
  const pass = (milliseconds: number): void => {
    now += milliseconds;
  };
  return { admit, bomb, items, pass };
};

describe("A person who requests mails in another's name", () => {
  it.each(["verify-email", "reset-password"] as const)("gets one sent a minute: %s", async (kind) => {
    const { admit, bomb, pass } = setup();
    expect(await bomb(46, second, { kind })).toBe(1);
    pass(14 * second - 1);
    expect(await admit({ kind })).toBe(false);
    pass(1);
    expect(await admit({ kind })).toBe(true);
  });

  it("gets five sent a day, of all kinds together, and the next a day after the first", async () => {
    const { admit, bomb, pass } = setup();
    expect(await bomb(3, 10 * minute, { kind: "reset-password" })).toBe(3);
    expect(await bomb(60, 10 * minute)).toBe(2);
    pass(24 * hour - 63 * 10 * minute - 1);
    expect(await admit()).toBe(false);
    pass(1);
    expect(await admit()).toBe(true);
    expect(await admit({ kind: "reset-password" })).toBe(false);
  });

  it("may request a reset right after a registration", async () => {
    const { admit } = setup();
    expect([await admit(), await admit({ kind: "reset-password" })]).toEqual([true, true]);
  });

  it.each(["AMINA@Example.com", "amina+1@example.com", "amina+a+b@example.com"])(
    "gains nothing by writing the address in another way: %s",
    async (email) => {
      const { admit } = setup();
      expect(await admit()).toBe(true);
      expect(await admit({ email })).toBe(false);
    },
  );

  it("affects no one else", async () => {
    const { admit, bomb } = setup();
    await bomb(20, minute);
    expect(await admit({ email: "brian@example.com" })).toBe(true);
  });

  it("gains nothing by asking at the same moment", async () => {
    const { admit } = setup();
    const admitted = await Promise.all(Array.from({ length: 20 }, () => admit()));
    expect(admitted.filter(Boolean)).toHaveLength(1);
  });
});

describe("A mail that comes again because it could not be sent", () => {
  it("is still the same mail: it may be sent, and is counted once", async () => {
    const { admit, bomb, pass } = setup();
    const attempts = await Promise.all([1, 2, 3].map(() => admit({ id: "the-message" })));
    expect(attempts).toEqual([true, true, true]);
    pass(minute);
    expect(await bomb(10, minute)).toBe(4);
    expect(await admit({ id: "the-message" })).toBe(true);
  });
});

describe("What is stored of a recipient", () => {
  it("does not tell the address, and goes after a day", async () => {
    const { admit, items } = setup();
    await admit();
    const [item] = items.values();
    expect(item).toMatchObject({ expires_at: Date.parse("2026-11-21T10:00:00Z") / 1_000 });
    expect(JSON.stringify(item)).not.toContain("amina");
  });
});
