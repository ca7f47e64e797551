import { beforeAll, describe, expect, inject, it } from "vitest";
import * as z from "zod";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import { jobKeys, jobObjects } from "../../shared/recordings/jobs/keys.ts";
import { uploadKeys } from "../../shared/recordings/uploads/keys.ts";
import { call, createAccount, expectError } from "../support/client.ts";
import { logInTo } from "../support/form-visitor.ts";
import { formData } from "../support/multipart.ts";
import { openStoredData, type StoredData } from "../support/stored-data.ts";
import { audioBytes, wavFile } from "../support/wav.ts";

const isLocal = inject("isLocal");

let stored: StoredData;
beforeAll(async () => {
  if (isLocal) stored = await openStoredData();
});

describe("A recording that has not been uploaded yet", () => {
  it("is not found, by all that use uploads", async () => {
    const { token } = await createAccount();
    const link = { file_name: "a.wav", content_type: "audio/wav" };
    const { body: upload } = await call("/tasks/generate-upload-url", { token, body: link });
    const { file_id } = upload;
    expectError(
      await call("/tasks/jobs", { token, body: { type: "transcription", file_id, language: "lug" } }),
      404,
      "not_found",
    );
    const fields = formData({ language: "lug", file_id });
    expectError(await call("/tasks/audio/transcriptions", { token, body: fields }), 404, "not_found");
    const gcs_blob_name = `uploads/${file_id}/a.wav`;
    const old = await call("/tasks/stt_from_gcs", { token, body: new URLSearchParams({ gcs_blob_name }) });
    expect(old.status).toBe(400);
  });
});

describe.runIf(isLocal)("What has disappeared from the store", () => {
  const link = { file_name: "a.wav", content_type: "audio/wav" };
  const itemOf = async (fileId: string) =>
    z
      .object({ object_key: z.string(), multipart_id: z.string().optional() })
      .parse(await stored.table.read({ Key: uploadKeys.upload(fileId) }));

  /** A job that is completed, with its item. */
  const completedJob = async () => {
    const { id: userId, token } = await createAccount();
    const { body: upload } = await call("/tasks/generate-upload-url", { token, body: link });
    const { object_key: objectKey } = await itemOf(upload.file_id);
    await stored.putObject(objectKey, wavFile(audioBytes(64_000), { stated: true }));
    const body = { type: "transcription", file_id: upload.file_id, language: "lug" };
    const { body: job, status } = await call("/tasks/jobs", { token, body });
    expect(status).toBe(202);
    const seen = () => call(`/tasks/jobs/${job.id}`, { token });
    await expect.poll(async () => (await seen()).body.status, { timeout: 20_000 }).toBe("completed");
    return { token, objectKey, name: { userId, jobId: job.id } };
  };

  it("is not found: the result of a job", async () => {
    const { token, name } = await completedJob();
    await stored.deleteObject(jobObjects.result(name));
    const result = await call(`/tasks/jobs/${name.jobId}/result`, { token });
    expectError(result, 404, "not_found");
  });

  it("ends a job whose recording it was, and refunds its audio", async () => {
    const { token, name, objectKey } = await completedJob();
    await stored.deleteObject(objectKey);
    const item = await stored.table.read({ Key: jobKeys.job(name) });
    const jobId = `${name.jobId.slice(0, -4)}0000`;
    const again = { status: "queued", done_milliseconds: 0, done: undefined, pieces: undefined, taken: 0 };
    await stored.table.put({ ...item, ...jobKeys.job({ ...name, jobId }), id: jobId, ...again });
    await stored.enqueueJob({ kind: "plan", ...name, jobId });
    const seen = () => call(`/tasks/jobs/${jobId}`, { token });
    await expect.poll(async () => (await seen()).body.status, { timeout: 20_000 }).toBe("failed");
    expect((await seen()).body.error).toMatchObject({ code: "not_found" });
  });

  it("is not found: a recording that the console would play", async () => {
    const { token: _token, objectKey, name } = await completedJob();
    const profile = await stored.table.read({ Key: accountKeys.profile(name.userId) });
    const username = z.string().parse(profile?.["username"]);
    const { visitor } = await logInTo({ username, password: "seven storks by the lake" });
    const { html } = await visitor.open(`/console/recordings/${name.jobId}`);
    const address = /<audio[^>]*\ssrc="([^"]*)"/.exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect((await fetch(address)).status).toBe(200);
    await stored.deleteObject(objectKey);
    expect((await fetch(address)).status).toBe(404);
  });

  it("is not found: an upload in parts that the store has ended", async () => {
    const { token } = await createAccount();
    const { body: upload } = await call("/tasks/uploads", { token, body: { ...link, size: 6_000_000 } });
    const { object_key: objectKey, multipart_id: uploadId = "" } = await itemOf(upload.id);
    await stored.abortUpload(objectKey, uploadId);
    expectError(await call(`/tasks/uploads/${upload.id}`, { token }), 404, "not_found");
  });

  it.each(["job", "transcription", "transcription of version 1"])(
    "was too large for a %s, which has removed it",
    async (task) => {
      const { token } = await createAccount();
      const { body: upload } = await call("/tasks/generate-upload-url", { token, body: link });
      const { file_id } = upload;
      const { object_key: objectKey } = await itemOf(file_id);
      await stored.putObject(objectKey, Buffer.alloc(100 * 1_024 * 1_024 + 1));
      const gcs_blob_name = `uploads/${file_id}/a.wav`;
      const responses = {
        job: () => call("/tasks/jobs", { token, body: { type: "transcription", file_id, language: "lug" } }),
        transcription: () =>
          call("/tasks/audio/transcriptions", { token, body: formData({ language: "lug", file_id }) }),
      };
      const send =
        Object.entries(responses).find(([name]) => name === task)?.[1] ??
        (() => call("/tasks/stt_from_gcs", { token, body: new URLSearchParams({ gcs_blob_name }) }));
      expect((await send()).status).toBe(413);
      expect(await stored.hasObject(objectKey)).toBe(false);
    },
  );
});
