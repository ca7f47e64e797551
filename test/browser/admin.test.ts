import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { logIn, logInAsOperator, register } from "../support/console-visit.ts";
import { registerOperator, targets, visit } from "../support/visitor.ts";

const main = (page: Page) => page.locator("main");

describe.each(
  targets.flatMap((target) => [true, false].map((javaScriptEnabled) => ({ ...target, javaScriptEnabled }))),
)("With JavaScript ($javaScriptEnabled), $name", (target) => {
  const { url, javaScriptEnabled } = target;

  it("an operator finds an account, changes its plan, disables it and sees both in the log", () =>
    visit(
      async ({ page, complaints }) => {
        const [other, operator] = [await register(url), await registerOperator(target)];
        await logInAsOperator(page, url, operator);
        await main(page).locator("[name=q]").fill(other.username.slice(0, -2));
        await main(page).getByRole("button", { name: "Search" }).click();
        await main(page).getByRole("link", { name: other.username }).click();

        await main(page).getByRole("link", { name: "Change the plan" }).click();
        await main(page).locator("[name=type]").selectOption("Premium");
        await main(page).locator("[name=password]").fill(operator.password);
        await main(page).getByRole("button", { name: "Change the plan" }).click();
        await main(page).getByText("The plan is changed.").waitFor();

        await main(page).locator("summary", { hasText: "Disable the account" }).click();
        await main(page).getByRole("button", { name: "Disable the account" }).click();
        await main(page).getByText("The account is disabled.").waitFor();

        await main(page).getByRole("link", { name: "Audit log" }).click();
        const rows = main(page).locator("tbody tr", { hasText: other.username });
        expect(await rows.count()).toBe(2);
        expect(await rows.nth(1).textContent()).toContain("Free → Premium");
        expect(complaints()).toEqual([]);
      },
      { javaScriptEnabled },
    ));

  it("an account of another type gets neither the link nor the page", () =>
    visit(
      async ({ page }) => {
        await logIn(page, url, await register(url));
        expect(await page.getByRole("link", { name: "Operators" }).count()).toBe(0);
        const response = await page.goto(`${url}/console/admin`);
        expect(response?.status()).toBe(403);
        expect(await main(page).locator("h1").textContent()).toBe("For operators only");
        expect(await main(page).locator("table, form").count()).toBe(0);
      },
      { javaScriptEnabled },
    ));
});
