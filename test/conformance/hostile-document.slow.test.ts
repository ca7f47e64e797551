import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import type { TestAccount } from "../support/api-client.ts";
import { type OwnService, startOwnService } from "../support/own-service.ts";
import { type RecordingServer, startRecordingServer } from "../support/recording-server.ts";

const chatRequest = z.object({ messages: z.array(z.object({ content: z.string() })) });

/** Translates sentences about fields, and says nothing about all else. */
const translateField = (words: string): string => {
  const [, letter] = /field (\w) is green/.exec(words) ?? [];
  return letter === undefined ? "…" : `Ennimiro ${letter} ya kiragala`;
};

const startHostileServer = (): Promise<RecordingServer> =>
  startRecordingServer(async (request, response) => {
    const { messages } = chatRequest.parse(JSON.parse(await text(request)));
    const content = translateField(messages.at(-1)?.content ?? "");
    const choices = [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }];
    response
      .writeHead(200, { "Content-Type": "application/json" })
      .end(JSON.stringify({ id: "1", object: "chat.completion", created: 1, model: "m", choices }));
  });

let server: RecordingServer;
let service: OwnService;
let account: TestAccount;
beforeAll(async () => {
  server = await startHostileServer();
  service = await startOwnService({ TRANSLATION_BASE_URL: server.baseUrl });
  account = await service.client.createAccount();
});
afterAll(async () => {
  await service.close();
  await server.close();
});

const paragraphs = (villages: number): string[] =>
  Array.from({ length: 10 }, (_, index) =>
    index < villages
      ? `The village ${"abcdefghij"[index]} is dry`
      : `The field ${"abcdefghij"[index]} is green`,
  );

/** Has a document translated, of which the model translates a part. */
const translate = async (villages: number) => {
  const { client } = service;
  const { token } = account;
  const source = paragraphs(villages).join("\n\n");
  const fields = { type: "translation", source_language: "eng", target_language: "lug" };
  const { id } = await client.startJob(source, fields, { token, name: "letter.md", type: "text/markdown" });
  const { body: job } = await client.whenOver(id, token);
  const resultOf = (query: string) => client.call(`/tasks/jobs/${id}/result${query}`, { token });
  return { job, resultOf };
};

const named = (villages: number) =>
  Array.from({ length: villages }, (_, index) => ({ index, reason: "empty" }));

const written = (villages: number): string =>
  paragraphs(villages)
    .map((paragraph, index) => (index < villages ? paragraph : translateField(paragraph)))
    .join("\n\n");

describe("a document whose model says nothing to some of it", () => {
  it("is completed when that is half of it, and names each segment that stayed", async () => {
    const { job, resultOf } = await translate(5);
    expect(job).toMatchObject({ status: "completed", segments_kept: named(5), segments_kept_count: 5 });
    expect(await resultOf("")).toMatchObject({ status: 200, body: written(5) });
  });

  it("has failed when that is more than half, names each segment that stayed, and has the rest", async () => {
    const { job, resultOf } = await translate(6);
    expect(job).toMatchObject({
      status: "failed",
      segments_kept: named(6),
      segments_kept_count: 6,
      error: { code: "external_service_error" },
    });
    expect(await resultOf("")).toMatchObject({ status: 409, body: { error: { code: "job_not_completed" } } });
    expect(await resultOf("?partial=true")).toMatchObject({ status: 200, body: written(6) });
  });
});
