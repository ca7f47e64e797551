import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { ApiClient } from "../support/api-client.ts";
import { baseUrl } from "../support/client.ts";
import { logIn, register } from "../support/console-visit.ts";
import { browser, listenToComplaints, type Visitor, visit } from "../support/visitor.ts";
import { countBytes, throttle } from "./first-load.ts";
import { promote } from "./pictures/fill-days.ts";
import { type Actor, createPeople, fillMany } from "./pictures/people.ts";
import { openScene, type Scene, scenes } from "./pictures/scenes.ts";
import { createActors } from "./pictures/take-pictures.ts";

/** For people who buy data by the megabyte; documents of the API's whole reference may be larger, but never this large. */
const maxBytes = 60_000;

/** WCAG 2.2, levels A and AA, what axe holds to be good practice; of the dark colours, only the rules about colours. */
const rules = {
  light: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] },
  dark: { type: "rule", values: ["color-contrast", "link-in-text-block"] },
} as const;

/** Half of what `axe.source` would send to the browser for each page. */
const axe = await readFile(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** Axe finds nothing wrong with a page in these colours. */
const expectAccessible = async (page: Page, colorSchemes: readonly ("light" | "dark")[]): Promise<void> => {
  for (const colorScheme of colorSchemes) {
    await page.emulateMedia({ colorScheme });
    const options = JSON.stringify({
      runOnly: rules[colorScheme],
      resultTypes: ["violations"],
      // By default each style sheet is loaded again, for a rule that is not among these.
      preload: { assets: ["media"] },
    });
    const found = await page.evaluate<string[]>(
      `axe.run(${options}).then(({ violations }) =>
         violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" ")))`,
    );
    // In the message, as a report of a failure abbreviates the list.
    expect(found, `${page.url()} in ${colorScheme}: ${found.join("; ")}`).toEqual([]);
  }
};

/** Runs in the page: the current tab and the buttons of code, when their bar shows only a part of them. */
const outOfSight = `Array.from(document.querySelectorAll(".tab-bar [aria-current], .code-bar button:not([hidden])"))
  .filter((part) => {
    const [own, bar] = [part, part.closest("nav, .code-bar")].map((each) => each.getBoundingClientRect());
    return own.left < bar.left - 1 || own.right > bar.right + 1;
  })
  .map((part) => part.textContent)`;

/** The scenes that may follow one another on one page do so. */
const inOrder = (chosen: readonly Scene[], before?: Scene): Scene[] =>
  chosen
    .filter(({ follows }) => follows?.scene === before)
    .flatMap((scene) => [scene, ...inOrder(chosen, scene)]);

/** A browser that shows one scene after the other: its first page costs four times as much as the next. */
interface Opened extends Visitor {
  /** The bytes that were loaded since it was last asked. */
  bytes(): number;
  /** The scene that it shows, unless that failed. */
  shown?: Scene | undefined;
}

/** The pages that are also shown with many entries, which have long names. */
const longLists: ReadonlySet<string> = new Set(["recordings", "documents", "tokens"]);

describe("Every page", () => {
  const sessions = new Map<Actor, Awaited<ReturnType<BrowserContext["cookies"]>>>();
  /** One for visitors, and one for those who are logged in, whose scripts left a note of that. */
  const opened = new Map<boolean, Opened>();
  let openContext: ReturnType<typeof createActors>;

  beforeAll(async () => {
    const people = await createPeople(baseUrl, new Set(["one"]));
    await promote(inject("dataDirectory"), people.operator);
    await promote(inject("dataDirectory"), people.many, "Premium");
    await fillMany(new ApiClient(() => baseUrl), people.many, 3);
    openContext = createActors(browser, people, baseUrl);
  });
  afterAll(() => Promise.all(Array.from(opened.values(), ({ context }) => context.close())));

  const open = async (actor: Actor): Promise<Opened> => {
    const context = await openContext(actor);
    const complaints = listenToComplaints(context);
    const page = await context.newPage();
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.addInitScript(axe);
    const visitor = { context, page, complaints, bytes: await countBytes(page) };
    opened.set(actor !== "visitor", visitor);
    return visitor;
  };

  /** Logs an actor in, once for all scenes. */
  const sessionOf = async (actor: Actor) => {
    const known = sessions.get(actor);
    if (known) return known;
    const context = await openContext(actor);
    const cookies = await context.cookies();
    sessions.set(actor, cookies);
    await context.close();
    return cookies;
  };

  const openFor = async (actor: Actor): Promise<Opened> => {
    const visitor = opened.get(actor !== "visitor") ?? (await open(actor));
    const { page, context, shown } = visitor;
    if (shown?.holds) {
      // What the page still waits for ends with it.
      await page.goto("about:blank");
      await page.unrouteAll();
    }
    const cookies = await sessionOf(actor);
    await context.clearCookies();
    await context.addCookies(cookies);
    visitor.complaints();
    return visitor;
  };

  const show = async (scene: Scene): Promise<Opened> => {
    const { follows } = scene;
    const before = follows && [...opened.values()].find(({ shown }) => shown === follows.scene);
    const visitor = before ?? (await openFor(scene.as));
    const { page, bytes, shown } = visitor;
    visitor.shown = undefined;
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1_280, height: 720 });
    bytes();
    await openScene(page, baseUrl, scene, shown);
    visitor.shown = scene;
    return visitor;
  };

  const judge = async (scene: Scene, { page, complaints, bytes }: Opened): Promise<void> => {
    // The pages of the local service itself have no phones to spare bytes for.
    if (!scene.act && scene.page !== "local") {
      const loaded = bytes();
      expect(loaded).toBeGreaterThan(1_000);
      expect(loaded).toBeLessThan(maxBytes);
    }
    // The page of components shows pages within the page.
    if (scene.state !== "components") expect(await page.locator("h1").count()).toBe(1);
    // The page of components shows in both colours what acts bring about.
    await expectAccessible(page, scene.act ? ["light"] : ["light", "dark"]);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320);
    if (!scene.act && scene.page !== "local") {
      await page.evaluate("document.documentElement.style.fontSize = '200%'");
      expect(await page.evaluate("document.documentElement.scrollWidth"), "with large text").toBe(320);
      expect(await page.evaluate(outOfSight), "with large text").toEqual([]);
    }
    // The status of an error page, and of a form that is refused, is expected.
    expect(complaints().filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  };

  it.each(
    inOrder(scenes.filter(({ as, page, isFilled }) => (as !== "many" || longLists.has(page)) && !isFilled)),
  )(
    "$page ($state) is accessible, fits a small phone and large text, keeps its own policy, and costs at most 60 kB",
    async (scene) => {
      await judge(scene, await show(scene));
    },
  );

  it("can be used at 150 kilobits a second", () =>
    visit(async ({ page, context }) => {
      await throttle(await context.newCDPSession(page));
      await logIn(page, baseUrl, await register(baseUrl));
      await page.goto(`${baseUrl}/console/playground?try=identify`);
      await page.getByRole("button", { name: "Detect language" }).click();
      await expect.poll(() => page.locator("[data-result]").textContent()).toBe("Luganda");
    }));
});
