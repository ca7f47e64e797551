import { createElement } from "preact";
import { describe, expect, it } from "vitest";
import { LogIn, SignUp } from "../../../functions/console/entry/entry-views.tsx";
import { EmailVerified, RevokeKeys, VerifyEmail } from "../../../functions/console/entry/link-views.tsx";
import { render, textOf, visit } from "./rendered.ts";

const entered = { ...visit, next: undefined, providers: [], termsVersion: "2026-11-24" };
const signUp = (perDay: { verified: number | undefined; before: number | undefined }): string =>
  textOf(render(createElement(SignUp, { ...entered, perDay })));

describe("The page to sign up", () => {
  it("says how many requests an account has before and after its address is verified", () => {
    expect(signUp({ verified: 5_000, before: 500 })).toContain(
      "Free: 5,000 requests a day once you have verified your email address, and 500 until then.",
    );
    expect(signUp({ verified: 500, before: 500 })).toContain("Free: 500 requests a day.");
    expect(signUp({ verified: undefined, before: undefined })).not.toContain("requests a day");
  });

  it("leads to each provider, and on to the page that was wanted", () => {
    const providers = [{ name: "Campus", path: "/console/log-in/a" }];
    const view = { ...entered, providers, next: "/console/usage", perDay: { verified: 1, before: 1 } };
    const html = render(createElement(SignUp, view));
    expect(html).toContain('href="/prod/console/log-in/a?next=%2Fconsole%2Fusage"');
    expect(textOf(html)).toContain("Sign up with Campus");
  });
});

describe("The page to log in", () => {
  it("forgets what happened before once something is wrong", () => {
    const query = { after: "log-out" } as const;
    expect(textOf(render(createElement(LogIn, { ...entered, query })))).toContain("You are logged out.");
    const problems = { form: "Wait.", fields: {} };
    const refused = textOf(render(createElement(LogIn, { ...entered, query, problems })));
    expect(refused).toContain("Wait.");
    expect(refused).not.toContain("You are logged out.");
  });
});

describe("The page of a mailed link", () => {
  const link = { ...visit, token: "x".repeat(43), of: { ...visit.account, id: 8 }, logIn: "/console/log-in" };

  it("folds away how to disown an account, until that was refused", () => {
    expect(render(createElement(VerifyEmail, link))).toContain('<details class="otherwise">');
    const refused = { values: { action: "disown" }, problems: { form: "Wait.", fields: {} } };
    const html = render(createElement(VerifyEmail, { ...link, ...refused }));
    expect(html).toMatch(/<details class="otherwise" open>.*Wait\./s);
  });

  it("does not offer to disown the account of the person who is logged in", () => {
    expect(render(createElement(VerifyEmail, { ...link, of: visit.account }))).not.toContain("<details");
  });

  it("says what a verified account can do, if that has changed", () => {
    const { texts, language, url } = visit;
    const verified = (perDay: number | undefined) =>
      textOf(render(createElement(EmailVerified, { texts, language, url, perDay })));
    expect(verified(5_000)).toContain("You can now make 5,000 requests a day.");
    expect(verified(undefined)).toContain("Thank you. Your email address is verified.");
  });

  it("lists the keys and identities that still work, and offers to leave them", () => {
    const createdAt = "2026-11-20T10:00:00.000Z";
    const choices = { scopes: [], expiresAt: undefined, monthlyLimit: undefined };
    const keys = [{ id: "k1", name: "clinic-app", prefix: "lai_abc", createdAt, ...choices }];
    const joinedAt = createdAt;
    const identities = [{ id: "i1", provider: "Example ID", email: "amina@example.com", joinedAt }];
    const text = textOf(render(createElement(RevokeKeys, { ...link, keys, identities })));
    expect(text).toContain("clinic-app");
    expect(text).toContain("amina@example.com Added 20 Nov 2026");
    expect(text).toContain("Remove Example ID");
    expect(text).toContain("lai_abc… Created 20 Nov 2026");
    expect(text).toContain("Log in");
  });
});
