import type { BrowserContext, BrowserContextOptions } from "playwright-core";
import { describe, expect, it } from "vitest";
import { logIn, register } from "../support/console-visit.ts";
import { expectAccessible, targets, type Visitor, visit } from "../support/visitor.ts";
import { type ConsolePage, consolePages } from "./console-pages.ts";
import { measureFirstLoad, throttle } from "./first-load.ts";

/** For people who buy data by the megabyte; documents of the API's whole reference may be larger, but never this large. */
const maxBytes = 60_000;

type StorageState = Awaited<ReturnType<BrowserContext["storageState"]>>;

/** Cookies and storage of a browser with a session. All tests share one account, because none of them changes it. */
const sessions = new Map<string, Promise<StorageState>>();

const storageOf = (url: string): Promise<StorageState> => {
  const known = sessions.get(url);
  if (known) return known;
  const session = visit(async ({ page, context }) => {
    await logIn(page, url, await register(url));
    return context.storageState();
  });
  sessions.set(url, session);
  return session;
};

/** Opens a page in a browser of its visitor: with a session where the page needs one. */
const visitPage = async (
  url: string,
  { path, isPersonal, status = 200 }: ConsolePage,
  look: (visitor: Visitor) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> => {
  const session = isPersonal ? { storageState: await storageOf(url) } : {};
  await visit(
    async (visitor) => {
      const response = await visitor.page.goto(`${url}${path}`);
      expect(response?.status(), path).toBe(status);
      await look(visitor);
    },
    { ...session, ...options },
  );
};

describe.each(targets)("Every page, $name", ({ url }) => {
  it.each(consolePages)("$path is accessible in light and dark, and keeps its own policy", (declared) =>
    visitPage(url, declared, async ({ page, complaints }) => {
      await expectAccessible(page);
      expect(await page.locator("h1").count()).toBe(1);
      // The status of an error page is expected.
      expect(complaints().filter((text) => !text.includes(`status of ${declared.status}`))).toEqual([]);
    }),
  );

  it.each(consolePages)("$path fits a small phone, and costs at most 60 kB", (declared) =>
    visitPage(
      url,
      declared,
      async ({ page }) => {
        const width = await page.evaluate("document.documentElement.scrollWidth");
        expect(width).toBeLessThanOrEqual(320);
        const { bytes } = await measureFirstLoad(page, `${url}${declared.path}`);
        expect(bytes).toBeGreaterThan(1_000);
        expect(bytes).toBeLessThan(maxBytes);
      },
      { viewport: { width: 320, height: 640 } },
    ),
  );

  it("can be used at 150 kilobits a second", () =>
    visit(async ({ page, context }) => {
      await throttle(await context.newCDPSession(page));
      await logIn(page, url, await register(url));
      await page.goto(`${url}/console/playground?try=identify`);
      await page.getByRole("button", { name: "Detect language" }).click();
      await expect.poll(() => page.locator("[data-result]").textContent()).toBe("Luganda");
    }));
});
