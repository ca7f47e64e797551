import { AxeBuilder } from "@axe-core/playwright";
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect, inject } from "vitest";

/** Both services, for tests that hold at each of them. */
export const targets = Object.entries(inject("consoleUrls")).map(([name, url]) => ({ name, url }));

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

/** Axe finds nothing wrong with a page, in its light and its dark colours. */
export const expectAccessible = async (page: Page): Promise<void> => {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await new AxeBuilder({ page }).withTags(accessibilityRules).analyze();
    expect(
      violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`),
      `${page.url()} in ${colorScheme}`,
    ).toEqual([]);
  }
};
