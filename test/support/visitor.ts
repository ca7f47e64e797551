import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { inject } from "vitest";
import type { AccountType } from "../../shared/accounts/access/account-access.ts";
import { baseUrl } from "./client.ts";
import { type LoggedIn, logInAs } from "./operators.ts";

/** The browser that all tests share. */
export const browser = await chromium.connect(inject("browserEndpoint"));

/** A person with a browser of their own, without cookies or storage from before. */
export interface Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser complained of since it was last asked: refusals by the policy of a page, errors of scripts. */
  complaints(): string[];
}

/** Listens to a browser from now on. @returns a function with the complaints since its last call. */
export const listenToComplaints = (context: BrowserContext): Visitor["complaints"] => {
  const complaints: string[] = [];
  context.on("console", (message) => {
    if (message.type() === "error") complaints.push(`${message.text()} (${message.location().url})`);
  });
  context.on("weberror", (error) => complaints.push(String(error.error())));
  return () => complaints.splice(0);
};

/** Opens a browser for as long as it takes: its first page costs four times as much as another page in it. */
export const openBrowser = async (options: BrowserContextOptions = {}): Promise<Visitor> => {
  const context = await browser.newContext({ permissions: ["microphone"], ...options });
  const complaints = listenToComplaints(context);
  context.setDefaultTimeout(60_000);
  return { page: await context.newPage(), context, complaints };
};

/** Lets a person look at pages, and closes their browser when they are done. */
export const visit = async <Result>(
  look: (visitor: Visitor) => Promise<Result>,
  options: BrowserContextOptions = {},
): Promise<Result> => {
  const visitor = await openBrowser(options);
  try {
    return await look(visitor);
  } finally {
    await visitor.context.close();
  }
};

/** A person with a new account, and a browser that is logged in to it without having shown a page. */
export const openBrowserAs = async (
  type: AccountType = "Free",
  options: BrowserContextOptions = {},
): Promise<Visitor & { readonly person: LoggedIn }> => {
  const person = await logInAs(type);
  const visitor = await openBrowser(options);
  await visitor.context.addCookies(
    [...person.visitor.cookies].map(([name, value]) => ({ name, value, url: baseUrl, httpOnly: true })),
  );
  return { ...visitor, person };
};
