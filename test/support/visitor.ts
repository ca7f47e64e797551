import { AxeBuilder } from "@axe-core/playwright";
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect, inject } from "vitest";
import { type Person, register } from "./console-visit.ts";
import { openLocalAccounts } from "./local-accounts.ts";

const data = inject("consoleData");
const urls = inject("consoleUrls");
const targetOf = (name: "plain" | "prefixed") => ({
  name,
  url: urls[name],
  /** The folder of the service's data. */
  data: data[name],
});

type Target = ReturnType<typeof targetOf>;

/** Both services, for tests that hold at each of them. */
export const targets: readonly [Target, Target] = [targetOf("plain"), targetOf("prefixed")];

/** Registers a person whose account is of the type Admin. */
export const registerOperator = async ({
  url,
  data: folder,
}: Pick<Target, "data" | "url">): Promise<Person> => {
  const person = await register(url);
  const accounts = await openLocalAccounts(folder);
  const found = await accounts.find({ username: person.username });
  if (!found) throw new Error(`There is no account ${person.username}.`);
  await accounts.setAccountType(found.id, "Admin");
  return person;
};

const browser = await chromium.connect(inject("browserEndpoint"));

/** A person with a browser of their own, without cookies or storage from before. */
export interface Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser complained of since it was last asked: refusals by the policy of a page, errors of scripts. */
  complaints(): string[];
}

/** Lets a person look at pages, and closes their browser when they are done. */
export const visit = async <Result>(
  look: (visitor: Visitor) => Promise<Result>,
  options: BrowserContextOptions = {},
): Promise<Result> => {
  const context = await browser.newContext({ permissions: ["microphone"], ...options });
  const complaints: string[] = [];
  context.on("console", (message) => {
    if (message.type() === "error") complaints.push(`${message.text()} (${message.location().url})`);
  });
  context.on("weberror", (error) => complaints.push(String(error.error())));
  context.setDefaultTimeout(15_000);
  try {
    return await look({ page: await context.newPage(), context, complaints: () => complaints.splice(0) });
  } finally {
    await context.close();
  }
};

/** WCAG 2.2, levels A and AA, and what axe holds to be good practice. */
const accessibilityRules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** The rules of axe that look at colours. */
const colourRules = ["color-contrast", "link-in-text-block"];

/** Axe finds nothing wrong with a page, in its light and its dark colours; between the two, only colours differ. */
export const expectAccessible = async (page: Page): Promise<void> => {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const axe = new AxeBuilder({ page });
    const { violations } = await (colorScheme === "light"
      ? axe.withTags(accessibilityRules)
      : axe.withRules(colourRules)
    ).analyze();
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
    // In the message, as a report of a failure abbreviates the list.
    expect(found, `${page.url()} in ${colorScheme}: ${found.join("; ")}`).toEqual([]);
  }
};
