import { describe, expect, inject, it } from "vitest";
import {
  meOperation,
  profileOperation,
  profileStatusOperation,
  registerOperation,
} from "../../functions/auth/account-contract.ts";
import {
  changePasswordOperation,
  forgotPasswordOperation,
  refreshTokenOperation,
  resendVerificationOperation,
  resetPasswordOperation,
  showVerificationPageOperation,
  tokenOperation,
  verifyEmailOperation,
} from "../../functions/auth/credentials-contract.ts";
import {
  call,
  createAccount,
  expectDeclared,
  expectError,
  logIn,
  newRegistration,
  outcomeOf,
} from "../support/client.ts";
import { FormVisitor } from "../support/form-visitor.ts";
import { mailsTo } from "../support/local-mails.ts";

const me = (token?: string) => call("/auth/me", { token });

/** The newest mail to an address, and the token in its link. */
const latestMail = async (email: string) => {
  const mail = (await mailsTo(email)).at(-1);
  return { ...mail, token: new URL(/http\S+/.exec(mail?.text ?? "")?.[0] ?? "").searchParams.get("token") };
};

describe("POST /auth/register", () => {
  it("creates an account and shows it without the password", async () => {
    const registration = newRegistration();
    const response = await call("/auth/register", { body: registration });
    expect(response.status).toBe(201);
    expectDeclared(registerOperation, response);
    expect(response.body).toEqual({
      id: expect.any(Number),
      username: registration.username,
      email: registration.email,
      organization: "Unknown",
      account_type: "Free",
      oauth_type: "Credentials",
      full_name: null,
      organization_type: null,
      sector: null,
      email_verified: false,
    });
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  it("takes neither tier nor provider, id or verification from the body", async () => {
    const { body } = await call("/auth/register", {
      body: {
        ...newRegistration(),
        account_type: "Admin",
        oauth_type: "IdentityProviderA",
        email_verified: true,
        id: 1,
        disabled: true,
        token_epoch: 9,
      },
    });
    expect(body).toMatchObject({ account_type: "Free", oauth_type: "Credentials", email_verified: false });
  });

  it("keeps usernames and addresses unique, in any case", async () => {
    const registration = newRegistration();
    await call("/auth/register", { body: registration });
    const sameName = { ...newRegistration(), username: registration.username.toUpperCase() };
    const sameAddress = { ...newRegistration(), email: registration.email.toUpperCase() };
    const name = await call("/auth/register", { body: sameName });
    expectError(name, 409, "username_taken");
    expect(name.body.error.param).toBe("username");
    const address = await call("/auth/register", { body: sameAddress });
    expectError(address, 409, "email_taken");
    expect(address.body.error.param).toBe("email");
  });

  it("assigns a name to one of two simultaneous requests", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { username } = newRegistration();
      const responses = await Promise.all(
        [1, 2].map(() => call("/auth/register", { body: { ...newRegistration(), username } })),
      );
      expect(responses.map(outcomeOf).sort()).toEqual(["201 done", "409 username_taken"]);
    }
  });

  it.each([
    ["username", "with space", "value_error"],
    ["email", undefined, "missing"],
    ["password", "password1", "value_error"],
    ["sector", "Health", "list_type"],
  ])("names %s as the problem when it is %j", async (field, value, type) => {
    const response = await call("/auth/register", { body: { ...newRegistration(), [field]: value } });
    expectDeclared(registerOperation, response);
    expect(response).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", field], type }] } });
  });

  it("never repeats a rejected password", async () => {
    const response = await call("/auth/register", {
      body: { ...newRegistration(), email: "nobody", password: "hunter2-is-my-secret" },
    });
    expect(response.status).toBe(422);
    expect(JSON.stringify(response.body)).not.toContain("hunter2");
  });
});

describe("POST /auth/token", () => {
  it("exchanges name and password for a bearer token", async () => {
    const { username, password } = await createAccount();
    const response = await logIn(username, password);
    expectDeclared(tokenOperation, response);
    expect(response).toMatchObject({ status: 200, body: { token_type: "bearer", expires_in: 604_800 } });
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  it("also knows the account by its address, in any case", async () => {
    const { email, password } = await createAccount();
    expect(await logIn(email.toUpperCase(), password)).toMatchObject({ status: 200 });
  });

  it("is a form, and refuses JSON with that message", async () => {
    const response = await call("/auth/token", { body: { username: "x", password: "y" } });
    expect(response).toMatchObject({
      status: 422,
      body: {
        detail: [
          {
            loc: ["body"],
            type: "model_attributes_type",
            msg: expect.stringContaining("application/x-www-form-urlencoded"),
          },
        ],
        error: "invalid_request",
      },
    });
  });

  it("knows only the password grant", async () => {
    const { username, password } = await createAccount();
    const ask = (grant_type: string) =>
      call("/auth/token", { body: new URLSearchParams({ grant_type, username, password }) });
    expect(await ask("password")).toMatchObject({ status: 200 });
    expect(await ask("client_credentials")).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "grant_type"] }], error: "unsupported_grant_type" },
    });
  });
});

describe("a bearer token", () => {
  it("opens the account it was issued for", async () => {
    const account = await createAccount();
    const response = await me(account.token);
    expectDeclared(meOperation, response);
    expect(response.body).toMatchObject({
      id: account.id,
      username: account.username,
      email_verified: false,
    });
  });

  it("is replaced by refreshing it, and stops at once", async () => {
    const { token } = await createAccount();
    const refreshed = await call("/auth/refresh-token", { method: "POST", token });
    expectDeclared(refreshTokenOperation, refreshed);
    expect(await me(refreshed.body.access_token)).toMatchObject({ status: 200 });
    expectError(await me(token), 401, "unauthenticated");
    expectError(await call("/auth/refresh-token", { method: "POST", token }), 401, "unauthenticated");
  });

  it("is replaced once, however many ask at the same moment", async () => {
    for (let round = 0; round < 3; round += 1) {
      const { token } = await createAccount();
      const responses = await Promise.all(
        [1, 2, 3].map(() => call("/auth/refresh-token", { method: "POST", token })),
      );
      expect(responses.map(outcomeOf).sort()).toEqual([
        "200 done",
        "401 unauthenticated",
        "401 unauthenticated",
      ]);
    }
  });

  it("of the same account leaves the others alone when it is refreshed", async () => {
    const { username, password, token } = await createAccount();
    const other = (await logIn(username, password)).body.access_token;
    await call("/auth/refresh-token", { method: "POST", token });
    expect(await me(other)).toMatchObject({ status: 200 });
  });
});

describe("PUT /auth/profile", () => {
  it("changes what is given and leaves the rest", async () => {
    const { token } = await createAccount();
    const first = await call("/auth/profile", {
      method: "PUT",
      token,
      body: { full_name: "Amina N.", organization_type: "NGO", sector: ["Health"], username: "other" },
    });
    expectDeclared(profileOperation, first);
    const second = await call("/auth/profile", {
      method: "PUT",
      token,
      body: { full_name: null, organization: "Clinic" },
    });
    expect(second.body).toMatchObject({
      full_name: "Amina N.",
      organization: "Clinic",
      organization_type: "NGO",
      sector: ["Health"],
    });
    expect(second.body.username).not.toBe("other");
  });

  it("names the six organisation types when another one is sent", async () => {
    const { token } = await createAccount();
    const response = await call("/auth/profile", {
      method: "PUT",
      token,
      body: { organization_type: "Circus" },
    });
    expectError(response, 400, "bad_request");
    expect(response.body.detail).toContain("NGO, Government, Private Sector, Research, Individual, Other");
  });

  it("refuses a blank sector, and sectors that are no list", async () => {
    const { token } = await createAccount();
    const put = (body: object) => call("/auth/profile", { method: "PUT", token, body });
    expectError(await put({ sector: ["Health", " "] }), 400, "bad_request");
    expectError(await put({ sector: "Health" }), 422, "validation_failed");
  });

  it("is complete when its four fields have values", async () => {
    const { token } = await createAccount();
    const empty = await call("/auth/profile/status", { token });
    expectDeclared(profileStatusOperation, empty);
    expect(empty.body).toEqual({
      is_complete: false,
      missing_fields: ["full_name", "organization", "organization_type", "sector"],
    });
    await call("/auth/profile", {
      method: "PUT",
      token,
      body: { full_name: "A", organization: "B", organization_type: "Other", sector: ["C"] },
    });
    expect((await call("/auth/profile/status", { token })).body).toEqual({
      is_complete: true,
      missing_fields: [],
    });
  });
});

describe.runIf(inject("isLocal"))("verification of the email address", () => {
  it("works by the token in the mail, and not by a look at its link", async () => {
    const account = await createAccount();
    const { subject, html, token } = await latestMail(account.email);
    expect(subject).toBe("Verify your email address");
    expect(html).toContain("<a href=");
    const looked = await call(`/auth/verify-email?token=${token}`);
    expectDeclared(showVerificationPageOperation, looked);
    expect((await me(account.token)).body.email_verified).toBe(false);
    const verified = await call("/auth/verify-email", { body: { token } });
    expectDeclared(verifyEmailOperation, verified);
    expect(verified).toMatchObject({ status: 200, body: { success: true } });
    expect((await me(account.token)).body.email_verified).toBe(true);
    const again = await call("/auth/verify-email", { body: { token } });
    expect(again.body.message).toBe("The email address is already verified.");
  });

  it("shows a browser a page without JavaScript", async () => {
    const account = await createAccount();
    const { token } = await latestMail(account.email);
    const visitor = new FormVisitor();
    const page = await visitor.open(`/auth/verify-email?token=${token}`);
    expect(page).toMatchObject({ status: 200, path: `/console/verify-email?token=${token}` });
    expect(page.html).toContain("Verify your email address");
    expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none';.*form-action 'self'/);
    expect((await me(account.token)).body.email_verified).toBe(false);
    const { password } = account;
    const verification = { action: "verify-with-password", password };
    const refused = await visitor.send(page, "/console/verify-email", { ...verification, password: "wrong" });
    expect(refused).toMatchObject({ status: 422, html: expect.stringContaining("password is incorrect") });
    expect((await me(account.token)).body.email_verified).toBe(false);
    const done = await visitor.send(refused, "/console/verify-email", verification);
    expect(done).toMatchObject({ status: 200, html: expect.stringContaining("is verified") });
    expect((await me(account.token)).body.email_verified).toBe(true);
    const again = await visitor.open(`/auth/verify-email?token=${token}`);
    expect(again).toMatchObject({ status: 200, html: expect.stringContaining("is verified") });
    for (const query of ["?token=abc", `?token=${"x".repeat(43)}`, ""]) {
      const wrong = await visitor.open(`/auth/verify-email${query}`);
      expect(wrong).toMatchObject({ status: 400, html: expect.stringContaining("does not work") });
    }
  });

  it("refuses an unknown link, and one without its token", async () => {
    expectError(await call("/auth/verify-email?token=abc"), 400, "invalid_link");
    const response = await call("/auth/verify-email");
    expect(response).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["query", "token"], type: "missing" }] },
    });
  });

  it("can be requested again until it is done; a recipient gets one mail a minute, with the same response each time", async () => {
    const account = await createAccount();
    const { token } = await latestMail(account.email);
    for (let time = 0; time < 5; time += 1) {
      const resent = await call("/auth/resend-verification", { method: "POST", token: account.token });
      expectDeclared(resendVerificationOperation, resent);
      expect(resent.body.message).toBe("We have sent a new verification mail.");
    }
    expect((await latestMail(account.email)).token).toBe(token);
    await call("/auth/verify-email", { body: { token } });
    const done = await call("/auth/resend-verification", { method: "POST", token: account.token });
    expect(done.body.message).toContain("already");
  });
});

describe.runIf(inject("isLocal"))("a lost password", () => {
  it("is replaced by the token in the mail, once; every token of the account ends", async () => {
    const account = await createAccount();
    const requested = await call("/auth/forgot-password", { body: { email: account.email } });
    expectDeclared(forgotPasswordOperation, requested);
    const { token } = await latestMail(account.email);
    const reset = { token, new_password: "nine cranes over the hill" };
    const response = await call("/auth/reset-password", { body: reset });
    expectDeclared(resetPasswordOperation, response);
    expect(response.status).toBe(200);
    expectError(await me(account.token), 401, "unauthenticated");
    expect(await logIn(account.username, account.password)).toMatchObject({ status: 401 });
    expect(await logIn(account.username, reset.new_password)).toMatchObject({ status: 200 });
    expectError(await call("/auth/reset-password", { body: reset }), 400, "invalid_link");
  });

  it("gets the same response for an unknown address, and no mail", async () => {
    const { email } = newRegistration();
    const account = await createAccount();
    const known = await call("/auth/forgot-password", { body: { email: account.email } });
    const unknown = await call("/auth/forgot-password", { body: { email } });
    expect([known.status, unknown.status]).toEqual([200, 200]);
    expect(unknown.body).toEqual(known.body);
    expect([...unknown.headers.keys()].sort()).toEqual([...known.headers.keys()].sort());
    expect(await mailsTo(email)).toEqual([]);
  });
});

describe("POST /auth/change-password", () => {
  it("requires the old one, and ends every token of the account", async () => {
    const account = await createAccount();
    const change = (old_password: string, new_password: string) =>
      call("/auth/change-password", { token: account.token, body: { old_password, new_password } });
    expectError(await change("wrong", "nine cranes over the hill"), 401, "invalid_credentials");
    expectError(await change(account.password, "password1"), 422, "validation_failed");
    const changed = await change(account.password, "nine cranes over the hill");
    expectDeclared(changePasswordOperation, changed);
    expectError(await me(account.token), 401, "unauthenticated");
    expect(await logIn(account.username, "nine cranes over the hill")).toMatchObject({ status: 200 });
  });
});
