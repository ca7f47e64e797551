import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { noteFeedback } from "../../../../functions/mail-feedback/note-feedback.ts";
import { limitKeys } from "../../../../shared/accounts/limits/keys.ts";
import { createWithheldMail, type Withheld } from "../../../../shared/accounts/mail/withheld-mail.ts";
import type { Item, ItemKey } from "../../../../shared/platform/storage/table.ts";
import { logger } from "../../../../shared/platform/telemetry/logger.ts";

/** An event as SES publishes it to EventBridge, with other words in a part of its detail. */
const event = async (
  sample: "bounce" | "complaint",
  changes: Record<string, unknown> = {},
): Promise<{ readonly detail: object }> => {
  const published = z
    .looseObject({ detail: z.looseObject({ [sample]: z.looseObject({}) }) })
    .parse(JSON.parse(await readFile(`events/mail-feedback/${sample}.json`, "utf8")));
  return {
    ...published,
    detail: { ...published.detail, [sample]: { ...published.detail[sample], ...changes } },
  };
};

const add = vi.fn(async (_email: string, _withheld: Withheld) => undefined);
const note = (published: unknown) => noteFeedback(published, { add });

beforeEach(() => void vi.spyOn(logger, "info").mockReturnValue());
afterEach(() => {
  vi.restoreAllMocks();
  add.mockClear();
});

describe("An address gets no more mails", () => {
  it.each([
    ["bounce", "2026-11-20T10:00:04.000Z", "General"],
    ["complaint", "2026-11-20T11:00:00.000Z", "abuse"],
  ] as const)("after a %s, and the log does not name it", async (reason, since, kind) => {
    await note(await event(reason));
    expect(add).toHaveBeenCalledExactlyOnceWith("amina@example.com", { reason, since });
    expect(vi.mocked(logger.info).mock.calls).toEqual([["mail.feedback", { reason, kind, addresses: 1 }]]);
  });

  it("after a complaint whose kind its provider does not tell", async () => {
    await note(await event("complaint", { complaintFeedbackType: undefined, userAgent: undefined }));
    expect(add).toHaveBeenCalledOnce();
  });

  it("also when it is named as the mail spelled it", async () => {
    const bouncedRecipients = [
      { emailAddress: "Amina O. <amina@example.com>" },
      { emailAddress: " b@example.com " },
    ];
    await note(await event("bounce", { bouncedRecipients }));
    expect(add.mock.calls.map(([email]) => email)).toEqual(["amina@example.com", "b@example.com"]);
  });
});

describe("An address continues to get mails", () => {
  it.each([
    [
      "was full or could not be reached for a while",
      "bounce",
      { bounceType: "Transient", bounceSubType: "MailboxFull" },
    ],
    [
      "sent back something that SES does not understand",
      "bounce",
      { bounceType: "Undetermined", bounceSubType: "Undetermined" },
    ],
    ["was said to take no mail of ours for spam", "complaint", { complaintFeedbackType: "not-spam" }],
  ] as const)("when it %s", async (_case, sample, changes) => {
    await note(await event(sample, changes));
    expect(add).not.toHaveBeenCalled();
    expect(logger.info).not.toHaveBeenCalled();
  });

  it("when a mail to it arrived", async () => {
    const { detail } = await event("bounce");
    const delivery = { timestamp: "2026-11-20T10:00:03.000Z", recipients: ["amina@example.com"] };
    await note({ detail: { ...detail, eventType: "Delivery", bounce: undefined, delivery } });
    expect(add).not.toHaveBeenCalled();
  });
});

describe("What SES says", () => {
  it("comes again when it is not understood, or cannot be noted", async () => {
    await expect(note({ "detail-type": "Email Bounced" })).rejects.toThrow();
    await expect(note(await event("bounce", { bouncedRecipients: "everybody" }))).rejects.toThrow();
    const failure = new Error("The table does not answer.");
    add.mockRejectedValueOnce(failure);
    await expect(note(await event("bounce"))).rejects.toBe(failure);
  });
});

describe("What is stored about an address that gets no more mails", () => {
  it("does not tell the address, has no end, and goes when an operator lifts it", async () => {
    const items = new Map<string, Item>();
    const records: Item[] = [];
    const record = { PK: "AUDIT#2026-11", SK: "an act" };
    const nameOf = ({ PK, SK }: Item | ItemKey) => `${PK} ${SK}`;
    const withheldMail = createWithheldMail({
      read: async ({ Key }) => items.get(nameOf(Key)),
      put: async (item) => void items.set(nameOf(item), item),
      transact: async (writes) => {
        for (const write of writes) {
          if ("delete" in write) items.delete(nameOf(write.delete));
          if ("put" in write) records.push(write.put);
        }
        return { applied: true, failures: [] };
      },
    });
    await withheldMail.add("Amina@Example.com", { reason: "complaint", since: "2026-11-20T11:00:00.000Z" });
    const [item] = items.values();
    expect(item).toEqual({
      ...limitKeys.withheldMail("amina@example.com"),
      reason: "complaint",
      since: "2026-11-20T11:00:00.000Z",
    });
    expect(JSON.stringify(item).toLowerCase()).not.toContain("amina");
    expect(await withheldMail.find("amina@example.com")).toMatchObject({ reason: "complaint" });
    expect(await withheldMail.find("amina+1@example.com")).toBeUndefined();
    await withheldMail.lift("AMINA@example.com", { put: record });
    expect(records).toEqual([record]);
    expect(await withheldMail.find("amina@example.com")).toBeUndefined();
    expect(items.size).toBe(0);
  });
});
