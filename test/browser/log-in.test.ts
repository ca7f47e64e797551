import { expect, it } from "vitest";
import { baseUrl } from "../support/client.ts";
import { register } from "../support/console-visit.ts";
import { visit } from "../support/visitor.ts";

it("With the keyboard alone, a person skips to the content, corrects their password and uses the playground", () =>
  visit(async ({ page }) => {
    const { username, password } = await register(baseUrl);
    const focused = () => page.evaluate("document.activeElement.textContent || document.activeElement.id");
    const press = (key: string) => page.keyboard.press(key);
    const goTo = async (id: string) => {
      for (let count = 0; count < 10 && (await focused()) !== id; count += 1) await press("Tab");
      expect(await focused()).toBe(id);
    };
    const next = encodeURIComponent("/console/playground?try=identify");
    await page.goto(`${baseUrl}/console/log-in?next=${next}`);
    await press("Tab");
    expect(await focused()).toBe("Skip to content");
    await press("Enter");
    await goTo("username");
    await page.keyboard.type(username);
    await press("Tab");
    await page.keyboard.type("not the password");
    await press("Enter");
    await page.getByRole("alert").getByText("Incorrect username or password.").waitFor();
    expect(await page.locator("#username").inputValue()).toBe(username);
    await goTo("password");
    await page.keyboard.type(password);
    await press("Enter");
    await page.waitForURL(`${baseUrl}/console/playground?try=identify`);
    await page.locator("#text").focus();
    await press("Tab");
    expect(await focused()).toBe("Detect language");
    await press("Enter");
    await expect.poll(() => page.locator("[data-result]").textContent()).toBe("Luganda");
  }));

it("A password that is typed can be shown, and is hidden again before it is sent", () =>
  visit(async ({ page, complaints }) => {
    await page.goto(`${baseUrl}/console/log-in`);
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
