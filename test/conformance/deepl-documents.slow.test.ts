import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, inject, it } from "vitest";
import {
  deeplDocumentOperation,
  deeplDocumentResultOperation,
  deeplDocumentStatusOperation,
} from "../../functions/jobs/deepl/contract.ts";
import type { ErrorCode } from "../../shared/platform/errors/catalogue.ts";
import {
  call,
  createAccount,
  expectDeclared,
  expectErrorOf,
  type JsonResponse,
  sharedAccount,
} from "../support/client.ts";
import { formData } from "../support/multipart.ts";

let token: string;
beforeAll(async () => {
  ({ token } = await sharedAccount());
});

const send = (path: string, body: unknown, key = token) =>
  call(`/deepl/v2/document${path}`, { headers: { Authorization: `DeepL-Auth-Key ${key}` }, body });

const upload = (name: string, content: string, fields: Record<string, string> = {}) =>
  send("", formData({ file: new File([content], name), source_lang: "EN", target_lang: "LG", ...fields }));

/** The status of a document as soon as it is done, or has failed. */
const whenDone = async (id: string, body: object): Promise<JsonResponse> => {
  for (;;) {
    const response = await send(`/${id}`, body);
    expectDeclared(deeplDocumentStatusOperation, response);
    if (!/queued|translating/.test(response.body.status)) return response;
    await sleep(300);
  }
};

describe("a document of a client of DeepL", () => {
  it("is translated, with the name in its field", async () => {
    const created = await upload("download", '{"thanks": "Thank you"}', { filename: "app.json" });
    expectDeclared(deeplDocumentOperation, created);
    const { document_id: id, document_key } = created.body;
    expect((await whenDone(id, { document_key })).body).toEqual({
      document_id: id,
      status: "done",
      billed_characters: 9,
    });
    const result = await send(`/${id}/result`, new URLSearchParams({ document_key }));
    expect(result.status).toBe(200);
    expect(result.headers.get("content-disposition")).toContain('filename="app.lug.json"');
    expect(result.body).toEqual({ thanks: inject("isLocal") ? "Webale" : expect.any(String) });
    const job = await call(`/tasks/jobs/${id}`, { token });
    expect(job.body).toMatchObject({ type: "translation", status: "completed", format: "json" });
    // Its job has a copy, so the upload is gone.
    const again = { type: "translation", file_id: job.body.file_id, target_language: "lug" };
    expect(await call("/tasks/jobs", { token, body: again })).toMatchObject({ status: 404 });
  });

  it("is only there for its account and with its key", async () => {
    const { body } = await upload("notes.txt", "Thank you");
    const { document_id: id, document_key } = body;
    const wrong = { document_key: "0".repeat(32) };
    expectErrorOf(deeplDocumentStatusOperation, await send(`/${id}`, wrong), "not_found");
    expectErrorOf(deeplDocumentResultOperation, await send(`/${id}/result`, wrong), "not_found");
    const other = await createAccount();
    const foreign = await send(`/${id}`, { document_key }, other.token);
    expectErrorOf(deeplDocumentStatusOperation, foreign, "not_found");
    expectErrorOf(deeplDocumentStatusOperation, await send(`/${id}`, {}), "validation_failed");
  });

  it("is not ready with 503 before it is translated", async () => {
    const lines = Array.from({ length: 3_000 }, (_, index) => `This is the line with the number ${index}.`);
    const { body } = await upload("long.txt", lines.join("\n"));
    const { document_id: id, document_key } = body;
    const result = await send(`/${id}/result`, { document_key });
    expectErrorOf(deeplDocumentResultOperation, result, "job_not_completed");
    expect(await call(`/tasks/jobs/${id}`, { method: "DELETE", token })).toMatchObject({ status: 204 });
  });

  it.each<[string, Record<string, string>, ErrorCode, RegExp]>([
    ["formality", { formality: "more" }, "unsupported_parameter", /no levels of formality/],
    ["a glossary", { glossary_id: "1" }, "unsupported_parameter", /Glossaries/],
    ["another output format", { output_format: "pdf" }, "unsupported_parameter", /format of its source/],
    ["an unknown field", { style_id: "1" }, "unsupported_parameter", /'style_id' is not known/],
    ["an unknown language", { target_lang: "TLH" }, "unsupported_language", /Unsupported language/],
    ["two equal languages", { target_lang: "EN-GB" }, "same_language", /must be different/],
    ["a path as its name", { filename: "../a.txt" }, "bad_request", /path traversal/],
  ])("is refused with %s", async (_what, fields, code, message) => {
    const response = await upload("notes.txt", "Thank you", fields);
    expectErrorOf(deeplDocumentOperation, response, code);
    expect(response.body.message).toMatch(message);
  });
});
