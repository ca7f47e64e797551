import { beforeAll, describe, expect, inject, it } from "vitest";
import type { AccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import { call } from "../support/client.ts";
import { FormVisitor, formsOf } from "../support/form-visitor.ts";
import { actsOn, type LoggedIn, localAccounts, logInAs, readableOf, tokenOf } from "../support/operators.ts";

const admin = "/console/admin";

let accounts: AccountsRepository;

const pathOf = ({ id }: Pick<LoggedIn, "id">): string => `${admin}/accounts/${id}`;

const isLocal = inject("isLocal");

describe.runIf(isLocal)("The operators' pages", () => {
  let operator: LoggedIn;

  beforeAll(async () => {
    accounts = await localAccounts();
    operator = await logInAs("Admin");
  });

  const pages = () => [
    ...[admin, `${admin}?q=${operator.username}`, pathOf(operator), `${admin}/audit`],
    ...["jobs", "jobs?list=failed", "deliveries", "usage", "models"].map((name) => `${admin}/${name}`),
  ];

  it.each(["Free", "Premium"] as const)(
    "are refused to an account of the type %s, without any data",
    async (type) => {
      const other = await logInAs(type);
      for (const path of pages()) {
        const seen = await other.visitor.open(path);
        expect(seen.status, path).toBe(403);
        expect(seen.html).toContain("For operators only");
        for (const secret of [operator.username, operator.email, "<table", "tab-bar"]) {
          expect(seen.html, path).not.toContain(secret);
        }
        expect(seen.html).not.toContain('href="/prod/console/admin"');
      }
    },
  );

  it("are no place for keys and tokens", async () => {
    const token = await tokenOf(operator);
    const stranger = new FormVisitor();
    const seen = await stranger.ask(admin, { headers: { Authorization: `Bearer ${token}` } });
    expect(seen.status).toBe(303);
    expect(seen.headers.get("location")).toContain("/console/log-in");
    const { body } = await call(admin, {
      headers: { Accept: "application/json", Authorization: `Bearer ${token}` },
    });
    expect(body).toMatchObject({ error: { code: "unauthenticated" } });
  });

  it("are refused at the next request to an operator who becomes Free", async () => {
    const former = await logInAs("Admin");
    expect((await former.visitor.open(admin)).status).toBe(200);
    const details = await former.visitor.open(pathOf(operator));
    const other = await logInAs();
    const open = await former.visitor.open(pathOf(other));
    await accounts.setAccountType(former.id, "Free");
    expect((await former.visitor.open(admin)).status).toBe(403);
    expect(details.status).toBe(200);
    // A form that was open before.
    const sent = await former.visitor.send(open, pathOf(other), { action: "disable" });
    expect(sent.status).toBe(403);
    expect(sent.html).not.toContain(other.username);
    expect((await accounts.find({ id: other.id }))?.disabled).toBe(false);
  });

  it("refuse forged forms", async () => {
    const other = await logInAs();
    const seen = await operator.visitor.open(pathOf(other));
    const form = formsOf(seen).find(({ fields }) => fields["action"] === "disable")?.fields ?? {};
    const forged = { ...form, form_token: "x".repeat(86) };
    const stranger = { Origin: "https://elsewhere.example", "Sec-Fetch-Site": "cross-site" };
    for (const sent of [
      await operator.visitor.ask(pathOf(other), { form: forged }),
      await operator.visitor.ask(pathOf(other), { form, headers: stranger }),
    ]) {
      expect(sent.status).toBe(403);
      expect(sent.html).toContain("This form was open for too long.");
    }
    expect((await accounts.find({ id: other.id }))?.disabled).toBe(false);
    expect(await actsOn(operator, other)).toEqual([]);
  });

  it("find accounts by username, address and number, and by how these begin", async () => {
    const other = await logInAs();
    const find = async (text: string) =>
      readableOf(await operator.visitor.open(`${admin}?q=${encodeURIComponent(text)}`));
    for (const text of [
      other.username.toUpperCase(),
      other.email,
      String(other.id),
      other.username.slice(0, -1),
      other.email.slice(0, -4),
    ])
      expect(await find(text), text).toContain(other.email);
    expect(await find("no-such-account-anywhere")).toContain("No account matches");
    expect(readableOf(await operator.visitor.open(admin))).toContain(other.username);
  });

  it("page the list of accounts", async () => {
    const prefix = `page-${Date.now()}`;
    for (let index = 0; index < 27; index += 1) {
      const username = `${prefix}-${index}`;
      await accounts.create({
        username,
        email: `${username}@example.com`,
        password_hash: "$argon2id$the-hash",
        organization: "Unknown",
      });
    }
    const listed = (html: string) => new Set(html.match(new RegExp(`>${prefix}-\\d+<`, "g")));
    for (const path of [`${admin}?q=${prefix}`, admin]) {
      const first = await operator.visitor.open(path);
      const [, more = ""] = /<a href="\/prod([^"]+)">More/.exec(first.html) ?? [];
      const second = await operator.visitor.open(more.replaceAll("&amp;", "&"));
      const [one, other] = [listed(first.html), listed(second.html)];
      // Other tests create accounts in between.
      expect(one.size).toBeGreaterThan(15);
      expect(new Set([...one, ...other]).size).toBe(27);
      expect([...one].filter((name) => other.has(name))).toEqual([]);
    }
  });

  it("show an account", async () => {
    const other = await logInAs();
    const token = await tokenOf(other);
    const bearer = { headers: { Authorization: `Bearer ${token}` } };
    await call("/auth/keys", { method: "POST", ...bearer, body: { name: "kiosk in Gulu" } });
    const seen = await operator.visitor.open(pathOf(other));
    expect(seen.status).toBe(200);
    expect(seen.headers.get("cache-control")).toBe("no-store");
    const text = readableOf(seen);
    for (const part of [other.email, "Not verified", "kiosk in Gulu", "Sent to this address", "Last seen"]) {
      expect(text).toContain(part);
    }
    expect(text).toMatch(/Last seen \d+ \w+ \d{4}/);
    expect(seen.html).not.toContain("argon2");
    expect((await operator.visitor.open(`${admin}/accounts/99999999`)).status).toBe(404);
    expect((await operator.visitor.open(`${admin}/accounts/abc`)).status).toBe(404);
  });

  it("disable and enable an account, and record both", async () => {
    const other = await logInAs();
    const disabled = await operator.visitor.send(await operator.visitor.open(pathOf(other)), pathOf(other), {
      action: "disable",
    });
    expect(disabled.html).toContain("The account is disabled.");
    expect((await other.visitor.open("/console")).path).toContain("/console/log-in");
    const enabled = await operator.visitor.send(disabled, pathOf(other), { action: "enable" });
    expect(enabled.html).toContain("The account is enabled.");
    const [last, first] = await actsOn(operator, other);
    expect(last).toContain("Enabled the account");
    expect(first).toContain("Disabled the account");
    for (const row of [first, last]) {
      expect(row).toContain(operator.username);
      expect(row).toMatch(/\b127\.0\.0\.0\/24\b/);
    }
  });

  it("change the plan only with a code of the operator, not with the password, and record it", async () => {
    const other = await logInAs();
    const seen = await operator.visitor.open(`${pathOf(other)}?act=change-tier`);
    const type = { action: "change-tier", type: "Premium" };
    expect(seen.html).toContain('autocomplete="one-time-code"');
    const { password } = operator;
    const wrong = await operator.visitor.send(seen, pathOf(other), { ...type, password });
    expect(wrong).toMatchObject({ status: 422 });
    expect(wrong.html).toContain("The code is wrong");
    const none = await operator.visitor.send(wrong, pathOf(other), type);
    expect(none.status).toBe(422);
    expect((await accounts.find({ id: other.id }))?.account_type).toBe("Free");
    expect(await actsOn(operator, other)).toEqual([]);

    const code = { password: operator.nextCode() };
    const changed = await operator.visitor.send(none, pathOf(other), { ...type, ...code });
    expect(changed.html).toContain("The plan is changed.");
    expect((await accounts.find({ id: other.id }))?.account_type).toBe("Premium");
    expect(await actsOn(operator, other)).toEqual([expect.stringContaining("Free → Premium")]);
  });

  it("revoke all keys of an account, and record it", async () => {
    const other = await logInAs();
    const token = await tokenOf(other);
    const bearer = { headers: { Authorization: `Bearer ${token}` } };
    const { body } = await call("/auth/keys", { method: "POST", ...bearer, body: { name: "kiosk" } });
    const seen = await operator.visitor.open(pathOf(other));
    const revoked = await operator.visitor.send(seen, pathOf(other), { action: "revoke-keys" });
    expect(revoked.html).toContain("All keys are revoked.");
    const translated = await call("/tasks/translate", {
      method: "POST",
      headers: { Authorization: `Bearer ${body.key}` },
      body: { source_language: "eng", target_language: "lug", text: "Hello" },
    });
    expect(translated.status).toBe(401);
    expect(await actsOn(operator, other)).toEqual([expect.stringContaining("Revoked all keys")]);
  });

  it("delete an account whose username was typed, and record it without its name", async () => {
    const other = await logInAs();
    const seen = await operator.visitor.open(`${pathOf(other)}?act=delete`);
    const typed = { action: "delete", password: operator.nextCode() };
    const wrong = await operator.visitor.send(seen, pathOf(other), { ...typed, typed_username: "amina" });
    expect(wrong.status).toBe(400);
    expect(wrong.html).toContain("This is not the username of the account.");
    const deleted = await operator.visitor.send(wrong, pathOf(other), {
      ...typed,
      typed_username: other.username,
    });
    expect(deleted.html).toContain("The account is deleted.");
    expect((await operator.visitor.open(pathOf(other))).status).toBe(404);
    const [act = ""] = await actsOn(operator, other);
    expect(act).toContain("Deleted the account");
    expect(act).toContain(`#${other.id}`);
    expect(act).not.toContain(other.username);
    for (const name of [other.username, other.email]) {
      expect(readableOf(await operator.visitor.open(`${admin}?q=${name}`))).toContain("No account matches");
    }
  });

  it("do not let operators change their own account", async () => {
    const seen = await operator.visitor.open(pathOf(operator));
    expect(seen.html).toContain("This is your own account.");
    const [form] = formsOf(await operator.visitor.open(pathOf(await logInAs())));
    const sent = await operator.visitor.ask(pathOf(operator), {
      form: { ...form?.fields, action: "disable" },
    });
    expect(sent.status).toBe(400);
    expect((await accounts.find({ id: operator.id }))?.disabled).toBe(false);
  });
});
