import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  GetAccountCommand,
  SESv2Client,
  SendEmailCommand,
  type SendEmailCommandInput,
} from "@aws-sdk/client-sesv2";
import { createTransport } from "nodemailer";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type SesServer, startSes } from "../src/ses/ses-server.ts";

let dataDirectory: string;
let ses: SesServer;
let client: SESv2Client;

beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), "ses-test-"));
  await start();
});

afterEach(async () => {
  await stop();
  await rm(dataDirectory, { recursive: true });
});

const start = async (): Promise<void> => {
  ses = await startSes({ dataDirectory });
  client = new SESv2Client({
    endpoint: ses.endpoint,
    region: "us-east-1",
    maxAttempts: 1,
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
};

const stop = async (): Promise<void> => {
  client.destroy();
  await ses.close();
};

const transport = () => createTransport({ SES: { sesClient: client, SendEmailCommand } });

const simple = (changes: Partial<SendEmailCommandInput> = {}): SendEmailCommand =>
  new SendEmailCommand({
    FromEmailAddress: "a@example.com",
    Destination: { ToAddresses: ["b@example.com"] },
    Content: { Simple: { Subject: { Data: "Hello" }, Body: { Text: { Data: "text" } } } },
    ...changes,
  });

const raw = (message: string): SendEmailCommandInput["Content"] => ({ Raw: { Data: Buffer.from(message) } });

describe("A mail sent with nodemailer", () => {
  it("is listed with its recipients, subject, text and HTML", async () => {
    const text = `Okukakasa: https://example.com/auth/verify-email?token=${"a1=".repeat(60)}\n`;
    const before = new Date().toISOString();
    const sent = await transport().sendMail({
      from: { name: "Okuvvuunula ŋŋ", address: "no-reply@example.com" },
      to: ["Rose <rose@example.com>", "ulo@exämple.com"],
      bcc: "hidden@example.com",
      subject: "Kakasa endagiriro ya imeyilo yo – ŋŋaali",
      text,
      html: "<p>Kakasa ŋ</p>",
    });

    expect(sent.messageId).toMatch(/^<[0-9a-f]{16}-[0-9a-f-]{36}-000000@email\.amazonses\.com>$/);
    expect(ses.sentMail()).toEqual([
      {
        to: ["rose@example.com", "ulo@xn--exmple-cua.com", "hidden@example.com"],
        from: "Okuvvuunula ŋŋ <no-reply@example.com>",
        subject: "Kakasa endagiriro ya imeyilo yo – ŋŋaali",
        text,
        html: "<p>Kakasa ŋ</p>",
        at: expect.any(String),
      },
    ]);
    const at = ses.sentMail()[0]?.at ?? "";
    expect(new Date(at).toISOString()).toBe(at);
    expect(at >= before).toBe(true);
  });

  it("follows those sent before it, and all are stored across a restart", async () => {
    for (const subject of ["first", "second", "third"]) {
      await transport().sendMail({ from: "a@example.com", to: "b@example.com", subject, text: "x" });
    }
    await stop();
    await start();

    expect(ses.sentMail().map(({ subject }) => subject)).toEqual(["first", "second", "third"]);
  });

  it("is refused when it has no recipient", async () => {
    await expect(
      transport().sendMail({ from: "a@example.com", subject: "x", text: "x" }),
    ).rejects.toMatchObject({ name: "BadRequestException" });
    expect(ses.sentMail()).toEqual([]);
  });

  it("has a transport whose verification succeeds and leaves no mail behind", async () => {
    expect(await transport().verify()).toBe(true);
    expect(ses.sentMail()).toEqual([]);
  });
});

describe("A mail sent with the SDK", () => {
  it("may be simple content with names beyond ASCII, copies and tags", async () => {
    const { MessageId } = await client.send(
      simple({
        FromEmailAddress: "Сервис <a@example.com>",
        Destination: {
          ToAddresses: ["b@example.com"],
          CcAddresses: ["C <c@example.com>"],
          BccAddresses: ["d@example.com"],
        },
        ReplyToAddresses: ["r@example.com"],
        EmailTags: [{ Name: "kind", Value: "welcome" }],
        Content: {
          Simple: {
            Subject: { Data: "Привет" },
            Body: { Text: { Data: "text" }, Html: { Data: "<b>html</b>" } },
            Attachments: [{ FileName: "a.txt", RawContent: Buffer.from("file"), ContentType: "text/plain" }],
          },
        },
      }),
    );

    expect(MessageId).toMatch(/-000000$/);
    expect(ses.sentMail()).toMatchObject([
      {
        from: "Сервис <a@example.com>",
        to: ["b@example.com", "c@example.com", "d@example.com"],
        subject: "Привет",
        text: "text",
        html: "<b>html</b>",
      },
    ]);
  });

  it("may be raw content that names its recipients itself", async () => {
    const message =
      "From: a@example.com\r\nTo: b@example.com, c@example.com\r\nSubject: raw\r\n\r\nhello\r\n";
    await client.send(new SendEmailCommand({ Content: raw(message) }));

    expect(ses.sentMail()).toMatchObject([
      {
        from: "a@example.com",
        to: ["b@example.com", "c@example.com"],
        subject: "raw",
        text: "hello",
        html: "",
      },
    ]);
  });

  it("may be large", async () => {
    const text = "x".repeat(5_000_000);
    await client.send(
      simple({ Content: { Simple: { Subject: { Data: "large" }, Body: { Text: { Data: text } } } } }),
    );

    expect(ses.sentMail()[0]?.text).toHaveLength(text.length);
  });

  it.each<[string, Partial<SendEmailCommandInput>]>([
    ["no destination", { Destination: undefined }],
    ["an empty destination", { Destination: {} }],
    ["a recipient without a domain", { Destination: { ToAddresses: ["b"] } }],
    ["a recipient with a space", { Destination: { ToAddresses: ["b c@example.com"] } }],
    [
      "a malformed copy",
      { Destination: { ToAddresses: ["b@example.com"], CcAddresses: ["c@exa_mple.com"] } },
    ],
    [
      "more than fifty recipients",
      { Destination: { ToAddresses: Array.from({ length: 51 }, (_, index) => `b${index}@example.com`) } },
    ],
    ["no sender", { FromEmailAddress: undefined }],
    ["a malformed sender", { FromEmailAddress: "Service <a>" }],
    ["no content", { Content: {} }],
    ["a body without text or HTML", { Content: { Simple: { Subject: { Data: "x" }, Body: {} } } }],
    [
      "a line break in its subject",
      {
        Content: { Simple: { Subject: { Data: "x\r\nBcc: c@example.com" }, Body: { Text: { Data: "x" } } } },
      },
    ],
    ["raw content without a sender", { Content: raw("To: b@example.com\r\n\r\nx") }],
    [
      "a template, which is not supported",
      { Content: { Template: { TemplateName: "t", TemplateData: "{}" } } },
    ],
  ])("is refused with %s", async (_what, changes) => {
    await expect(client.send(simple(changes))).rejects.toMatchObject({
      name: "BadRequestException",
      $metadata: { httpStatusCode: 400 },
    });
    expect(ses.sentMail()).toEqual([]);
  });

  it("is refused from a domain that no one can verify", async () => {
    await expect(client.send(simple({ FromEmailAddress: "a@example.invalid" }))).rejects.toMatchObject({
      name: "MessageRejected",
    });
  });

  it("is refused without a signature, and so is every operation but sending", async () => {
    const unsigned = await fetch(`${ses.endpoint}/v2/email/outbound-emails`, { method: "POST", body: "{}" });

    expect(unsigned.status).toBe(403);
    await expect(client.send(new GetAccountCommand({}))).rejects.toMatchObject({
      name: "UnknownOperationException",
    });
  });
});
