import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { operations } from "../../functions/manifest.ts";
import { codeOf } from "../support/declared.ts";
import { openLocalAccounts } from "../support/local-accounts.ts";
import { type RunningService, runService } from "../support/run-service.ts";

const username = "amina";
const password = "seven storks by the lake";
const withToken = operations.filter(({ auth }) => auth === "user");

let folder: string;
let service: RunningService;
let token: string;
let key: string;

const logIn = () =>
  fetch(`${service.url}/auth/token`, { method: "POST", body: new URLSearchParams({ username, password }) });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "language-ai-disabled-"));
  service = await runService({ PORT: "0", DATA_DIR: folder });
  const registered = await fetch(`${service.url}/auth/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ username, email: "amina@example.com", password }),
  });
  const { id } = z.object({ id: z.int() }).parse(await registered.json());
  token = z.object({ access_token: z.string() }).parse(await (await logIn()).json()).access_token;
  const created = await fetch(`${service.url}/auth/keys`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ name: "a program" }),
  });
  key = z.object({ key: z.string() }).parse(await created.json()).key;
  const me = () => fetch(`${service.url}/auth/me`, { headers: { Authorization: `Bearer ${token}` } });
  expect((await me()).status).toBe(200);
  await (await openLocalAccounts(folder)).setDisabled(id, true);
}, 120_000);

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

describe("an account that was disabled", () => {
  it.each(withToken)("is refused at $method $path, with any token or key", async ({ method, path }) => {
    for (const credential of [token, key]) {
      const response = await fetch(`${service.url}${path.replaceAll(/\{\w+\}/g, "lug")}`, {
        method,
        headers: { Authorization: `Bearer ${credential}` },
      });
      expect(response.status).toBe(403);
      expect(codeOf(await response.json())).toBe("forbidden");
      expect(response.headers.get("x-request-id")).toBeTruthy();
    }
  });

  it("gets no new token", async () => {
    const response = await logIn();
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error: "access_denied" });
  });

  it("looks like any other account for a wrong password", async () => {
    const wrong = (name: string) =>
      fetch(`${service.url}/auth/token`, {
        method: "POST",
        body: new URLSearchParams({ username: name, password: "not the password" }),
      });
    expect([(await wrong(username)).status, (await wrong("nobody")).status]).toEqual([401, 401]);
  });
});
