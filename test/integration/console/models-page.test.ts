import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { modelsPages } from "../../../functions/operators/models-pages.tsx";
import { createCallReport } from "../../../shared/models/health/model-calls.ts";
import { openModelServer } from "../../../shared/models/inference/openai/call-policy.ts";
import { BackendTimeout } from "../../../shared/platform/outbound/failures.ts";
import { type FakeBackend, responding, startFakeBackend } from "../../support/fake-backend.ts";
import { modelServer } from "../../support/model-servers.ts";
import { startTestTable, type TestTable } from "../../support/test-table.ts";
import { render, visit } from "../../unit/console/rendered.ts";

let database: TestTable;
let gpu: FakeBackend;
let hosted: FakeBackend;
beforeAll(async () => {
  database = await startTestTable();
  [gpu, hosted] = await Promise.all([startFakeBackend(), startFakeBackend()]);
});
afterAll(async () => {
  await Promise.all([gpu.close(), hosted.close(), database.close()]);
});

/** What an operator reads in each row. */
const rowsOf = (html: string): string[] =>
  [...html.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = ""]) =>
    row
      .replaceAll(/<[^>]*>/g, " ")
      .replaceAll(/\s+/g, " ")
      .trim(),
  );

describe("The operators' page of models", () => {
  it("has each server of a task, with its own calls and its own circuit", async () => {
    const table = database.open();
    const [keyOfGpu, keyOfHosted] = [async () => "key of gpu", async () => undefined];
    const backend = (server: string, { baseUrl }: FakeBackend, order: number) => {
      const report = createCallReport(table, { task: "chat", server });
      return modelServer({ name: server, baseUrl, order, report });
    };
    const server = openModelServer([backend("gpu", gpu, 1), backend("hosted", hosted, 2)], "chat");
    const { signal } = new AbortController();
    // The timeout opens the circuit of `gpu`, which writes its counts. Those of `hosted` are written with its second call.
    for (let calls = 0; calls < 2; calls += 1) {
      await server.call(signal, async ({ backend: { name } }) => {
        if (name === "gpu") throw new BackendTimeout("The server was silent.");
      });
    }
    const keys: unknown[] = [];
    gpu.listModels((response, request) => {
      keys.push(request.headers.authorization);
      responding(503, "no")(response, request);
    });
    hosted.listModels(responding(200, { data: [] }));
    const [page] = modelsPages({
      table,
      servers: [
        { task: "chat", server: "gpu", baseUrl: gpu.baseUrl, apiKey: keyOfGpu },
        { task: "chat", server: "hosted", baseUrl: hosted.baseUrl, apiKey: keyOfHosted },
        { task: "speech", baseUrl: hosted.baseUrl, apiKey: keyOfHosted },
      ],
    });
    const show = async () => {
      const response = await page?.show(visit);
      return response?.kind === "shown" ? rowsOf(render(response.content)).slice(1) : [];
    };
    await expect
      .poll(show)
      .toEqual([
        expect.stringMatching(/^Chat gpu 127\.0\.0\.1:\d+ Status 503 1 100% \d+ ms Opened at /),
        expect.stringMatching(/^Chat hosted 127\.0\.0\.1:\d+ Yes, in \d+ ms 1 0% \d+ ms Closed$/),
        expect.stringMatching(/^Speech 127\.0\.0\.1:\d+ Yes, in \d+ ms None – – Closed$/),
      ]);
    expect(gpu.lists[0]).toBe("/v1/models");
    expect(keys[0]).toBe("Bearer key of gpu");
  });
});
