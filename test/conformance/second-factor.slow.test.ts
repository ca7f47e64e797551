import { describe, expect, inject, it } from "vitest";
import { tokenOperation } from "../../functions/auth/credentials-contract.ts";
import { call, expectDeclared } from "../support/client.ts";
import { FormVisitor, logInTo, type SeenPage, signUp } from "../support/form-visitor.ts";
import { textsTo } from "../support/local-mails.ts";
import { runHere } from "../support/run-here.ts";
import { codeOf, secretIn } from "../support/second-factor.ts";
import { recoveryCodesIn, secondFactorPath, setUpSecondFactor } from "../support/second-factor-visitor.ts";

const isLocal = inject("isLocal");
const logInPath = "/console/log-in";
const codePath = "/console/log-in/code";
const security = "/console/account?section=security";

/** A person with a second factor. */
const withSecondFactor = async () => {
  const person = await signUp();
  return { ...person, ...(await setUpSecondFactor(person.visitor, person.password)) };
};

const tokenFor = (form: Record<string, string>) => call("/auth/token", { body: new URLSearchParams(form) });

const problemIn = ({ html }: SeenPage): string =>
  /id="[\w-]+-problem"><svg.*?<\/svg>(.*?)<\/p>/s.exec(html)?.[1] ?? "";

describe("The set-up of a second factor", () => {
  it("wants the password, shows an address and a QR code, and then the recovery codes once", async () => {
    const { visitor, username, password } = await signUp();
    const before = await visitor.open(security);
    expect(before.html).toContain("Two-step login");
    expect(before.html).toContain(secondFactorPath);

    const start = await visitor.open(secondFactorPath);
    expect(start.headers.get("cache-control")).toBe("no-store");
    const wrong = await visitor.send(start, secondFactorPath, { action: "start", password: "not it, sorry" });
    expect(wrong.status).toBe(422);
    expect(problemIn(wrong)).toBe("The password is incorrect.");
    expect(wrong.html).not.toContain("otpauth:");

    const waiting = await visitor.send(start, secondFactorPath, { action: "start", password });
    expect(waiting.headers.get("content-encoding")).toBeNull();
    expect(waiting.html).toMatch(
      new RegExp(`otpauth://totp/Language%20AI:${username}\\?secret=[A-Z2-7]{32}&amp;issuer=Language%20AI`),
    );
    expect(waiting.html).toMatch(/<svg class="qr-code" role="img" aria-label="QR code/);
    // Opening the page again shows the same secret, and no other session sees it.
    const secret = secretIn(waiting.html);
    expect(secretIn((await visitor.open(secondFactorPath)).html)).toEqual(secret);
    const other = await logInTo({ username, password });
    expect((await other.visitor.open(secondFactorPath)).html).not.toContain("otpauth:");
    const { access_token: token } = (await tokenFor({ username, password })).body;
    for (const page of [start, waiting])
      expect(page.html).toContain("This logs out all other browsers and ends all access tokens.");

    const refused = await visitor.send(waiting, secondFactorPath, { action: "turn-on", code: "000000" });
    expect(refused.status).toBe(422);
    expect(problemIn(refused)).toBe("The code is wrong, or was used before. Enter a new one.");
    expect(refused.html).not.toContain('value="000000"');
    expect(secretIn(refused.html)).toEqual(secret);

    const done = await visitor.send(refused, secondFactorPath, { action: "turn-on", code: codeOf(secret) });
    expect(done.status).toBe(200);
    const codes = recoveryCodesIn(done);
    expect(new Set(codes).size).toBe(10);
    expect((await call("/auth/me", { token })).status).toBe(401);
    expect((await other.visitor.open("/console")).path).toBe(logInPath);
    const later = await visitor.open(secondFactorPath);
    expect(recoveryCodesIn(later)).toEqual([]);
    expect(later.html).not.toContain("otpauth:");
    expect(later.html).toMatch(/Recovery codes left<\/dt><dd>10/);
    // The form that was sent belongs to a session that has ended.
    const again = await visitor.send(refused, secondFactorPath, { action: "turn-on", code: codeOf(secret) });
    expect([again.status, recoveryCodesIn(again)]).toEqual([403, []]);
    expect((await visitor.open(security)).html).toContain("Manage two-step login");
  });

  it.runIf(isLocal)("continues with the page that needs it, and a mail reports it", async () => {
    const { visitor, email, password } = await signUp();
    const path = `${secondFactorPath}?next=%2Fconsole%2Fusage`;
    const waiting = await visitor.send(await visitor.open(path), secondFactorPath, {
      action: "start",
      password,
    });
    expect(waiting.path).toBe(path);
    const code = codeOf(secretIn(waiting.html));
    const done = await visitor.send(waiting, secondFactorPath, { action: "turn-on", code });
    expect(done.html).toMatch(/<a class="button" href="[^"]*\/console\/usage">/);
    await expect
      .poll(async () => (await textsTo(email)).some((text) => text.includes("needs a code of your")))
      .toBe(true);
  });
});

describe("A login with a second factor", () => {
  it("begins no session before the code, and continues where it wanted to", async () => {
    const person = await withSecondFactor();
    const { visitor, seen } = await logInTo(person, `${logInPath}?next=%2Fconsole%2Fusage`);
    expect(seen).toMatchObject({ status: 200, path: codePath });
    expect(seen.html).toContain(person.username);
    expect([...visitor.cookies.keys()].filter((name) => name.endsWith("session"))).toEqual([]);
    for (const path of ["/console", "/console/tokens", secondFactorPath, "/console/account"])
      expect((await visitor.open(path)).path).toContain(logInPath);

    const wrong = await visitor.send(seen, codePath, { code: "000 000" });
    expect(wrong.status).toBe(422);
    expect(problemIn(wrong)).toContain("The code is wrong");
    const done = await visitor.send(wrong, codePath, { code: codeOf(person.secret) });
    expect(done).toMatchObject({ status: 200, path: "/console/usage" });
    expect([...visitor.cookies.keys()].filter((name) => name.endsWith("confirmation"))).toEqual([]);
    expect((await visitor.open("/console")).html).toContain(`Hello, ${person.username}`);
  });

  it("accepts a recovery code once, and a mail says how many are left", async () => {
    const person = await withSecondFactor();
    const [code = "", other = ""] = person.recoveryCodes;
    const first = await logInTo(person);
    const typed = ` ${code.toUpperCase().replaceAll("-", " ")}`;
    expect((await first.visitor.send(first.seen, codePath, { code: typed })).path).toBe("/console");
    const second = await logInTo(person);
    const refused = await second.visitor.send(second.seen, codePath, { code });
    expect(problemIn(refused)).toContain("was used before");
    expect((await second.visitor.send(refused, codePath, { code: other })).path).toBe("/console");
    expect((await second.visitor.open(secondFactorPath)).html).toMatch(/Recovery codes left<\/dt><dd>8/);
    if (!isLocal) return;
    await expect
      .poll(async () => (await textsTo(person.email)).filter((text) => text.includes("recovery codes")))
      .toContainEqual(expect.stringContaining("You have 9 left."));
  });

  it("ends with a new password, and cannot be forged", async () => {
    const person = await withSecondFactor();
    const { visitor, seen } = await logInTo(person);
    const security = await person.visitor.open("/console/account?section=security");
    const changed = await person.visitor.send(security, "/console/account", {
      action: "change-password",
      old_password: person.password,
      new_password: "nine cranes over the hill",
    });
    expect(changed.html).toContain("Your password is changed.");
    const late = await visitor.send(seen, codePath, { code: codeOf(person.secret) });
    expect(late.path).toBe(`${logInPath}?after=too-late`);
    expect(late.html).toContain("More than ten minutes have passed");
    expect((await new FormVisitor().open(codePath)).path).toBe(`${logInPath}?after=too-late`);
    const name = [...visitor.cookies.keys()].find((each) => each.endsWith("confirmation")) ?? "";
    const [head, body = "", mark] = (visitor.cookies.get(name) ?? "").split(".");
    const other = Buffer.from(body, "base64url")
      .toString()
      .replace(/"userId":\d+/, '"userId":1');
    visitor.cookies.set(name, [head, Buffer.from(other).toString("base64url"), mark].join("."));
    expect((await visitor.open(codePath)).path).toBe(`${logInPath}?after=too-late`);
  });
});

describe("POST /auth/token for an account with a second factor", () => {
  it("wants a code as otp; a wrong password says nothing about it", async () => {
    const { username, password, secret, recoveryCodes } = await withSecondFactor();
    const missing = await tokenFor({ username, password });
    expect(missing).toMatchObject({
      status: 401,
      body: { error: "second_factor_required", error_description: expect.stringContaining("otp") },
    });
    const wrongPassword = await tokenFor({ username, password: "not the password", otp: codeOf(secret) });
    expect(wrongPassword).toMatchObject({ status: 401, body: { error: "invalid_grant" } });
    expect(wrongPassword.body.error_description).toBe("Incorrect username or password.");
    const wrong = await tokenFor({ username, password, otp: "000000" });
    expect(wrong).toMatchObject({ status: 401, body: { error: "invalid_grant" } });
    expect(wrong.body.error_description).toBe("The code is wrong, or was used before.");

    // The wrong password has not used the code.
    const otp = codeOf(secret);
    const right = await tokenFor({ username, password, otp });
    expect(right.status).toBe(200);
    expectDeclared(tokenOperation, right);
    expect((await call("/auth/me", { token: right.body.access_token })).status).toBe(200);
    expect((await tokenFor({ username, password, otp })).status).toBe(401);
    const [recovery = ""] = recoveryCodes;
    expect((await tokenFor({ username, password, otp: recovery })).status).toBe(200);
    expect((await tokenFor({ username, password, otp: recovery })).status).toBe(401);
  });

  it("does not concern its keys, and other accounts need no code", async () => {
    const { visitor, password } = await signUp();
    const tokens = await visitor.open("/console/tokens");
    const created = await visitor.send(tokens, "/console/tokens", {
      ...{ action: "make-key", name: "kiosk", password },
    });
    const [key = ""] = created.html.match(/lai_[0-9A-Za-z]{36,}/) ?? [];
    await setUpSecondFactor(visitor, password);
    const body = { source_language: "eng", target_language: "lug", text: "How are you?" };
    expect((await call("/tasks/translate", { token: key, body })).status).toBe(200);

    const other = await signUp();
    const form = { username: other.username, password: other.password };
    expect((await tokenFor({ ...form, otp: "anything" })).status).toBe(200);
    expect((await tokenFor({ ...form, otp: "x".repeat(65) })).status).toBe(422);
  });
});

describe("A second factor that is on", () => {
  it("gets new recovery codes for a code, the old ones end, and a mail reports it", async () => {
    const { visitor, email, secret, recoveryCodes } = await withSecondFactor();
    const on = await visitor.open(secondFactorPath);
    const form = { action: "renew", code: codeOf(secret) };
    const renewed = await visitor.send(on, secondFactorPath, form);
    const codes = recoveryCodesIn(renewed);
    expect(new Set([...codes, ...recoveryCodes]).size).toBe(20);
    // Reloading the page sends the code again.
    const again = await visitor.send(on, secondFactorPath, form);
    expect([again.status, recoveryCodesIn(again)]).toEqual([422, []]);
    const old = { action: "renew", code: recoveryCodes[0] ?? "" };
    expect((await visitor.send(again, secondFactorPath, old)).status).toBe(422);
    const fresh = { action: "renew", code: codes[0] ?? "" };
    expect((await visitor.send(again, secondFactorPath, fresh)).status).toBe(200);
    if (!isLocal) return;
    const reports = async () => (await textsTo(email)).filter((text) => text.includes("new recovery codes"));
    await expect.poll(reports).toHaveLength(2);
  });

  it("is turned off with the password and a code, and a mail reports it", async () => {
    const { visitor, username, email, password, secret } = await withSecondFactor();
    const on = await visitor.open(secondFactorPath);
    const off = { action: "turn-off", password, turn_off_code: codeOf(secret) };
    const wrongPassword = await visitor.send(on, secondFactorPath, { ...off, password: "not it, sorry" });
    expect(problemIn(wrongPassword)).toBe("The password is incorrect.");
    const wrongCode = await visitor.send(on, secondFactorPath, { ...off, turn_off_code: "000000" });
    expect(problemIn(wrongCode)).toContain("The code is wrong");
    const done = await visitor.send(on, secondFactorPath, off);
    expect(done.path).toBe("/console/account?section=security&done=second-factor-off");
    expect(done.html).toContain("Two-step login is off.");
    expect((await logInTo({ username, password })).seen.path).toBe("/console");
    expect((await tokenFor({ username, password })).status).toBe(200);
    if (!isLocal) return;
    await expect
      .poll(async () => (await textsTo(email)).some((text) => text.includes("needs no code to log in")))
      .toBe(true);
  });

  it("confirms the deletion of the account, and the password does not", async () => {
    const { visitor, username, password, recoveryCodes } = await withSecondFactor();
    const data = await visitor.open("/console/account?section=data");
    expect(data.html).toContain("Six digits of the app, or one of your recovery codes.");
    const path = "/console/account";
    for (const typed of ["000000", password]) {
      const wrong = await visitor.send(data, path, { action: "delete-account", password: typed });
      expect(wrong.status).toBe(422);
    }
    const typed = { action: "delete-account", password: recoveryCodes[0] ?? "" };
    expect((await visitor.send(data, path, typed)).path).toBe(`${logInPath}?after=deleted`);
    expect((await tokenFor({ username, password })).status).toBe(401);
  });

  it.runIf(isLocal)("is removed by an operator for a lost phone, and a mail reports it", async () => {
    const { visitor, username, email, password, secret } = await withSecondFactor();
    const { access_token: token } = (await tokenFor({ username, password, otp: codeOf(secret) })).body;
    const variables = { DATA_DIR: inject("dataDirectory") };
    const operate = (...args: string[]) =>
      runHere("infra/commands/account.ts", [username, ...args], variables);
    const shown = await operate("--show");
    expect(JSON.parse(shown.output)).toMatchObject({ second_factor: true });
    const removed = await operate("--remove-second-factor");
    expect(removed.code).toBe(0);
    expect(JSON.parse(removed.output)).toMatchObject({ username, second_factor: false });
    expect((await call("/auth/me", { token })).status).toBe(401);
    expect((await visitor.open("/console")).path).toBe(logInPath);
    expect((await logInTo({ username, password })).seen.path).toBe("/console");
    await expect
      .poll(async () => (await textsTo(email)).some((text) => text.includes("An operator of this service")))
      .toBe(true);
    expect(await operate("--remove-second-factor")).toMatchObject({
      code: 1,
      output: expect.stringContaining("has no second factor"),
    });
  });
});
