import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { logIn, newPerson, type Person, register } from "../support/console-visit.ts";
import { targets, visit } from "../support/visitor.ts";

/** Presses what is read as a button with this name. */
const press = (page: Page, name: string) => page.locator("main").getByRole("button", { name }).click();

const signUp = async (page: Page, url: string, { username, email, password }: Person): Promise<void> => {
  await page.goto(`${url}/`);
  await page.locator("header").getByRole("link", { name: "Sign up" }).click();
  await page.locator("#username").fill(username);
  await page.locator("#email").fill(email);
  await page.locator("#password").fill(password);
  await page.locator("#accepted_terms").check();
  await press(page, "Create account");
  await page.waitForURL(`${url}/console`);
};

/** Follows the link of the mail to this person, which comes a moment after the page that has sent it. */
const followMail = async (page: Page, url: string, { email }: Person): Promise<void> => {
  const mail = page.locator("section", { hasText: email });
  const look = async () => {
    await page.goto(`${url}/_local/mail`);
    return mail.count();
  };
  await expect.poll(look, { timeout: 15_000 }).toBeGreaterThan(0);
  await mail
    .getByRole("link", { name: /verify-email/ })
    .first()
    .click();
};

const logOut = async (page: Page): Promise<void> => {
  await page.getByRole("button", { name: "Log out" }).click();
  await page.locator("header").getByRole("link", { name: "Log in" }).waitFor();
};

describe.each(
  targets.flatMap((target) => [true, false].map((javaScriptEnabled) => ({ ...target, javaScriptEnabled }))),
)("With JavaScript ($javaScriptEnabled), $name", ({ url, javaScriptEnabled }) => {
  it("a person signs up, verifies their address from the mail, creates a key, uses it and sees it in usage", () =>
    visit(
      async ({ page, complaints }) => {
        const person = newPerson();
        await signUp(page, url, person);
        await followMail(page, url, person);
        await press(page, "Verify email address");
        await page.getByText("Your email address is verified.").waitFor();
        await page.goto(`${url}/console`);
        await page.getByText("Verified", { exact: true }).waitFor();

        await page.goto(`${url}/console/tokens`);
        await page.locator("main #name").fill("kiosk in Gulu");
        await press(page, "Create key");
        const key = (await page.locator(".secret code").first().textContent()) ?? "";
        expect(key).toMatch(/^lai_/);
        const response = await fetch(`${url}/tasks/translate`, {
          method: "POST",
          headers: { "Content-Type": "application/json", Authorization: `Bearer ${key}` },
          body: JSON.stringify({ source_language: "eng", target_language: "lug", text: "How are you?" }),
        });
        expect(response.status).toBe(200);
        await expect
          .poll(async () => {
            await page.goto(`${url}/console/usage`);
            return page.locator("main").textContent();
          })
          .toContain("kiosk in Gulu");
        await logOut(page);
        await page.goto(`${url}/console/account`);
        expect(new URL(page.url()).pathname).toMatch(/\/console\/log-in$/);
        expect(complaints()).toEqual([]);
      },
      { javaScriptEnabled },
    ));

  it("a wrong password is reported next to the form, and after the login comes the requested page", () =>
    visit(
      async ({ page }) => {
        const person = await register(url);
        await page.goto(`${url}/console/usage`);
        await page.locator("#username").fill(person.username);
        await page.locator("#password").fill("not the password");
        await press(page, "Log in");
        await page.locator(".notice.bad").waitFor();
        expect(await page.locator("#username").inputValue()).toBe(person.username);
        await page.locator("#password").fill(person.password);
        await press(page, "Log in");
        await page.waitForURL(`${url}/console/usage`);
      },
      { javaScriptEnabled },
    ));

  it("a form that failed is in view on a phone, with the focus on its errors", () =>
    visit(
      async ({ page }) => {
        const person = await register(url);
        await logIn(page, url, person);
        await page.goto(`${url}/console/account?section=data`);
        await page.locator("main summary").last().click();
        const form = page.locator("main form:has(input[value=delete-account])");
        await form.locator("input[type=password]").fill("not the password");
        await form.locator("button[type=submit]").click();
        const errors = form.getByRole("alert");
        await errors.waitFor();
        await form.locator("[role=alert]:focus").waitFor();
        const top = (await errors.boundingBox())?.y ?? -1;
        expect(top).toBeGreaterThanOrEqual(0);
        expect(top).toBeLessThan(640);
        expect(await page.title()).toMatch(/^Error: Account/);
      },
      { javaScriptEnabled, viewport: { width: 360, height: 640 } },
    ));

  it("a person changes their profile, and a new password ends their other sessions", () =>
    visit(
      async ({ page, context }) => {
        const person = await register(url);
        await logIn(page, url, person);
        const elsewhere = await context.browser()?.newContext({ javaScriptEnabled });
        const other = await elsewhere?.newPage();
        if (!elsewhere || !other) throw new Error("There is no second browser.");
        try {
          await logIn(other, url, person);
          await page.goto(`${url}/console/account`);
          await page.locator("#full_name").fill("Amina Nakato");
          await press(page, "Save");
          expect(await page.locator("#full_name").inputValue()).toBe("Amina Nakato");
          await page.goto(`${url}/console/account?section=security`);
          await page.locator("#old_password").fill(person.password);
          await page.locator("#new_password").fill("nine cranes over the hill");
          await press(page, "Change password");
          await page.getByText("Your password is changed.").waitFor();
          await other.goto(`${url}/console/account`);
          expect(new URL(other.url()).pathname).toMatch(/\/console\/log-in$/);
        } finally {
          await elsewhere.close();
        }
      },
      { javaScriptEnabled },
    ));

  it("a person logs in through one provider, and then proves the account to log in through the other", () =>
    visit(
      async ({ page }) => {
        const goTo = async (letter: string) => {
          await page.goto(`${url}/console/log-in`);
          await page.locator(`a[href*="/console/log-in/${letter}"]`).click();
          await page.getByRole("button", { name: "Log in and go back" }).first().click();
        };
        await goTo("a");
        await page.waitForURL(`${url}/console`);
        await logOut(page);
        await goTo("b");
        await page.waitForURL(/\/console(?:\/connect)?$/);
        // Only the first time.
        if (page.url().endsWith("/connect")) {
          await page.getByRole("link", { name: "Log in with Stand-in provider A" }).click();
          await page.getByRole("button", { name: "Log in and go back" }).first().click();
          await press(page, "Add Stand-in provider B");
        }
        await page.waitForURL(`${url}/console`);
        expect(await page.getByRole("button", { name: "Log out" }).count()).toBe(1);
      },
      { javaScriptEnabled },
    ));
});

describe.each(targets)("With the keyboard alone, $name", ({ url }) => {
  it("a person skips to the content, logs in, and gets a result in the playground", () =>
    visit(async ({ page }) => {
      const person = await register(url);
      await page.goto(`${url}/console/log-in?next=${encodeURIComponent("/console/playground?try=identify")}`);
      const focused = () => page.evaluate("document.activeElement.textContent || document.activeElement.id");
      await page.keyboard.press("Tab");
      expect(await focused()).toBe("Skip to content");
      await page.keyboard.press("Enter");
      for (let count = 0; count < 10 && (await focused()) !== "username"; count += 1)
        await page.keyboard.press("Tab");
      await page.keyboard.type(person.username);
      await page.keyboard.press("Tab");
      await page.keyboard.type(person.password);
      await page.keyboard.press("Enter");
      await page.waitForURL(`${url}/console/playground?try=identify`);
      await page.locator("#text").focus();
      await page.keyboard.press("Tab");
      expect(await focused()).toBe("Detect language");
      await page.keyboard.press("Enter");
      await expect.poll(() => page.locator("[data-result]").textContent()).toBe("Luganda");
    }));
});
