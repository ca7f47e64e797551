import { beforeAll, describe, expect, inject, it } from "vitest";
import * as z from "zod";
import { jobObjects } from "../../shared/recordings/jobs/keys.ts";
import { uploadKeys } from "../../shared/recordings/uploads/keys.ts";
import { call, sharedAccount, type TestAccount } from "../support/client.ts";
import { connect } from "../support/mcp-client.ts";
import { openStoredData, type StoredData } from "../support/stored-data.ts";
import { audioBytes, wavFile } from "../support/wav.ts";

const isLocal = inject("isLocal");

const text = z.object({ text: z.string() });
const failure = z.object({ error: z.object({ code: z.string() }) });

describe.runIf(isLocal)("A tool", () => {
  let stored: StoredData;
  let account: TestAccount;
  beforeAll(async () => {
    [stored, account] = await Promise.all([openStoredData(), sharedAccount()]);
  });

  const use = async (name: string, given: Record<string, unknown>, meta: Record<string, unknown> = {}) => {
    const client = await connect(account.token);
    return client.callTool({ name, arguments: given, _meta: meta });
  };

  const codeOf = ({ isError, content }: Awaited<ReturnType<typeof use>>): string => {
    expect(isError).toBe(true);
    return failure.parse(JSON.parse(text.parse(content[0]).text)).error.code;
  };

  const newUpload = async () => {
    const { body } = await call("/tasks/generate-upload-url", {
      token: account.token,
      body: { file_name: "a.wav", content_type: "audio/wav" },
    });
    const fileId = String(body.file_id);
    const item = await stored.table.read({ Key: uploadKeys.upload(fileId) });
    return { fileId, objectKey: z.object({ object_key: z.string() }).parse(item).object_key };
  };

  it("does not find a recording that has not been uploaded yet", async () => {
    const { fileId } = await newUpload();
    const given = { file_id: fileId, language: "lug" };
    expect(codeOf(await use("transcribe", given))).toBe("not_found");
    expect(codeOf(await use("start_transcription_job", given))).toBe("not_found");
  });

  it("removes a recording that is too large for it", async () => {
    const { fileId, objectKey } = await newUpload();
    await stored.putObject(objectKey, Buffer.alloc(100 * 1_024 * 1_024 + 1));
    const given = { file_id: fileId, language: "lug" };
    expect(codeOf(await use("transcribe", given))).toBe("payload_too_large");
    expect(await stored.hasObject(objectKey)).toBe(false);
  });

  it("does not find a transcript that has disappeared, and names the URL that a job calls at its end", async () => {
    const { fileId, objectKey } = await newUpload();
    await stored.putObject(objectKey, wavFile(audioBytes(64_000), { stated: true }));
    const callback_url = "https://receiver.invalid/hook";
    const given = { file_id: fileId, language: "lug", callback_url };
    const started = await use("start_transcription_job", given);
    expect(started.structuredContent).toMatchObject({ callback_url });
    const { id } = z.object({ id: z.string() }).parse(started.structuredContent);
    const transcript = () => use("get_job", { id, with_transcript: true });
    await expect
      .poll(async () => (await transcript()).structuredContent, { timeout: 20_000, interval: 500 })
      .toMatchObject({ transcript: { text: expect.any(String) } });
    await stored.deleteObject(jobObjects.result({ userId: account.id, jobId: id }));
    expect(codeOf(await transcript())).toBe("not_found");
  });

  it("only links speech that has disappeared", async () => {
    const speak = () =>
      use("speak", { text: "Webale", language: "lug" }, { "idempotency-key": "speech-that-disappears" });
    const first = await speak();
    expect(first.content.map(({ type }) => type)).toEqual(["text", "audio"]);
    const { storage_object } = z.object({ storage_object: z.string() }).parse(first.structuredContent);
    await stored.deleteObject(storage_object);
    const second = await speak();
    expect(second.content).toEqual(first.content.slice(0, 1));
  });
});
