import { describe, expect, inject, it } from "vitest";
import { call, createAccount } from "../support/client.ts";
import { FormVisitor } from "../support/form-visitor.ts";
import { retiredWordsIn, retiredWordsInPage } from "../support/retired-words.ts";

const prefix = new URL(inject("baseUrl")).pathname.replace(/\/$/, "");

/** The pages that links lead to from the first ones, each with its HTML. */
const readPages = async (
  visitor: FormVisitor,
  firstPages: readonly string[],
  isMeant: (path: string) => boolean,
): Promise<Map<string, string>> => {
  const pages = new Map<string, string>();
  const paths = new Set(firstPages);
  for (const path of paths) {
    const { html } = await visitor.open(path);
    pages.set(path, html);
    for (const [, link = ""] of html.matchAll(/\shref="([^"#?]*)/g)) {
      const found = link.startsWith(`${prefix}/`) ? link.slice(prefix.length) : "";
      if (isMeant(found) && !found.includes("/assets/")) paths.add(found);
    }
  }
  return pages;
};

const retiredIn = (pages: ReadonlyMap<string, string>): string[] =>
  [...pages].flatMap(([path, html]) => retiredWordsInPage(html).map((found) => `${path}: ${found}`));

describe("No word that the naming page retires", () => {
  it("is on a page of the console, for a visitor or for an account, or in the documentation", async () => {
    const visitor = new FormVisitor();
    const anyPages = await readPages(visitor, ["/", "/console/forgot-password"], (path) =>
      /^\/(console|docs)/.test(path),
    );
    const { username, password } = await createAccount();
    await visitor.send(await visitor.open("/console/log-in"), "/console/log-in", { username, password });
    const accountPages = await readPages(visitor, ["/", "/console"], (path) => /^\/console/.test(path));
    expect(anyPages.size).toBeGreaterThan(80);
    expect(accountPages.size).toBeGreaterThan(6);
    const found = new Set([...retiredIn(anyPages), ...retiredIn(accountPages)]);
    expect([...found]).toEqual([]);
  });

  it("is next to a field with a wrong value, or on the page of an error", async () => {
    const visitor = new FormVisitor();
    const form = await visitor.open("/console/sign-up");
    const wrong = await visitor.send(form, "/console/sign-up", { username: "a", email: "b", password: "c" });
    expect(wrong.html).toContain("aria-invalid");
    const missing = await visitor.open("/console/nothing");
    expect(missing.status).toBe(404);
    expect([wrong, missing].flatMap(({ html }) => retiredWordsInPage(html))).toEqual([]);
  });

  it.runIf(inject("isLocal"))("is in a mail", async () => {
    const { email } = await createAccount();
    await call("/auth/forgot-password", { body: { email } });
    const { body } = await call("/_local/mail");
    const mails: { subject: string; text: string }[] = body.filter(({ to }: { to: string[] }) =>
      to.includes(email),
    );
    expect(mails).toHaveLength(2);
    expect(mails.flatMap(({ subject, text }) => [subject, text]).flatMap(retiredWordsIn)).toEqual([]);
  });
});
