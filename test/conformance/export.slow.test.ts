import { unzipSync } from "fflate";
import { describe, expect, inject, it } from "vitest";
import * as z from "zod";
import { accountExport } from "../../shared/accounts/export/request-export.ts";
import { call, createAccount, type TestAccount } from "../support/client.ts";
import { logInTo } from "../support/form-visitor.ts";

const isLocal = inject("isLocal");

const request = (account: TestAccount, password = account.password) =>
  call("/auth/me/export", { method: "POST", token: account.token, body: { password } });
const show = async ({ token }: TestAccount) => {
  const { status, body } = await call("/auth/me/export", { token });
  expect(status).toBe(200);
  return accountExport.parse(body);
};

/** Requests an export, and waits until it is ready. */
const exported = async (account: TestAccount) => {
  expect((await request(account)).status).toBe(202);
  await expect
    .poll(async () => (await show(account)).status, { timeout: 25_000, interval: 1_000 })
    .toBe("ready");
  return show(account);
};

const filesAt = async (url: string | null): Promise<Record<string, string>> => {
  const response = await fetch(url ?? "");
  expect(response.headers.get("content-type")).toBe("application/zip");
  const files = unzipSync(new Uint8Array(await response.arrayBuffer()));
  return Object.fromEntries(
    Object.entries(files).map(([name, bytes]) => [name, Buffer.from(bytes).toString()]),
  );
};

const rows = z.array(z.record(z.string(), z.unknown()));
const rowsIn = (files: Readonly<Record<string, string>>, name: string) =>
  rows.parse(JSON.parse(files[name] ?? ""));

describe("The export of an account", () => {
  it("is an archive with what the account has stored, and says what it lacks and why", async () => {
    const account = await createAccount();
    const { token } = account;
    await call("/auth/keys", { token, body: { name: "kiosk in Gulu", scopes: ["speech"] } });
    const spoken = await call("/tasks/audio/speech", { token, body: { text: "Oli otya?" } });
    const { storage_object: object } = z.object({ storage_object: z.string() }).parse(spoken.body);
    const files = await filesAt((await exported(account)).url);
    expect(rowsIn(files, "account.json")).toMatchObject([
      { username: account.username, email: account.email },
    ]);
    expect(rowsIn(files, "keys.json")).toMatchObject([{ name: "kiosk in Gulu" }]);
    expect(rowsIn(files, "access.json")).toMatchObject([
      { account_type: "Free", keys: [{ scopes: ["speech"] }] },
    ]);
    expect(files[object]).toMatch(/^RIFF/);
    expect(files["usage.csv"]).toContain("/tasks/audio/speech");
    expect(files["README.txt"]).toContain("secret");
    // No secrets, digests or hashes.
    const texts = Object.entries(files).filter(([name]) => !name.startsWith("speech/"));
    for (const [, text] of texts) expect(text).not.toMatch(/argon2|password_hash|lai_[0-9A-Za-z]{20}|"h":/);
  });

  it("can be continued where the download broke off", async () => {
    const { url, size } = await exported(await createAccount());
    const whole = Buffer.from(await (await fetch(url ?? "")).arrayBuffer());
    expect(whole).toHaveLength(size ?? 0);
    const rest = await fetch(url ?? "", { headers: { Range: "bytes=100-" } });
    expect(rest.status).toBe(206);
    expect(Buffer.from(await rest.arrayBuffer())).toEqual(whole.subarray(100));
  });

  it("is not prepared again within minutes", async () => {
    const account = await createAccount();
    const first = await exported(account);
    const { status, body } = await request(account);
    expect({ status, at: accountExport.parse(body).requested_at }).toEqual({
      status: 202,
      at: first.requested_at,
    });
  });

  it("requires the password, and the account's own token", async () => {
    const account = await createAccount();
    expect(await request(account, "not the password")).toMatchObject({
      status: 401,
      body: { error: { code: "invalid_credentials", param: "password" } },
    });
    const created = await call("/auth/keys", { token: account.token, body: { name: "a program" } });
    const { key } = z.object({ key: z.string() }).parse(created.body);
    for (const method of ["GET", "POST"]) {
      const body = method === "POST" ? { body: { password: account.password } } : {};
      expect((await call("/auth/me/export", { method, token: key, ...body })).status).toBe(403);
    }
    expect(await call("/auth/me/export", { token: account.token })).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining("POST /auth/me/export") },
    });
  });

  it("has fresh links to files of the account, and to no others", async () => {
    const [account, other] = [await createAccount(), await createAccount()];
    const spoken = await call("/tasks/audio/speech", { token: account.token, body: { text: "Oli otya?" } });
    const { storage_object: name } = z.object({ storage_object: z.string() }).parse(spoken.body);
    const find = (token: string, file: string) =>
      call(`/auth/me/export/file?${new URLSearchParams({ name: file })}`, { token });
    const { status, body } = await find(account.token, name);
    expect(status).toBe(200);
    expect((await fetch(z.object({ url: z.url() }).parse(body).url)).status).toBe(200);
    for (const [token, file] of [
      [other.token, name],
      [account.token, `${name}x`],
      [account.token, "exports/1/a.zip"],
      [account.token, "../speech"],
    ] as const) {
      expect(await find(token, file)).toMatchObject({
        status: 404,
        body: { detail: "The account has no such file." },
      });
    }
  });

  it("can be requested and downloaded on the page of the account, with the password", async () => {
    const { username, password } = await createAccount();
    const { visitor } = await logInTo({ username, password });
    const page = await visitor.open("/console/account?section=export");
    const send = (typed: string) =>
      visitor.send(page, "/console/account", { action: "export-account", password: typed });
    const refused = await send("not the password");
    expect(refused.status).toBe(422);
    expect(refused.html).toContain("The password is incorrect.");
    expect((await send(password)).html).toContain("Your export is being prepared.");
    const open = () => visitor.open("/console/account?section=export");
    const isReady = async () => (await open()).html.includes("Download the archive");
    await expect.poll(isReady, { timeout: 25_000, interval: 1_000 }).toBe(true);
    const linkIn = async (typed: string) => {
      const form = { action: "export-link", password: typed };
      const { html } = await visitor.send(await open(), "/console/account", form);
      return /href="(http[^"]+)"[^>]*>Download the archive/.exec(html)?.[1]?.replaceAll("&amp;", "&");
    };
    expect((await open()).html).not.toContain("exports/");
    expect(await linkIn("not the password")).toBeUndefined();
    const files = await filesAt((await linkIn(password)) ?? null);
    expect(rowsIn(files, "account.json")).toMatchObject([{ username }]);
  });

  it.runIf(isLocal)("is deleted with its account", async () => {
    const account = await createAccount();
    const { url } = await exported(account);
    const { token, password } = account;
    expect((await call("/auth/me", { method: "DELETE", token, body: { password } })).status).toBe(204);
    expect((await fetch(url ?? "")).status).toBe(404);
  });
});
