import { describe, expect, it } from "vitest";
import { baseUrl, call, logIn } from "../support/client.ts";
import { formsOf, logInTo, type SeenPage, signUp } from "../support/form-visitor.ts";

const translate = (token: string) =>
  call("/tasks/translate", {
    token,
    body: { source_language: "eng", target_language: "lug", text: "How are you?" },
  });

/** The value of a term in a definition list. */
const saidOf = ({ html }: SeenPage, term: string): string | undefined =>
  new RegExp(`<dt>${term}</dt><dd>(.*?)</dd>`, "s").exec(html)?.[1];

/** The cells of a column, by its label. */
const cellsOf = ({ html }: SeenPage, label: string): string[] =>
  Array.from(html.matchAll(RegExp(`data-label="${label}">(.*?)</td>`, "gs")), ([, cell = ""]) => cell);

const textIn = (html: string): string => html.replaceAll(/<[^>]*>/g, "");

const tokens = "/console/tokens";
const settings = "/console/account";
const security = `${settings}?section=security`;
const webhooks = `${settings}?section=webhooks`;

describe("The overview", () => {
  it("shows the account's status, and sends the verification mail again", async () => {
    const { visitor, seen, email, username } = await signUp();
    expect(seen.html).toContain(`Hello, ${username}`);
    expect(saidOf(seen, "Plan")).toContain("Free");
    expect(saidOf(seen, "Status")).toContain("Not verified");
    expect(seen.html).toMatch(/<strong class="figures">0<\/strong> <span class="of">of [\d,]+</);
    expect(seen.headers.get("cache-control")).toBe("no-store");
    const sent = await visitor.send(seen, "/console", { action: "send-verification" });
    expect(sent.path).toBe("/console?done=sent");
    expect(sent.html).toContain(`We have sent a new link to ${email}.`);
    const perMonth =
      /Long recordings this month<\/h2><p><strong class="figures">0<\/strong> <span class="of">of [\d,]+ minutes/;
    for (const path of ["/console", "/console/usage"])
      expect((await visitor.open(path)).html).toMatch(perMonth);
  });
});

describe("The page of keys", () => {
  it("teaches the first call, makes a key, shows it this once and revokes it", async () => {
    const { visitor, password } = await signUp();
    const empty = await visitor.open(tokens);
    expect(empty.html).toContain("No keys yet");
    expect(empty.html).toContain("Create one below.");

    const kiosk = { action: "make-key", name: "kiosk <Gulu>", scopes: "translate", monthly_limit: "5" };
    const wrong = await visitor.send(empty, tokens, { ...kiosk, password: "not this one" });
    expect(wrong).toMatchObject({ status: 422 });
    expect(wrong.html).toContain('id="make-key-password-problem"');
    expect(wrong.html).toContain('value="kiosk &lt;Gulu>"');
    const typed = { ...kiosk, password };
    const created = await visitor.send(empty, tokens, typed);
    expect(created).toMatchObject({ status: 200, path: tokens });
    const [key = "", ...others] = created.html.match(/lai_[0-9A-Za-z]{36,}/g) ?? [];
    // Once to copy, and once in each sample.
    expect(new Set(others)).toEqual(new Set([key]));
    expect(others).toHaveLength(3);
    expect(textIn(created.html)).toContain(`curl -s ${baseUrl}/tasks/translate`);
    expect(created.html).toContain("kiosk &lt;Gulu>");
    expect(created.headers.get("content-encoding")).toBeNull();
    expect((await translate(key)).status).toBe(200);
    expect((await call("/tasks/chat/completions", { token: key, body: {} })).status).toBe(403);

    const later = await visitor.open(tokens);
    expect(later.html).not.toContain(key);
    expect(later.html).toContain(key.slice(0, 12));
    expect([cellsOf(later, "Scopes"), cellsOf(later, "Used this month")]).toEqual([
      ["Translate"],
      ["1 of 5"],
    ]);

    const revoked = await visitor.send(later, tokens, { action: "revoke-key" });
    expect(revoked).toMatchObject({ status: 200, path: `${tokens}?done=revoked` });
    expect(revoked.html).toContain("The key is revoked.");
    expect((await translate(key)).status).toBe(401);
    // The page that was open before can be sent once more.
    expect((await visitor.send(later, tokens, { action: "revoke-key" })).html).toContain("already revoked");
  });

  it("shows an error next to its field, and keeps the input", async () => {
    const { visitor } = await signUp();
    const typed = { name: " ", scopes: "speech", last_day: "2020-02-01", monthly_limit: "many" };
    const wrong = await visitor.send(await visitor.open(tokens), tokens, { action: "make-key", ...typed });
    expect(wrong).toMatchObject({ status: 422, path: tokens });
    for (const [field, problem] of [
      ["name", "Enter your key name."],
      ["last_day", "The date must be in the future."],
      ["monthly_limit", "Enter a number."],
    ])
      expect(wrong.html).toMatch(new RegExp(`id="${field}-problem"><svg.*?</svg>${problem}`, "s"));
    expect(wrong.html).toContain('value="2020-02-01"');
    expect(wrong.html).toContain('value="many"');
    expect(wrong.html).toMatch(/value="speech" checked/);
    expect(wrong.html).not.toMatch(/value="chat" checked/);
    expect(wrong.html).toContain("No keys yet");
  });

  it("revokes all keys, and makes an access token that does what its owner may", async () => {
    const { visitor, username, password } = await signUp();
    let page = await visitor.open(tokens);
    const keys: string[] = [];
    for (const name of ["one", "two"]) {
      await visitor.send(page, tokens, { action: "make-key", name, password });
      page = await visitor.open(tokens);
    }
    const created = await visitor.send(page, tokens, { action: "make-token", password });
    const [token = ""] = created.html.match(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g) ?? [];
    expect(await call("/auth/me", { token })).toMatchObject({ status: 200, body: { username } });
    const { body } = await call("/auth/keys", { token });
    for (const { name, scopes } of body.keys) keys.push(`${name}: ${scopes.length}`);
    expect(keys).toEqual(["one: 7", "two: 7"]);

    const none = await visitor.send(created, tokens, { action: "revoke-all-keys" });
    expect(none.html).toContain("All keys are revoked.");
    expect((await call("/auth/keys", { token })).body).toEqual({ keys: [] });
    expect((await visitor.open(tokens)).html).not.toContain(token);
  });
});

describe("The response that shows a new secret", () => {
  it.each([
    ["make-key", /lai_[0-9A-Za-z]{36,}/],
    ["make-token", /eyJ[\w-]+\.[\w-]+\.[\w-]+/],
  ])("makes no second one when it is reloaded: %s", async (action, secret) => {
    const { visitor, password } = await signUp();
    const empty = await visitor.open(tokens);
    const form = formsOf(empty).find(({ fields }) => fields["action"] === action)?.fields ?? {};
    const sent = { ...form, name: "kiosk", password };
    const wrong = action === "make-key" ? { ...sent, name: " " } : sent;
    expect((await visitor.ask(tokens, { form: { ...wrong, forms_used: "x" } })).status).toBe(422);
    const created = await visitor.ask(tokens, { form: sent });
    expect(created.html).toMatch(secret);
    const again = await visitor.ask(tokens, { form: sent });
    expect(again.status).toBe(200);
    expect(again.html).toContain("You have already sent this form");
    expect(again.html).not.toMatch(secret);
    expect(cellsOf(again, "Scopes")).toHaveLength(action === "make-key" ? 1 : 0);
    expect((await visitor.send(again, tokens, { action, name: "another", password })).html).toMatch(secret);
  });

  it("makes one of several that are sent at the same moment", async () => {
    const { visitor, password } = await signUp();
    const page = await visitor.open(tokens);
    const typed = { action: "make-key", name: "kiosk", password };
    await Promise.all([1, 2, 3].map(() => visitor.send(page, tokens, typed)));
    expect(cellsOf(await visitor.open(tokens), "Scopes")).toHaveLength(1);
  });

  it("can be requested again after a failure", async () => {
    const { visitor, password } = await signUp();
    let page = await visitor.open(tokens);
    for (let created = 0; created < 20; created += 1) {
      page = await visitor.send(page, tokens, { action: "make-key", name: `${created}`, password });
      page = await visitor.open(tokens);
    }
    const refused = await visitor.send(page, tokens, { action: "make-key", name: "one more", password });
    expect(refused.html).toContain("You can have up to 20 keys.");
    page = await visitor.send(refused, tokens, { action: "revoke-key" });
    const created = await visitor.send(refused, tokens, { action: "make-key", name: "one more", password });
    expect(created.html).toContain("Key “one more” created");
  });
});

describe("The webhook secret", () => {
  it("is shown on request, and replaced", async () => {
    const { visitor, username, password } = await signUp();
    const page = await visitor.open(webhooks);
    expect(page.html).not.toContain("whsec_");
    const shownIn = async () =>
      /whsec_[\w+/=]+/.exec(
        (await visitor.send(page, settings, { action: "show-secret", password })).html,
      )?.[0];
    const first = await shownIn();
    const token = (await logIn(username, password)).body.access_token;
    const { body } = await call("/auth/webhook-secret", { token });
    expect(body).toEqual({ secret: first });
    const replaced = await visitor.send(page, settings, { action: "replace-secret", password });
    expect(replaced.path).toBe(`${webhooks}&done=secret-replaced`);
    expect(replaced.html).toContain("We also sign with the old one for one more day.");
    const second = await shownIn();
    expect(second).toMatch(/^whsec_/);
    expect(second).not.toBe(first);
  });
});

describe("The page of usage", () => {
  it("shows the days as bars and as a table, by operation and key, and as a file", async () => {
    const { visitor, password } = await signUp();
    const before = await visitor.open("/console/usage");
    expect(before.html).toContain("No usage in this period");
    const created = await visitor.send(await visitor.open(tokens), tokens, {
      action: "make-key",
      name: "kiosk",
      password,
    });
    const [key = ""] = created.html.match(/lai_[0-9A-Za-z]{36,}/g) ?? [];
    await translate(key);
    const used = await visitor.open("/console/usage");
    // One bar for phones and one for larger screens; a title for each day of both.
    expect(used.html.match(/<rect class="chart-1" x=/g)).toHaveLength(2);
    expect(used.html.match(/<title>\d+ \w+ \d+: \d+<\/title>/g)).toHaveLength(60);
    expect(used.html).toMatch(/aria-label="Requests from [^"]+: 1\. Highest on one day: 1\."/);
    expect(used.html).toMatch(/<th scope="col">Day<\/th><th[^>]*>Requests<\/th>/);
    expect(used.html).toContain(
      '<th scope="row">/tasks/translate</th><td class="number" data-label="Requests">1</td>',
    );
    expect(used.html).toContain('<th scope="row">kiosk</th><td class="number" data-label="Requests">1</td>');
    const [, link = ""] = /href="([^"]*format=csv[^"]*)"/.exec(used.html) ?? [];
    const file = await visitor.ask(
      link.replaceAll("&amp;", "&").slice(new URL(baseUrl).pathname.replace(/\/$/, "").length),
    );
    expect(file.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(file.html).toMatch(/POST,\/tasks\/translate,k\w+,1,0,/);
  });

  it("says what is wrong with days that cannot be shown, and shows others", async () => {
    const { visitor } = await signUp();
    const order = await visitor.open("/console/usage?from=2026-11-10&to=2026-11-01");
    expect(order.html).toContain("The first day must not be after the last day.");
    expect(order.html).toContain('value="2026-11-10"');
    const many = await visitor.open("/console/usage?from=2020-01-01&to=2026-11-01");
    expect(many.html).toContain("You can see up to 92 days at once.");
    expect((await visitor.open("/console/usage?from=yesterday&to=")).status).toBe(200);
  });
});

describe("The page of the account", () => {
  it("changes the profile, and keeps what is not typed", async () => {
    const { visitor } = await signUp();
    const profile = {
      full_name: "Amina Nakato",
      organization_type: "Research",
      sector: "health, education, ",
      default_language: "lug",
      language_1: "eng",
      language_3: "ach",
    };
    const saved = await visitor.send(await visitor.open(settings), settings, {
      action: "save-profile",
      ...profile,
    });
    expect(saved.path).toBe(`${settings}?done=saved`);
    expect(saved.html).toContain('value="health, education"');
    for (const code of ["lug", "eng", "ach"])
      expect(saved.html).toMatch(
        new RegExp(`<option selected value="${code}">|<option value="${code}" selected>`),
      );
    expect((await visitor.open("/console")).html).toContain("Hello, Amina Nakato");
  });

  it("empties what can be empty, and says what stays", async () => {
    const { visitor, username } = await signUp();
    const profile = {
      full_name: "Amina Nakato",
      organization: "Makerere",
      sector: "health",
      default_language: "lug",
    };
    const action = { action: "save-profile" };
    const page = await visitor.send(await visitor.open(settings), settings, { ...action, ...profile });
    const without = { organization: "", sector: "", default_language: "lug" };
    const emptied = await visitor.send(page, settings, { ...action, ...without });
    expect(emptied.path).toBe(`${settings}?done=saved`);
    expect(emptied.html).not.toContain('value="Makerere"');
    expect(emptied.html).not.toContain('value="health"');
    const stored = await visitor.send(emptied, settings, { ...action, full_name: "", default_language: "" });
    expect(stored.html).toContain("so they stay as they were: Full name.");
    expect(stored.html).not.toMatch(/<option selected value="lug">|<option value="lug" selected>/);
    expect(stored.html).toContain('value="Amina Nakato"');
    expect((await visitor.open("/console")).html).not.toContain(`Hello, ${username}`);
  });

  it("changes the password: other sessions end, this one stays, and keys work", async () => {
    const { visitor, username, password } = await signUp();
    const other = await logInTo({ username, password });
    expect(other.seen.path).toBe("/console");
    const page = await visitor.open(security);
    expect(page.html.match(/<dt>Last used<\/dt>/g)).toHaveLength(2);

    const change = { action: "change-password", new_password: "nine herons at the shore" };
    const refused = await visitor.send(page, settings, { ...change, old_password: "not this one" });
    expect(refused).toMatchObject({ status: 422, path: settings });
    expect(refused.html).toContain('id="old_password-problem">');
    expect(refused.html).toContain("The password is incorrect.");
    expect(refused.html).not.toContain("nine herons");
    const common = await visitor.send(page, settings, {
      ...change,
      new_password: "password1",
      old_password: password,
    });
    expect(common).toMatchObject({ status: 422 });
    expect(common.html).toMatch(/id="new_password-problem"><svg.*?<\/svg>This password is too common\./s);

    const changed = await visitor.send(page, settings, { ...change, old_password: password });
    expect(changed.path).toBe(`${security}&done=password-changed`);
    expect(changed.html.match(/<dt>Last used<\/dt>/g)).toHaveLength(1);
    expect((await other.visitor.open("/console")).path).toBe("/console/log-in");
    expect((await logInTo({ username, password: "nine herons at the shore" })).seen.path).toBe("/console");
  });

  it("logs out everywhere, which revokes access tokens too, and says so", async () => {
    const { visitor, username, password } = await signUp();
    const other = await logInTo({ username, password });
    const token = (await logIn(username, password)).body.access_token;
    const page = await visitor.open(security);
    expect(page.html).toContain("This also revokes all access tokens. Your keys keep working.");
    const out = await visitor.send(page, settings, { action: "log-out-everywhere" });
    expect(out.html).toContain("You are logged out.");
    expect((await call("/auth/me", { token })).status).toBe(401);
    for (const { visitor: one } of [{ visitor }, other])
      expect((await one.open("/console")).path).toBe("/console/log-in");
  });

  it("deletes the account, once its password confirms that", async () => {
    const { visitor, username, password } = await signUp();
    const page = await visitor.open(`${settings}?section=data`);
    const wrong = await visitor.send(page, settings, { action: "delete-account", password: "not this one" });
    expect(wrong).toMatchObject({ status: 422 });
    expect(wrong.html).toMatch(
      /<details open[^>]*>.*id="delete-account-password-problem"><svg.*?<\/svg>The password is incorrect\./s,
    );
    const gone = await visitor.send(page, settings, { action: "delete-account", password });
    expect(gone.html).toContain("Your account is deleted.");
    const { seen } = await logInTo({ username, password });
    expect(seen).toMatchObject({ status: 422, path: "/console/log-in" });
  });
});
