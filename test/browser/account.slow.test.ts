import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { baseUrl } from "../support/client.ts";
import { newPerson } from "../support/console-visit.ts";
import { openBrowserAs, visit } from "../support/visitor.ts";

const main = (page: Page) => page.locator("main");

/** Presses what is read as a button with this name. */
const press = (page: Page, name: string) => main(page).getByRole("button", { name }).click();

const logOut = async (page: Page): Promise<void> => {
  await page.getByRole("button", { name: "Log out", exact: true }).click();
  await page.locator("header").getByRole("link", { name: "Log in" }).waitFor();
};

describe.each([true, false])("A form with errors, with JavaScript: %s", (javaScriptEnabled) => {
  const phone = { javaScriptEnabled, viewport: { width: 320, height: 640 } };

  it("says at each field what is wrong with it, with the focus on the errors", () =>
    visit(async ({ page }) => {
      await page.goto(`${baseUrl}/console/sign-up`);
      const wrong = { username: "na kato", email: "nakato@example", password: "short" };
      for (const [name, value] of Object.entries(wrong)) await page.locator(`#${name}`).fill(value);
      await press(page, "Create account");
      await page.getByText("Please fix the errors below").waitFor();
      const problemOf = (name: string) => page.locator(`#${name}-problem`).innerText();
      expect(await problemOf("username")).toBe("A username cannot contain spaces.");
      expect(await problemOf("email")).toMatch(/^The part after “@”/);
      expect(await problemOf("password")).toMatch(/^Too short: you entered 5/);
      expect(await page.locator("#username").inputValue()).toBe(wrong.username);
      expect(await page.locator("#password").inputValue()).toBe("");
      expect(await page.evaluate("document.activeElement.className")).toBe("notice bad");
      // It would need JavaScript.
      expect(await page.getByRole("button", { name: "Show" }).count()).toBe(javaScriptEnabled ? 1 : 0);
    }, phone));

  it("is in view on a phone, also at the end of a page", async () => {
    const { page, context } = await openBrowserAs("Free", phone);
    await page.goto(`${baseUrl}/console/account?section=data`);
    await main(page).locator("summary").last().click();
    const form = main(page).locator("form:has(input[value=delete-account])");
    await form.locator("input[type=password]").fill("not the password");
    await form.locator("button[type=submit]").click();
    await form.locator("[role=alert]:focus").waitFor();
    const top = (await form.getByRole("alert").boundingBox())?.y ?? -1;
    expect(top).toBeGreaterThanOrEqual(0);
    expect(top).toBeLessThan(640);
    expect(await page.title()).toMatch(/^Error: Account/);
    await context.close();
  });
});

describe("A person", () => {
  it("reads one sentence about their mail, with one button that leads back to the login", () =>
    visit(async ({ page }) => {
      await page.goto(`${baseUrl}/console/forgot-password`);
      await page.locator("#email").fill(newPerson().email);
      await main(page).locator("form .button[type=submit]").click();
      await page.getByRole("heading", { name: "Check your email" }).waitFor();
      expect(await main(page).locator(".card .button").count()).toBe(1);
      await page.getByRole("link", { name: "Go to the login page" }).click();
      await page.waitForURL(`${baseUrl}/console/log-in`);
    }));

  it("logs in through one provider, and then proves the account to log in through the other", () =>
    visit(async ({ page }) => {
      const logInAtProvider = async () => {
        // Another suite logs in as the person whose name the page suggests.
        await page.getByLabel("Username").fill("lanyero");
        await page.getByRole("button", { name: "Log in and go back" }).click();
      };
      const goTo = async (letter: string) => {
        await page.goto(`${baseUrl}/console/log-in`);
        await page.locator(`a[href*="/console/log-in/${letter}"]`).click();
        await logInAtProvider();
      };
      await goTo("a");
      await page.waitForURL(`${baseUrl}/console`);
      await logOut(page);
      await goTo("b");
      await page.getByRole("link", { name: "Log in with Stand-in provider A" }).click();
      await logInAtProvider();
      await press(page, "Add Stand-in provider B");
      await page.waitForURL(`${baseUrl}/console`);
      expect(await page.getByRole("button", { name: "Log out" }).count()).toBe(1);
    }));
});
