import type { SQSEvent } from "aws-lambda";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createMailLimits } from "../../functions/mail/mail-limits.ts";
import { sendMail } from "../../functions/mail/send-mail.ts";
import { noteFeedback } from "../../functions/mail-feedback/note-feedback.ts";
import type { MailRequest } from "../../shared/accounts/mail/mail-request.ts";
import { createWithheldMail } from "../../shared/accounts/mail/withheld-mail.ts";
import { createAccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import { createLinksRepository } from "../../shared/accounts/repositories/links-repository.ts";
import { linkSecretsIn } from "../support/canary.ts";
import {
  type FakeBackend,
  hanging,
  resetting,
  responding,
  startFakeBackend,
} from "../support/fake-backend.ts";
import { lambdaContext } from "../support/lambda-event.ts";
import { startTestTable, type TestTable } from "../support/test-table.ts";

type MailHandler = typeof import("../../functions/mail/handler.ts")["handler"];

const sent = responding(200, { MessageId: "1" });
const failing = responding(500, { message: "no" });

let ses: FakeBackend;
let table: TestTable;
let handler: MailHandler;

/** The mail function as it is deployed, between the embedded table and a mail service of the test. */
beforeAll(async () => {
  [ses, table] = await Promise.all([startFakeBackend(), startTestTable()]);
  const variables = {
    AWS_REGION: "eu-west-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
    AWS_ENDPOINT_URL_DYNAMODB: table.address.endpoint,
    AWS_ENDPOINT_URL_SESV2: new URL(ses.baseUrl).origin,
    TABLE_NAME: table.address.name,
    MAIL_FROM: "Language AI <no-reply@example.com>",
    MAIL_CONFIGURATION_SET: "example-set",
    PUBLIC_BASE_URL: "https://api.example.com",
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  ({ handler } = await import("../../functions/mail/handler.ts"));
});
afterAll(async () => {
  await Promise.all([ses.close(), table.close()]);
  vi.unstubAllEnvs();
});
beforeEach(() => ses.behave(sent));

const register = async (username: string): Promise<MailRequest> => {
  const { id } = await createAccountsRepository(table.open()).create({
    username,
    email: `${username}@example.com`,
    password_hash: "none",
    organization: "Unknown",
    full_name: undefined,
    organization_type: undefined,
    sector: undefined,
  });
  return { kind: "verify-email", userId: id };
};

/** A batch of the queue, as Lambda hands it to the function; message ids are `0`, `1` and so on. */
const batchOf = (...requests: readonly MailRequest[]): SQSEvent => ({
  Records: requests.map((request, index) => ({
    messageId: String(index),
    receiptHandle: String(index),
    body: JSON.stringify(request),
    attributes: {
      ApproximateReceiveCount: "1",
      SentTimestamp: "0",
      SenderId: "test",
      ApproximateFirstReceiveTimestamp: "0",
    },
    messageAttributes: {},
    md5OfBody: "",
    eventSource: "aws:sqs",
    eventSourceARN: "arn:aws:sqs:eu-west-1:000000000000:mail.fifo",
    awsRegion: "eu-west-1",
  })),
});

const handle = (event: SQSEvent) => handler(event, lambdaContext(30_000));

/** Verifies an address. @returns whose it is; `undefined` when the link does not work. */
const useLink = async (secret = "none"): Promise<number | undefined> => {
  const links = createLinksRepository(table.open());
  const owner = await links.find(secret, "verify-email");
  return owner && (await links.verifyEmail(secret, owner.userId)) ? owner.userId : undefined;
};

describe("mails that a stranger requests again and again", () => {
  it("reach their recipient once a minute, unnoticed by the requester", async () => {
    const request = await register("irene");
    const before = ses.received.length;
    for (let round = 0; round < 5; round += 1) {
      const event = batchOf(...Array.from({ length: 9 }, () => request));
      for (const [index, record] of event.Records.entries()) record.messageId = `${round}-${index}`;
      expect(await handle(event)).toEqual({ batchItemFailures: [] });
    }
    expect(ses.received.length - before).toBe(1);
  });
});

describe("an address from which a mail came back for good", () => {
  it("gets no more mails, until an operator lifts it", async () => {
    const request = await register("hilda");
    const withheldMail = createWithheldMail(table.openForRequests());
    const timestamp = "2026-11-20T10:00:00.000Z";
    const bounced = (emailAddress: string) =>
      noteFeedback(
        {
          detail: {
            eventType: "Bounce",
            bounce: {
              bounceType: "Permanent",
              bounceSubType: "General",
              bouncedRecipients: [{ emailAddress }],
              timestamp,
            },
          },
        },
        withheldMail,
      );
    const sentNow = async () => {
      const before = ses.received.length;
      expect(await handle(batchOf(request))).toEqual({ batchItemFailures: [] });
      return ses.received.length - before;
    };
    // An ending that its provider does not take says nothing of the address itself.
    await bounced("hilda+x@example.com");
    expect(await sentNow()).toBe(1);
    expect(JSON.parse(ses.received.at(-1)?.body.toString() ?? "")).toMatchObject({
      ConfigurationSetName: "example-set",
    });
    await bounced("Hilda@example.com");
    expect(await withheldMail.find("hilda@Example.com")).toEqual({ reason: "bounce", since: timestamp });
    expect(await sentNow()).toBe(0);
    await withheldMail.lift("hilda@example.com", { put: { PK: "AUDIT#2026-11", SK: "an act" } });
    expect(await sentNow()).toBe(1);
  });
});

describe("a mail", () => {
  it("that the mail service does not take stays in the queue, with those behind it", async () => {
    const batch = batchOf(await register("amina"), await register("brian"), await register("carol"));
    ses.behave(sent, failing);
    expect(await handle(batch)).toEqual({
      batchItemFailures: [{ itemIdentifier: "1" }, { itemIdentifier: "2" }],
    });
    ses.behave(sent);
    expect(await handle({ Records: batch.Records.slice(1) })).toEqual({ batchItemFailures: [] });
    expect(linkSecretsIn(ses.received)).toHaveLength(2);
  });

  it("whose sending broke off is sent again with a link that works", async () => {
    const request = await register("daudi");
    ses.behave(resetting);
    expect(await handle(batchOf(request))).toEqual({ batchItemFailures: [{ itemIdentifier: "0" }] });
    ses.behave(sent);
    await handle(batchOf(request));
    expect(await useLink(linkSecretsIn(ses.received)[0])).toBe(
      request.kind === "verify-email" && request.userId,
    );
  });

  it("is sent even if its function was ended after the link was created", async () => {
    const request = await register("esther");
    const { promise: reached, resolve } = Promise.withResolvers<void>();
    const dependencies = {
      accounts: createAccountsRepository(table.open()),
      links: createLinksRepository(table.open()),
      limits: createMailLimits(table.open()),
      withheldMail: createWithheldMail(table.openForRequests()),
      baseUrl: "https://api.example.com",
      findKeyName: async () => "kiosk",
    };
    // What comes after never happens in a process that is gone.
    const deliver = () => {
      resolve();
      return new Promise<never>(() => undefined);
    };
    void sendMail(request, "0", { ...dependencies, deliver });
    await reached;
    expect(await handle(batchOf(request))).toEqual({ batchItemFailures: [] });
    expect(await useLink(linkSecretsIn(ses.received)[0])).toBeTypeOf("number");
  });

  it("that comes twice, because its function was ended before it could say so, works from either copy", async () => {
    const request = await register("farida");
    await handle(batchOf(request));
    await handle(batchOf(request));
    const [first, second] = linkSecretsIn(ses.received);
    expect(first).not.toBe(second);
    expect([await useLink(first), await useLink(second)]).toEqual([expect.any(Number), expect.any(Number)]);
  });

  it("is not sent a second time once its address was verified", async () => {
    const request = await register("grace");
    await handle(batchOf(request));
    expect(await useLink(linkSecretsIn(ses.received)[0])).toBeTypeOf("number");
    await handle(batchOf(request));
    expect(linkSecretsIn(ses.received)).toHaveLength(1);
  });

  it("that the mail service is silent about is given up while the function can still say so", async () => {
    const request = await register("hanna");
    ses.behave(hanging);
    expect(await handler(batchOf(request), lambdaContext(1_300))).toEqual({
      batchItemFailures: [{ itemIdentifier: "0" }],
    });
    // Left to itself, the client would have tried again after five seconds.
    expect(ses.received).toHaveLength(1);
  });
});
