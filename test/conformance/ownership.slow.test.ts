import { describe, expect, inject, it } from "vitest";
import { call, createAccount, expectError, logIn, type TestAccount } from "../support/client.ts";
import { FormVisitor, formsOf, logInTo, type SeenPage } from "../support/form-visitor.ts";
import { linkTo, textsTo } from "../support/local-mails.ts";

const newPassword = "nine cranes over the hill";

const me = (token: string) => call("/auth/me", { token });

const makeKey = async ({ token }: TestAccount, name: string): Promise<string> =>
  (await call("/auth/keys", { token, body: { name } })).body.key;

const reset = async ({ email }: Pick<TestAccount, "email">) => {
  await call("/auth/forgot-password", { body: { email } });
  const token = await linkTo(email, "/reset-password");
  return call("/auth/reset-password", { body: { token, new_password: newPassword } });
};

const verify = async ({ email }: Pick<TestAccount, "email">) =>
  call("/auth/verify-email", { body: { token: await linkTo(email, "/auth/verify-email") } });

const titleOf = ({ html }: SeenPage) => /<title>(.*?) – /.exec(html)?.[1];

describe.runIf(inject("isLocal"))("A reset of the password while the address is not verified", () => {
  it("is the first proof: it verifies the address, ends everything from before, and a mail lists it", async () => {
    const account = await createAccount();
    const key = await makeKey(account, "kiosk");
    const { body: before } = await call("/auth/webhook-secret", { token: account.token });
    const response = await reset(account);
    expect(response.body.message).toContain("Everything from before has ended");
    for (const credential of [key, account.token]) expectError(await me(credential), 401, "unauthenticated");
    const token = (await logIn(account.username, newPassword)).body.access_token;
    expect((await me(token)).body.email_verified).toBe(true);
    expect((await call("/auth/keys", { token })).body).toEqual({ keys: [] });
    expect((await call("/auth/webhook-secret", { token })).body.secret).not.toBe(before.secret);
    const mails = await textsTo(account.email);
    expect(mails.at(-1)).toContain(
      "- the password from before\n- all logins and access tokens\n- an API key\n",
    );
  });

  it("ends nothing a second time: the address is verified then, and keys outlive the next reset", async () => {
    const account = await createAccount();
    await reset(account);
    const token = (await logIn(account.username, newPassword)).body.access_token;
    const key = await makeKey({ ...account, token }, "kiosk");
    // A recipient gets one mail of a kind in a minute.
    const changed = { old_password: newPassword, new_password: `${newPassword} again` };
    expect((await call("/auth/change-password", { token, body: changed })).status).toBe(200);
    expect((await me(key)).status).toBe(200);
  });
});

describe.runIf(inject("isLocal"))("A reset of the password of a verified account", () => {
  it("ends tokens, and lists the keys that still work, on the page and in a mail, with a way to revoke all", async () => {
    const account = await createAccount();
    await verify(account);
    const keys = [await makeKey(account, "kiosk in Gulu"), await makeKey(account, "clinic <1>")];
    await call("/auth/forgot-password", { body: { email: account.email } });
    const link = await linkTo(account.email, "/reset-password");
    const visitor = new FormVisitor();
    const page = await visitor.open(`/reset-password?token=${link}`);
    const listed = await visitor.send(page, "/reset-password", { new_password: newPassword });
    expect(listed.path).toMatch(/^\/console\/revoke-keys\?token=/);
    for (const words of ["These still have access", "kiosk in Gulu", "clinic &lt;1>", "Revoke all keys"])
      expect(listed.html).toContain(words);
    expectError(await me(account.token), 401, "unauthenticated");
    for (const key of keys) expect((await me(key)).status).toBe(200);

    const mail = (await textsTo(account.email)).at(-1) ?? "";
    expect(mail).toContain("These API keys still work:\n- kiosk in Gulu (lai_");
    const fromMail = await new FormVisitor().open(
      `/console/revoke-keys?token=${await linkTo(account.email, "/console/revoke-keys")}`,
    );
    expect(fromMail.html).toContain("kiosk in Gulu");
    expect((await me(keys[0] ?? "")).status).toBe(200);
    const revoked = await visitor.send(listed, "/console/revoke-keys");
    expect(revoked).toMatchObject({ path: "/console/log-in?after=keys-revoked" });
    expect(revoked.html).toContain("All keys are revoked.");
    for (const key of keys) expectError(await me(key), 401, "unauthenticated");
    expect((await visitor.open(listed.path)).status).toBe(400);
  });

  it("leads to the login when there are no keys", async () => {
    const account = await createAccount();
    await verify(account);
    await call("/auth/forgot-password", { body: { email: account.email } });
    const visitor = new FormVisitor();
    const link = await linkTo(account.email, "/reset-password");
    const page = await visitor.open(`/reset-password?token=${link}`);
    const done = await visitor.send(page, "/reset-password", { new_password: newPassword });
    expect(done.path).toBe("/console/log-in?after=reset");
  });
});

const verifyPath = "/console/verify-email";

describe.runIf(inject("isLocal"))("The page behind the verification mail", () => {
  const openedBy = async (visitor: FormVisitor, { email }: TestAccount) =>
    visitor.open(`/auth/verify-email?token=${await linkTo(email, "/auth/verify-email")}`);

  it("verifies with a button for a person who is logged in to the account, and offers no more", async () => {
    const account = await createAccount();
    const { visitor } = await logInTo(account);
    const page = await openedBy(visitor, account);
    expect(page.html).not.toContain("I did not create this account");
    expect(page.html).not.toContain('name="password"');
    const done = await visitor.send(page, verifyPath, { action: "verify" });
    expect(done.html).toContain("Email address verified");
    expect((await me(account.token)).body.email_verified).toBe(true);
  });

  it("treats a person who is logged in to another account as a stranger", async () => {
    const [account, other] = [await createAccount(), await createAccount()];
    const { visitor } = await logInTo(other);
    const page = await openedBy(visitor, account);
    expect(page.html).toContain('name="password"');
    const [form] = formsOf(page).filter(({ action }) => action.endsWith(verifyPath));
    const forged = await visitor.ask(verifyPath, { form: { ...form?.fields, action: "verify" } });
    expect(forged.status).toBe(403);
    const typed = { action: "verify-with-password", password: other.password.toUpperCase() };
    expect((await visitor.send(page, verifyPath, typed)).status).toBe(422);
    expect((await me(account.token)).body.email_verified).toBe(false);
  });

  it("disables an account that the person did not create, frees its address, and a mail says so", async () => {
    const account = await createAccount();
    const key = await makeKey(account, "kiosk");
    const visitor = new FormVisitor();
    const page = await openedBy(visitor, account);
    expect(page.html).toContain("I did not create this account");
    expect((await me(account.token)).status).toBe(200);
    const done = await visitor.send(page, verifyPath, { action: "disown" });
    expect(done).toMatchObject({ status: 200, html: expect.stringContaining("The account is disabled") });
    for (const credential of [account.token, key]) expect((await me(credential)).status).toBe(401);
    expect((await logIn(account.username, account.password)).status).toBe(403);
    expect((await textsTo(account.email)).at(-1)).toMatch(/is disabled.*deleted on \d{4}-\d\d-\d\d/s);
    const registration = { username: `${account.username}-2`, email: account.email, password: newPassword };
    expect((await call("/auth/register", { body: registration })).status).toBe(201);
    // The link went with the account.
    expect((await visitor.open(page.path)).status).toBe(400);
    expect((await visitor.ask(verifyPath, { form: formsOf(page).at(-1)?.fields ?? {} })).status).toBe(400);
  });
});

describe("A form that is shown again", () => {
  const settings = "/console/account";

  it.each([
    ["change-password", "security", { old_password: "wrong", new_password: newPassword }],
    ["delete-account", "data", { password: "wrong" }],
  ])(
    "has the focus on its errors, and a title that begins with Error: %s",
    async (action, section, typed) => {
      const account = await createAccount();
      const { visitor } = await logInTo(account);
      const page = await visitor.open(`${settings}?section=${section}`);
      expect(titleOf(page)).toBe("Account");
      expect(page.html).not.toContain("autofocus");
      const refused = await visitor.send(page, settings, { action, ...typed });
      expect(titleOf(refused)).toBe("Error: Account");
      expect(refused.html.match(/autofocus/g)).toHaveLength(1);
      const failed = formsOf(refused).find(({ fields }) => fields["action"] === action);
      expect(failed?.content).toMatch(/^<div class="notice bad" role="alert" tabindex="-1" autofocus>/);
      expect(failed?.content).toContain("The password is incorrect.");
    },
  );

  it("has it on the login page too", async () => {
    const { seen: refused } = await logInTo({ username: "someone", password: "wrong" });
    expect(titleOf(refused)).toBe("Error: Log in");
    expect(refused.html).toMatch(/role="alert" tabindex="-1" autofocus>.*Incorrect username or password/s);
  });
});

describe("Access tokens", () => {
  it("are all revoked on the page of keys, which stays open", async () => {
    const account = await createAccount();
    const key = await makeKey(account, "kiosk");
    const [{ visitor }, { visitor: other }] = [await logInTo(account), await logInTo(account)];
    const page = await visitor.open("/console/tokens");
    const revoked = await visitor.send(page, "/console/tokens", { action: "revoke-all-tokens" });
    expect(revoked.path).toBe("/console/tokens?done=tokens-revoked");
    expect(revoked.html).toContain("All access tokens are revoked");
    expectError(await me(account.token), 401, "unauthenticated");
    expect((await me(key)).status).toBe(200);
    expect((await other.ask("/console")).status).toBe(303);
  });
});
