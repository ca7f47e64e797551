import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { logIn, register } from "../support/console-visit.ts";
import { codeOf, secretIn } from "../support/second-factor.ts";
import { expectAccessible, targets, visit } from "../support/visitor.ts";

const press = (page: Page, name: string) => page.locator("main").getByRole("button", { name }).click();

describe.each(
  targets.flatMap((target) => [true, false].map((javaScriptEnabled) => ({ ...target, javaScriptEnabled }))),
)("With JavaScript ($javaScriptEnabled), $name", ({ url, javaScriptEnabled }) => {
  it("a person sets up a second factor, logs in with it and turns it off", () =>
    visit(
      async ({ page, complaints }) => {
        const check = async () => {
          if (javaScriptEnabled) await expectAccessible(page);
          expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
        };
        const person = await register(url);
        await logIn(page, url, person);
        await page.goto(`${url}/console/account?section=security`);
        await page.getByRole("link", { name: "Set up two-step login" }).click();
        await page.locator("#password").fill(person.password);
        await press(page, "Start");

        await page.getByRole("img", { name: "QR code for your authenticator app" }).waitFor();
        await check();
        const secret = secretIn(await page.content());
        await page.locator("#code").fill("000000");
        await press(page, "Turn on");
        await page.getByText("The code is wrong").first().waitFor();
        await check();
        await page.locator("#code").fill(codeOf(secret));
        await press(page, "Turn on");
        const shown = (await page.locator(".secret code").textContent()) ?? "";
        const [one = "", two = "", ...others] = shown.split("\n");
        expect(others).toHaveLength(8);
        await check();
        await page.getByRole("link", { name: "I have saved the codes" }).click();
        await page.getByRole("link", { name: "Manage two-step login" }).waitFor();

        await page.getByRole("button", { name: "Log out" }).click();
        await page.goto(`${url}/console/log-in?next=/console/usage`);
        await page.locator("#username").fill(person.username);
        await page.locator("#password").fill(person.password);
        await press(page, "Log in");
        await page.waitForURL(`${url}/console/log-in/code`);
        await check();
        await page.locator("#code").fill(one);
        await press(page, "Log in");
        await page.waitForURL(`${url}/console/usage`);

        await page.goto(`${url}/console/account/second-factor`);
        await check();
        await page.locator("#password").fill(person.password);
        await page.locator("#turn_off_code").fill(two);
        await page.locator("main").getByRole("button", { name: "Turn off" }).click();
        await page.getByText("Two-step login is off.").waitFor();
        // The browser reports the page of the wrong code, whose status is 422, as an error.
        expect(complaints().filter((complaint) => !complaint.includes("422"))).toEqual([]);
      },
      { javaScriptEnabled, viewport: { width: 360, height: 740 } },
    ));
});
