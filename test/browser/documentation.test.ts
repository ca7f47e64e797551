import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { baseUrl } from "../support/client.ts";
import { tokenOf } from "../support/operators.ts";
import { openBrowserAs, visit } from "../support/visitor.ts";

describe("The documentation", () => {
  let reader: Awaited<ReturnType<typeof openBrowserAs>>;
  beforeAll(async () => {
    reader = await openBrowserAs();
  });
  afterAll(() => reader.context.close());

  const open = (path: string) => reader.page.goto(`${baseUrl}/docs${path}`);
  const send = (page: Page) => page.getByRole("button", { name: "Send request" }).click();
  const result = (page: Page) => page.locator("[data-result]");
  const status = (page: Page) => result(page).getByRole("status").textContent();

  it("copies code by a button, and remembers its language on all pages", async () => {
    const { page, context } = reader;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await open("/translate");
    await page.getByRole("button", { name: "Copy" }).first().click();
    await page.getByText("Copied").first().waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toContain(
      `curl -s ${baseUrl}/tasks/translate`,
    );
    await page.getByText("Python", { exact: true }).click();
    await open("/classifyLanguage");
    expect(await page.locator('[data-sample="python"]').innerText()).toContain("requests.post(");
  });

  it("links to the account of a reader with a session, and sends requests for it", async () => {
    await reader.page.goto(`${baseUrl}/console`);
    await open("/listJobs");
    await reader.page.getByText(`Leave blank to use your account, ${reader.person.username}`).waitFor();
    await reader.page.getByRole("link", { name: "Overview" }).waitFor();
    expect(await reader.page.getByRole("link", { name: "Log in" }).isVisible()).toBe(false);
    await send(reader.page);
    await expect.poll(() => status(reader.page)).toBe("200 OK");
    expect(await result(reader.page).locator("code").innerText()).toContain('"jobs": []');
    expect(reader.complaints()).toEqual([]);
  });

  it("sends requests with a token that a stranger pastes, and says what is wrong without it", () =>
    visit(async ({ page }) => {
      await page.goto(`${baseUrl}/docs/getAccount`);
      await send(page);
      await expect.poll(() => status(page)).toMatch(/^401 Unauthorized: .+\.$/);
      await page.getByLabel("API key or access token").fill(await tokenOf(reader.person));
      await send(page);
      await expect.poll(() => status(page)).toBe("200 OK");
      expect(await result(page).innerText()).toContain(reader.person.username);
    }));
});
