import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { newPerson, register } from "../support/console-visit.ts";
import { expectAccessible, targets, visit } from "../support/visitor.ts";

const phone = { viewport: { width: 320, height: 640 } };

const fillIn = async (page: Page, values: Readonly<Record<string, string>>): Promise<void> => {
  for (const [name, value] of Object.entries(values))
    await page.locator(`main input[name=${name}]`).fill(value);
  await page.locator("main form .button[type=submit]").first().click();
};

const focused = (page: Page): Promise<string> => page.evaluate("document.activeElement.className");

const widthOf = (page: Page): Promise<number> => page.evaluate("document.documentElement.scrollWidth");

const wrong = { username: "na kato", email: "nakato@example", password: "short" };

describe.each(targets)("The ways into an account, $name", ({ url }) => {
  it.each([true, false])(
    "say at each field what is wrong with it, with the focus on the errors; with JavaScript: %s",
    (javaScriptEnabled) =>
      visit(
        async ({ page }) => {
          await page.goto(`${url}/console/sign-up`);
          await fillIn(page, wrong);
          await page.getByText("Please fix the errors below").waitFor();
          const problemOf = (name: string) => page.locator(`#${name}-problem`).innerText();
          expect(await problemOf("username")).toBe("A username cannot contain spaces.");
          expect(await problemOf("email")).toMatch(/^The part after “@”/);
          expect(await problemOf("password")).toMatch(/^Too short: you entered 5/);
          expect(await page.locator("#username").inputValue()).toBe(wrong.username);
          expect(await page.locator("#password").inputValue()).toBe("");
          expect(await focused(page)).toBe("notice bad");
          expect(await widthOf(page)).toBeLessThanOrEqual(320);
          if (javaScriptEnabled) await expectAccessible(page);
        },
        { ...phone, javaScriptEnabled },
      ),
  );

  it("show what is typed as a password, and hide it again", () =>
    visit(async ({ page, complaints }) => {
      await page.goto(`${url}/console/log-in`);
      const field = page.locator("#password");
      await field.fill("seven storks");
      await page.getByRole("button", { name: "Show" }).click();
      expect(await field.getAttribute("type")).toBe("text");
      await page.getByRole("button", { name: "Hide" }).click();
      expect(await field.getAttribute("type")).toBe("password");
      await page.getByRole("button", { name: "Show" }).click();
      await page.evaluate("document.querySelector('main form').dispatchEvent(new Event('submit'))");
      expect(await field.getAttribute("type"), "Browsers remember what is sent as text").toBe("password");
      expect(complaints()).toEqual([]);
    }));

  it("have no button that would need JavaScript without it", () =>
    visit(
      async ({ page }) => {
        await page.goto(`${url}/console/log-in`);
        expect(await page.getByRole("button", { name: "Show" }).count()).toBe(0);
      },
      { javaScriptEnabled: false },
    ));

  it("say that a name or a password is wrong, and keep the name", () =>
    visit(async ({ page }) => {
      const { username } = await register(url);
      await page.goto(`${url}/console/log-in`);
      await fillIn(page, { username, password: "not the password" });
      await page.getByRole("alert").getByText("Incorrect username or password.").waitFor();
      expect(await page.locator("#username").inputValue()).toBe(username);
      await expectAccessible(page);
    }, phone));

  it("end each step with one sentence and one button", () =>
    visit(async ({ page }) => {
      await page.goto(`${url}/console/forgot-password`);
      await fillIn(page, { email: newPerson().email });
      await page.getByRole("heading", { name: "Check your email" }).waitFor();
      expect(await page.locator("main .card .button").count()).toBe(1);
      await expectAccessible(page);
      expect(await widthOf(page)).toBeLessThanOrEqual(320);
      await page.getByRole("link", { name: "Go to the login page" }).click();
      await page.waitForURL(`${url}/console/log-in`);
    }, phone));

  it("lead on from pages that do not exist", () =>
    visit(async ({ page }) => {
      for (const path of ["/nothing", "/tasks/nothing", "/console/nothing"]) {
        expect((await page.goto(`${url}${path}`))?.status()).toBe(404);
        await page.getByRole("link", { name: "Go to the home page" }).click();
        await page.waitForURL(`${url}/`);
      }
    }));
});

describe.each(targets)("The pages of this machine, $name", ({ url }) => {
  it.each(["/_local", "/_local/mail", "/_local/messages", "/_local/components"])(
    "%s is accessible, fits a small phone, and keeps its own policy",
    (path) =>
      visit(async ({ page, complaints }) => {
        await register(url);
        expect((await page.goto(`${url}${path}`))?.status()).toBe(200);
        await expectAccessible(page);
        expect(await widthOf(page)).toBeLessThanOrEqual(320);
        expect(complaints()).toEqual([]);
      }, phone),
  );
});
