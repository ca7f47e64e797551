import type { BrowserContext, BrowserContextOptions } from "playwright-core";
import { describe, expect, it } from "vitest";
import { logIn, logInAsOperator, register } from "../support/console-visit.ts";
import { expectAccessible, registerOperator, targets, type Visitor, visit } from "../support/visitor.ts";
import { type ConsolePage, consolePages } from "./console-pages.ts";
import { measureFirstLoad, throttle } from "./first-load.ts";

/** For people who buy data by the megabyte; documents of the API's whole reference may be larger, but never this large. */
const maxBytes = 60_000;

type StorageState = Awaited<ReturnType<BrowserContext["storageState"]>>;

/** Cookies and storage of a browser with a session. All tests share an account, because none of them changes it. */
const sessions = new Map<string, Promise<StorageState>>();

type Target = (typeof targets)[number];

const storageOf = (target: Target, isOperators: boolean): Promise<StorageState> => {
  const { url } = target;
  const name = `${url} ${isOperators}`;
  const known = sessions.get(name);
  if (known) return known;
  const session = visit(async ({ page, context }) => {
    if (isOperators) await logInAsOperator(page, url, await registerOperator(target));
    else await logIn(page, url, await register(url));
    return context.storageState();
  });
  sessions.set(name, session);
  return session;
};

/** Opens a page in a browser of its visitor: with a session where the page needs one. */
const visitPage = async (
  target: Target,
  { path, isPersonal, isOperators = false, status = 200 }: ConsolePage,
  look: (visitor: Visitor) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> => {
  const { url } = target;
  const session = isPersonal ? { storageState: await storageOf(target, isOperators) } : {};
  await visit(
    async (visitor) => {
      const response = await visitor.page.goto(`${url}${path}`);
      expect(response?.status(), path).toBe(status);
      await look(visitor);
    },
    { ...session, ...options },
  );
};

/** What the browser complained of, except the status of an error page. */
const unexpected = ({ complaints }: Visitor, { status }: ConsolePage): string[] =>
  complaints().filter((text) => !text.includes(`status of ${status}`));

describe("Every page", () => {
  // Below a prefix, the same pages differ by their addresses only.
  const [plain] = targets;

  it.each(consolePages)(
    "$path is accessible in light and dark, with one heading of the first level",
    (page) =>
      visitPage(plain, page, async (visitor) => {
        await expectAccessible(visitor.page);
        expect(await visitor.page.locator("h1").count()).toBe(1);
        expect(unexpected(visitor, page)).toEqual([]);
      }),
  );

  it.each(consolePages)("$path fits a small phone, and costs at most 60 kB", (declared) =>
    visitPage(
      plain,
      declared,
      async ({ page }) => {
        const width = await page.evaluate("document.documentElement.scrollWidth");
        expect(width).toBeLessThanOrEqual(320);
        const { bytes } = await measureFirstLoad(page, `${plain.url}${declared.path}`);
        expect(bytes).toBeGreaterThan(1_000);
        expect(bytes).toBeLessThan(maxBytes);
      },
      { viewport: { width: 320, height: 640 } },
    ),
  );
});

describe.each(targets)("Every page, $name", (target) => {
  const { url } = target;
  it.each(consolePages)("$path keeps its own policy", (declared) =>
    visitPage(target, declared, async (visitor) => {
      expect(unexpected(visitor, declared)).toEqual([]);
    }),
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
