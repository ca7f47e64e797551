import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createMessageRecords } from "../../../functions/messaging/message-records.ts";
import { messagingKeys } from "../../../shared/messaging/keys.ts";
import { fakeTable, type TableCall } from "../../support/fake-table.ts";

const now = Date.parse("2026-11-20T10:00:00Z");
const message = {
  id: "wamid.1",
  sender: "256700000001",
  phoneNumberId: "1",
  content: { type: "text", text: "Oli otya?" },
} as const;
const attempt = { queueMessageId: "q-1", receiveCount: 2, isDeadLettered: false, milliseconds: 90_000 };

const setUp = () => {
  const calls: TableCall[] = [];
  const records = createMessageRecords(
    fakeTable(async (call) => {
      calls.push(call);
      return { Attributes: {} };
    }),
  );
  return { calls, records };
};

beforeEach(() => {
  vi.useFakeTimers({ now });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("an attempt at a message", () => {
  it("claims it for its own time, keeps it for eight days and begins with no receipts", async () => {
    const { calls, records } = setUp();
    expect(await records.claim(message, attempt)).toMatchObject({
      kind: "claimed",
      record: { receipts: {} },
    });
    expect(calls).toMatchObject([
      {
        name: "UpdateItem",
        input: {
          Key: messagingKeys.message("256700000001", "wamid.1"),
          UpdateExpression:
            "SET claimed_by = :owner, receive_count = :count, lease_until = :lease, expires_at = :expiry, " +
            "receipts = if_not_exists(receipts, :none)",
          ConditionExpression:
            "attribute_not_exists(PK) OR (attribute_not_exists(done_at) AND (lease_until < :now OR " +
            "(claimed_by = :owner AND receive_count < :count)))",
          ExpressionAttributeValues: {
            ":owner": "q-1",
            ":count": 2,
            ":lease": now + 90_000,
            ":expiry": now / 1_000 + 8 * 24 * 60 * 60,
            ":none": {},
            ":now": now,
          },
        },
      },
    ]);
  });

  it("of the dead-letter queue takes over regardless of the lease", async () => {
    const { calls, records } = setUp();
    await records.claim(message, { ...attempt, isDeadLettered: true });
    expect(calls).toMatchObject([
      {
        input: {
          ConditionExpression: "attribute_not_exists(PK) OR (attribute_not_exists(done_at))",
          ExpressionAttributeValues: { ":owner": "dead-lettered:q-1" },
        },
      },
    ]);
    expect(JSON.stringify(calls)).not.toContain(":now");
  });

  it.each([
    ["that something is on its way", { sending_since: now }, ", #sending_since = :sending_since"],
    ["that nothing is pending", {}, " REMOVE sending_since"],
  ])("saves how far it is, and %s", async (_case, sending, end) => {
    const { calls, records } = setUp();
    await records.save(message, attempt, {
      outputs: [],
      settled: 1,
      replies: ["wamid.2"],
      refusals: [],
      ...sending,
    });
    expect(calls).toMatchObject([
      {
        input: {
          UpdateExpression: `SET #outputs = :outputs, #settled = :settled, #replies = :replies, #refusals = :refusals${end}`,
          ConditionExpression:
            "claimed_by = :owner AND receive_count = :count AND attribute_not_exists(done_at)",
          ExpressionAttributeValues: { ":owner": "q-1", ":count": 2, ":settled": 1, ":replies": ["wamid.2"] },
        },
      },
    ]);
  });
});
