import { describe, expect, it } from "vitest";
import { expectAccessible, targets, visit } from "../support/visitor.ts";

const password = "seven storks by the lake";

describe.each(targets)("The documentation, $name", ({ name, url }) => {
  it("is accessible, fits a phone, and breaks no rule of its own policy", () =>
    visit(
      async ({ page, complaints }) => {
        for (const path of [
          "/docs",
          "/docs/synthesizeSpeech",
          "/docs/guides/first-call",
          "/docs/guides/limits",
          "/docs/guides/from-v1",
        ]) {
          await page.goto(`${url}${path}`);
          await expectAccessible(page);
          const [content, window] = await page.evaluate<[number, number]>(
            "[document.documentElement.scrollWidth, innerWidth]",
          );
          expect(content, `${path} is wider than the screen`).toBeLessThanOrEqual(window);
        }
        expect(complaints()).toEqual([]);
      },
      { viewport: { width: 320, height: 640 } },
    ));

  it("copies code by a button", () =>
    visit(async ({ page, context }) => {
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.goto(`${url}/docs/translate`);
      await page.getByRole("button", { name: "Copy" }).first().click();
      expect(await page.evaluate("navigator.clipboard.readText()")).toContain(
        `curl -s ${url}/tasks/translate`,
      );
    }));

  it("has an explorer in which people log in with their password and try operations", () =>
    visit(async ({ page, complaints }) => {
      const username = `explorer-${name.replaceAll(/\W+/g, "-")}-${Date.now()}`;
      const registered = await fetch(`${url}/auth/register`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ username, email: `${username}@example.com`, password }),
      });
      expect(registered.status).toBe(201);

      await page.goto(`${url}/docs/explorer`);
      await page.getByRole("button", { name: "Authorize", exact: true }).first().click();
      const form = page.locator(".auth-container").filter({ hasText: "OAuth2, password" });
      await form.getByLabel("username:").fill(username);
      await form.getByLabel("password:").fill(password);
      await form.getByRole("button", { name: /Apply given OAuth2 credentials|Authorize/ }).click();
      await form.getByRole("button", { name: /Logout|Remove authorization/ }).waitFor();
      await page.getByRole("button", { name: "Close" }).last().click();

      await page.locator("#operations-tag-Accounts_and_tokens").click();
      const operation = page.locator("#operations-Accounts_and_tokens-getAccount");
      await operation.locator(".opblock-summary-control").click();
      await operation.getByRole("button", { name: "Try it out" }).click();
      await operation.getByRole("button", { name: "Execute" }).click();
      await operation.locator(".live-responses-table .response-col_description").first().waitFor();
      expect(await operation.locator(".live-responses-table").innerText()).toContain(username);
      expect(complaints()).toEqual([]);
    }));
});
