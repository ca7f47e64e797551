import { describe, expect, it } from "vitest";
import { logIn, register } from "../support/console-visit.ts";
import { expectAccessible, targets, visit } from "../support/visitor.ts";

const paths = [
  "/docs",
  "/docs/synthesizeSpeech",
  "/docs/createV1Speech",
  "/docs/listJobs",
  "/docs/legacyChat",
  "/docs/search?q=voice",
  "/docs/search?q=zzzzqqqq",
  "/docs/guides/first-call",
  "/docs/guides/limits",
  "/docs/guides/from-v1",
];

describe.each(targets)("The documentation, $name", ({ url }) => {
  it.each(paths)("%s is accessible, fits a phone, and breaks no rule of its own policy", (path) =>
    visit(
      async ({ page, complaints }) => {
        await page.goto(`${url}${path}`);
        await expectAccessible(page);
        const [content, window] = await page.evaluate<[number, number]>(
          "[document.documentElement.scrollWidth, innerWidth]",
        );
        expect(content, `${path} is wider than the screen`).toBeLessThanOrEqual(window);
        expect(complaints()).toEqual([]);
      },
      { viewport: { width: 320, height: 640 } },
    ),
  );

  it("copies code by a button", () =>
    visit(async ({ page, context }) => {
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.goto(`${url}/docs/translate`);
      await page.getByRole("button", { name: "Copy" }).first().click();
      expect(await page.evaluate("navigator.clipboard.readText()")).toContain(
        `curl -s ${url}/tasks/translate`,
      );
    }));

  it("finds a page by what is typed into its search", () =>
    visit(async ({ page, complaints }) => {
      await page.goto(`${url}/docs`);
      await page.getByRole("searchbox").fill("unsupported_language");
      await page.keyboard.press("Enter");
      await page.getByRole("main").getByRole("link", { name: "Errors", exact: true }).click();
      expect(new URL(page.url()).pathname).toMatch(/\/docs\/guides\/errors$/);
      expect(complaints()).toEqual([]);
    }));

  it("remembers the language of code on all pages", () =>
    visit(async ({ page }) => {
      await page.goto(`${url}/docs/translate`);
      await page.getByText("Python", { exact: true }).click();
      await page.goto(`${url}/docs/classifyLanguage`);
      expect(await page.locator('[data-sample="python"]').innerText()).toContain("requests.post(");
    }));

  it("sends requests for readers: with a token that they paste, or for their account", () =>
    visit(async ({ page, complaints }) => {
      const person = await register(url);
      const { token } = person;
      const result = page.locator("[data-result]");

      await page.goto(`${url}/docs/getAccount`);
      await page.getByLabel("API key or access token").fill(token);
      await page.getByRole("button", { name: "Send request" }).click();
      await result.getByRole("status").getByText("200").waitFor();
      expect(await result.innerText()).toContain(person.username);
      await expectAccessible(page);

      await logIn(page, url, person);
      await page.goto(`${url}/docs/listJobs`);
      await page.getByRole("button", { name: "Send request" }).click();
      await result.getByRole("status").getByText("200").waitFor();
      expect(await result.locator("code").innerText()).toContain('"jobs": []');
      expect(complaints()).toEqual([]);
    }));

  it("says what is wrong with a request that is refused", () =>
    visit(async ({ page }) => {
      await page.goto(`${url}/docs/listJobs`);
      await page.getByRole("button", { name: "Send request" }).click();
      const status = page.locator("[data-result]").getByRole("status");
      await status.getByText("401").waitFor();
      expect(await status.innerText()).toMatch(/: .+\.$/);
    }));
});
