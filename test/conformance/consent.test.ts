import { describe, expect, it } from "vitest";
import { call, createAccount, newRegistration } from "../support/client.ts";
import { FormVisitor, formsOf, logInTo, type SeenPage, termsOf } from "../support/form-visitor.ts";

const versionIn = ({ html }: SeenPage): string => /Version ([\w.-]+)/.exec(html)?.[1] ?? "";
const openTerms = () => new FormVisitor().open("/terms");

describe("The notices of a stage", () => {
  it.each([
    ["/privacy", "What is stored, and how long"],
    ["/terms", "Models make mistakes"],
  ])("are pages with a version: %s", async (path, words) => {
    const page = await new FormVisitor().open(path);
    expect(page.status).toBe(200);
    expect(page.html).toContain(words);
    expect(versionIn(page)).toMatch(/^\d{4}-\d\d-\d\d/);
    expect(page.html).not.toMatch(/\{\{|undefined/);
  });

  it("say what is stored, how long, who processes it, which rights there are, and whom to ask", async () => {
    const { html } = await new FormVisitor().open("/privacy");
    for (const words of [
      "Speech that was synthesised and stored",
      "30 days",
      "Amazon Web Services",
      "Erasure",
      "Contact",
    ])
      expect(html).toContain(words);
  });
});

describe("Consent", () => {
  const register = (more: object) => call("/auth/register", { body: { ...newRegistration(), ...more } });

  it("is recorded with its version and time when an account is created", async () => {
    const before = Date.now();
    const version = versionIn(await openTerms());
    const { status, body } = await register({ accepted_terms: version });
    expect({ status, body }).toMatchObject({ status: 201, body: { accepted_terms: { version } } });
    const at = Date.parse(JSON.parse(JSON.stringify(body)).accepted_terms.at);
    expect(at).toBeGreaterThanOrEqual(before - 60_000);
    expect(at).toBeLessThanOrEqual(Date.now() + 60_000);
  });

  it("is optional for programs", async () => {
    const { status, body } = await register({});
    expect(status).toBe(201);
    expect(body).not.toHaveProperty("accepted_terms");
    expect((await register({ accepted_terms: null })).status).toBe(201);
  });

  it.each([
    ["another type", 1, "string_type"],
    ["a truth", true, "string_type"],
    ["a version that does not exist", "1999-01-01", "value_error"],
    ["nothing", "", "string_too_short"],
  ])("is refused for %s, with the name of the field", async (_case, accepted_terms, type) => {
    const registration = newRegistration();
    expect(await call("/auth/register", { body: { ...registration, accepted_terms } })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "accepted_terms"], type }] },
    });
    // Nothing was created.
    expect((await call("/auth/register", { body: registration })).status).toBe(201);
  });

  it("is necessary on the page for sign-up, and the input stays", async () => {
    const visitor = new FormVisitor();
    const registration = newRegistration();
    const page = await visitor.open("/console/sign-up");
    const refused = await visitor.send(page, "/console/sign-up", { ...registration });
    expect(refused.status).toBe(422);
    expect(refused.html).toContain("Accept the terms to create an account.");
    expect(refused.html).toContain(`value="${registration.username}"`);
    const older = await visitor.send(refused, "/console/sign-up", {
      ...registration,
      accepted_terms: "1999-01-01",
    });
    expect(older.status).toBe(422);
    expect(older.html).toContain("The terms changed while you were reading.");
    const accepted = await visitor.send(older, "/console/sign-up", { ...registration, ...termsOf(older) });
    expect(accepted).toMatchObject({ status: 200, path: "/console" });
    expect(accepted.html).not.toContain("Please accept our terms");
  });

  it("is requested by the pages of an account that has not accepted the present terms", async () => {
    const { username, password, token } = await createAccount();
    const { visitor, seen: first } = await logInTo({ username, password });
    expect(first).toMatchObject({ status: 200, path: "/console" });
    expect(first.html).toContain("Please accept our terms");
    const account = await visitor.open("/console/account");
    expect(formsOf(account).some(({ fields }) => fields["action"] === "accept-terms")).toBe(true);
    const stale = await visitor.send(account, "/console/account", {
      action: "accept-terms",
      version: "1999-01-01",
    });
    expect(stale.status).toBe(422);
    expect(stale.html).toContain("The terms changed while you were reading.");
    expect((await visitor.open("/console")).html).toContain("Please accept our terms");
    const accepted = await visitor.send(account, "/console/account", { action: "accept-terms" });
    expect(accepted.html).toContain("You have accepted the terms.");
    expect(accepted.html).not.toContain("Please accept our terms");
    expect((await visitor.open("/console")).html).not.toContain("Please accept our terms");
    expect((await call("/auth/me", { token })).body).toMatchObject({
      accepted_terms: { version: versionIn(await openTerms()) },
    });
  });
});
