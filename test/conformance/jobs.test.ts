import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, inject, it } from "vitest";
import {
  createJobOperation,
  getJobResultOperation,
  listJobsOperation,
} from "../../functions/jobs/contract.ts";
import {
  call,
  createAccount,
  expectDeclared,
  expectError,
  type JsonResponse,
  upload,
  whenOver,
} from "../support/client.ts";
import { noise } from "../support/wav.ts";

const isLocal = inject("isLocal");

let token: string;
beforeAll(async () => {
  ({ token } = await createAccount());
});

const post = (fields: object, bearer: string | undefined = token, headers: Record<string, string> = {}) =>
  call("/tasks/jobs", {
    token: bearer,
    headers,
    body: { type: "transcription", language: "lug", ...fields },
  });

const get = (path: string, bearer = token) => call(`/tasks/jobs${path}`, { token: bearer });

it("A callback that does not arrive is listed with the job, with the reason, and tried again", async () => {
  const { token: owner } = await createAccount();
  const callback_url = "https://receiver.invalid/hook";
  const { status, body } = await post(
    { file_id: await upload(noise(1), { token: owner }), callback_url },
    owner,
  );
  expect(status).toBe(202);
  expect((await whenOver(body.id, owner)).body).toMatchObject({ status: "completed", callback_url });
  const callback = async () => (await get(`/${body.id}`, owner)).body.callback;
  await expect.poll(async () => (await callback()).deliveries.length, { timeout: 20_000 }).toBe(1);
  expect(await callback()).toMatchObject({
    status: "pending",
    deliveries: [{ error: "The host name has no address." }],
  });
});

describe("a job of a long recording", () => {
  let job: JsonResponse["body"];
  // Twelve minutes are two pieces.
  const seconds = 720;
  beforeAll(async () => {
    const response = await post({
      file_id: await upload(noise(seconds), { token }),
      language: "Luganda",
      timestamps: true,
    });
    expectDeclared(createJobOperation, response);
    expect(response.status).toBe(202);
    expect(response.headers.get("access-control-expose-headers")).toContain("Location");
    expect(response.headers.get("location")).toMatch(new RegExp(`/tasks/jobs/${response.body.id}$`));
    expect(response.body).toMatchObject({
      type: "transcription",
      status: "queued",
      language: "lug",
      progress: { done: 0, total: seconds },
      error: null,
      callback_url: null,
    });
    job = (await whenOver(response.body.id, token)).body;
  });

  it("is completed, and shows its progress", () => {
    expect(job).toMatchObject({
      status: "completed",
      progress: { done: seconds, total: seconds },
      error: null,
      waiting: null,
      callback: null,
    });
    expect(Date.parse(job.expires_at) - Date.parse(job.created_at)).toBeGreaterThan(29 * 86_400_000);
  });

  it("returns its transcript as JSON, with times in the whole recording", async () => {
    const response = await get(`/${job.id}/result`);
    expectDeclared(getJobResultOperation, response);
    expect(response.body).toMatchObject({ language: "lug", duration_seconds: seconds });
    expect(response.body.text).not.toBe("");
    const { segments } = response.body;
    expect(segments.at(-1).end).toBeGreaterThan(seconds - 30);
    expect(segments.at(-1).end).toBeLessThanOrEqual(seconds);
    const starts = segments.map(({ start }: { start: number }) => start);
    expect(starts).toEqual(starts.toSorted((one: number, other: number) => one - other));
  });

  it.each([
    ["text", "text/plain", /\w.*\n$/],
    ["srt", "application/x-subrip", /^1\n00:00:00,\d{3} --> /],
    ["vtt", "text/vtt", /^WEBVTT\n/],
  ])("returns it as %s", async (format, contentType, pattern) => {
    const { status, headers, body } = await get(`/${job.id}/result?format=${format}`);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toMatch(contentType);
    expect(body).toMatch(pattern);
  });

  it("shows in the list, and its seconds in the usage", async () => {
    const list = await get("");
    expectDeclared(listJobsOperation, list);
    expect(list.body.jobs.map(({ id }: { id: string }) => id)).toContain(job.id);
    const { body } = await call("/auth/usage", { token });
    const [used] = body.days.at(-1).operations.filter(({ path }: { path: string }) => path === "/tasks/jobs");
    expect(used.audio_seconds).toBe(seconds);
    expect(body.recordings_this_month).toMatchObject({ limit: 10_800 });
    expect(body.recordings_this_month.used).toBeGreaterThanOrEqual(seconds);
  });

  it("belongs to no other account", async () => {
    const other = await createAccount();
    for (const path of [`/${job.id}`, `/${job.id}/result`]) {
      expectError(await get(path, other.token), 404, "not_found");
    }
    const response = await call(`/tasks/jobs/${job.id}`, { method: "DELETE", token: other.token });
    expectError(response, 404, "not_found");
  });

  it("is gone once it is deleted", async () => {
    const remove = () => call(`/tasks/jobs/${job.id}`, { method: "DELETE", token });
    expect(await remove()).toMatchObject({ status: 204, body: "" });
    for (const gone of [await remove(), await get(`/${job.id}`), await get(`/${job.id}/result`)]) {
      expectError(gone, 404, "not_found");
    }
  });
});

describe("POST /tasks/jobs", () => {
  it("runs once for an Idempotency-Key", async () => {
    const file_id = await upload(noise(1), { token });
    const headers = { "Idempotency-Key": randomUUID() };
    const [first, second] = [
      await post({ file_id }, token, headers),
      await post({ file_id }, token, headers),
    ];
    expect(first.status).toBe(202);
    expect(second.body.id).toBe(first.body.id);
    expect(second.headers.get("location")).toBe(first.headers.get("location"));
    expect(second.headers.get("idempotent-replayed")).toBe("true");
  });

  it("finds no file that is unknown or another account's", async () => {
    expectError(await post({ file_id: randomUUID() }), 404, "not_found");
    const other = await createAccount();
    expectError(await post({ file_id: await upload(noise(1), { token: other.token }) }), 404, "not_found");
  });

  it("refuses what is not audio", async () => {
    const response = await post({ file_id: await upload("a letter", { token }) });
    expectError(response, 422, "validation_failed");
    expect(response.body.detail[0].loc).toEqual(["body", "file_id"]);
  });

  it.each([
    ["type", { type: "summary" }],
    ["language", { language: "Elvish" }],
    ["file_id", { file_id: "mine" }],
    ["timestamps", { timestamps: "sometimes" }],
    ["callback_url", { callback_url: "https://10.0.0.1/" }],
  ])("refuses a wrong %s", async (field, wrong) => {
    const response = await post({ file_id: randomUUID(), ...wrong });
    expectError(response, 422, "validation_failed");
    expect(response.body.detail[0].loc).toEqual(["body", field]);
  });

  it.runIf(isLocal)(
    "refuses speakers where no model distinguishes them, before a job is created",
    async () => {
      const response = await post({ file_id: await upload(noise(1), { token }), speakers: true });
      expectError(response, 400, "unsupported_parameter");
      expect(response.body.error.param).toBe("speakers");
    },
  );

  it("refuses a recording beyond the rest of the month, which costs nothing", async () => {
    const account = await createAccount();
    const tooLong = await upload(noise(3 * 3_600 + 1), { token: account.token });
    const response = await post({ file_id: tooLong }, account.token);
    expectError(response, 429, "quota_exceeded");
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    const { body } = await call("/auth/usage", { token: account.token });
    expect(body.today.used).toBe(0);
  });

  it("asks a key for its scope", async () => {
    const { body } = await call("/auth/keys", { token, body: { name: "speaks", scopes: ["speech"] } });
    expectError(await post({ file_id: randomUUID() }, body.key), 403, "insufficient_scope");
    expectError(await get("", body.key), 403, "insufficient_scope");
  });
});

describe("GET /tasks/jobs", () => {
  it("is paged, newest first", async () => {
    const account = await createAccount();
    const file_id = await upload(noise(1), { token: account.token });
    const created: string[] = [];
    for (let count = 0; count < 3; count += 1)
      created.unshift((await post({ file_id }, account.token)).body.id);
    const first = await get("?limit=2", account.token);
    const second = await get(`?limit=2&cursor=${first.body.next_cursor}`, account.token);
    const ids = [...first.body.jobs, ...second.body.jobs].map(({ id }: { id: string }) => id);
    expect(ids).toEqual(created);
    expect(second.body.next_cursor).toBeNull();
    const { body } = await get("?limit=2&cursor=", account.token);
    expect(body.next_cursor).toBe(first.body.next_cursor);
  });

  it.each([1, 100])("lists at most %i", async (limit) => {
    const { status, body } = await get(`?limit=${limit}`);
    expect(status).toBe(200);
    expect(body.jobs.length).toBeLessThanOrEqual(limit);
  });

  it.each(["limit=0", "limit=101", "limit=many"])("refuses %s", async (query) => {
    expectError(await get(`?${query}`), 422, "validation_failed");
  });
});

describe.runIf(isLocal)("a new job", () => {
  it("has no result yet", async () => {
    const { body } = await post({ file_id: await upload(noise(600), { token }) });
    const response = await get(`/${body.id}/result`);
    // It may be over by now, on a fast machine.
    if (response.status !== 200) expectError(response, 409, "job_not_completed");
    expect((await get(`/${body.id}/result?partial=true`)).status).toBe(200);
    await whenOver(body.id, token);
  });
});
