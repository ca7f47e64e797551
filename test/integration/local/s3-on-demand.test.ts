import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningService, runService } from "../../support/run-service.ts";

const clientFile = "s3-sdk.mjs";

let folder: string;
let service: RunningService;
let token: string;

const ask = (path: string, body: object) =>
  fetch(`${service.url}${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "language-ai-without-s3-"));
  const built = join(folder, "functions");
  await cp(process.env["BUILT_FUNCTIONS"] ?? "", built, { recursive: true });
  const files = await readdir(built, { recursive: true });
  const clients = files.filter((file) => file.endsWith(`/${clientFile}`));
  expect(clients).toContain(join("upload", clientFile));
  await Promise.all(clients.map((file) => rm(join(built, file))));
  service = await runService({ PORT: "0", DATA_DIR: join(folder, "data"), BUILT_FUNCTIONS: built });
  const account = { username: "nakato", email: "nakato@example.com", password: "omwezi gwaka ekiro" };
  const registered = await ask("/auth/register", {
    ...account,
    full_name: "Nakato",
    organization: "Makerere",
    organization_type: "Other",
    impact_sectors: ["Health"],
  });
  expect(registered.status).toBe(201);
  const form = new URLSearchParams({ username: account.email, password: account.password });
  const issued = await fetch(`${service.url}/auth/token`, { method: "POST", body: form });
  ({ access_token: token } = (await issued.json()) as { access_token: string });
}, 60_000);
afterAll(async () => {
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe("A service without the files of the S3 client", () => {
  it.each([
    ["/tasks/generate-upload-url", { file_name: "a.wav", content_type: "audio/wav" }],
    ["/tasks/language_id", { text: "Wasuze otya nno?" }],
    ["/tasks/translate", { source_language: "eng", target_language: "lug", text: "How are you?" }],
    ["/v1/chat/completions", { model: "lang-9b", messages: [{ role: "user", content: "Wasuze otya?" }] }],
  ])("responds to POST %s, which does not load it", async (path, body) => {
    const response = await ask(path, body);
    expect({ path, status: response.status }).toEqual({ path, status: 200 });
  });

  it("cannot begin an upload in parts, which loads it", async () => {
    const file = { file_name: "a.wav", content_type: "audio/wav", size: 10 * 1024 * 1024 };
    const response = await ask("/tasks/uploads", file);
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { code: "storage_unavailable" } });
  });
});
