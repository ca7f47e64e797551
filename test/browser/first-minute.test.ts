import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { projectDirectory } from "../../infra/bundling/bundle-options.ts";
import { baseUrl } from "../support/client.ts";
import { newPerson } from "../support/console-visit.ts";
import { visit } from "../support/visitor.ts";

/** Runs a program where the project's packages are installed. @returns the bytes of the file that it writes. */
const runProgram = async (code: string, output: string): Promise<Buffer> => {
  const folder = await mkdtemp(join(tmpdir(), "language-ai-first-minute-"));
  try {
    await symlink(join(projectDirectory, "node_modules"), join(folder, "node_modules"));
    await writeFile(join(folder, "program.mjs"), code);
    await promisify(execFile)(process.execPath, ["program.mjs"], { cwd: folder });
    return await readFile(join(folder, output));
  } finally {
    await rm(folder, { recursive: true });
  }
};

it("The first minute of a stranger leads from the home page to a program of their own, with one place to press", () =>
  visit(async ({ page, context, complaints }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const person = newPerson();
    /** Fails when several have this name. */
    const press = (role: "button" | "link", name: string) =>
      page.locator("main").getByRole(role, { name, exact: true }).click();
    await page.goto(`${baseUrl}/`);
    await page.getByLabel("Text").fill("How are you?");
    await press("button", "Translate");
    await page.locator(".answer").getByText("Oli otya?").waitFor();
    await press("button", "Listen");
    await page.locator(".listen.playing").waitFor();

    await page.locator(".introduction").getByRole("link", { name: "Get an API key" }).click();
    for (const name of ["username", "email", "password"] as const)
      await page.locator(`#${name}`).fill(person[name]);
    await page.locator("main [name=accepted_terms]").check();
    await press("button", "Create account");
    await page.waitForURL(`${baseUrl}/console`);

    await press("link", "Create a key for your program");
    await page.locator("main #name").fill("my first program");
    await page.locator("main #make-key-password").fill(person.password);
    await press("button", "Create key");
    const samples = page.locator(".code.tabs");
    await samples.getByText("OpenAI Node").click();
    await samples.getByRole("button", { name: "Copy" }).click();
    await samples.getByText("Copied").waitFor();
    const code = String(await page.evaluate("navigator.clipboard.readText()"));
    expect(code).toContain(await page.locator(".secret code").textContent());
    expect((await runProgram(code, "speech.mp3")).byteLength).toBeGreaterThan(1_000);

    await expect
      .poll(async () => {
        await page.locator("nav").getByRole("link", { name: "Usage" }).first().click();
        return page.locator("main").textContent();
      })
      .toContain("my first program");
    await page.getByRole("button", { name: "Log out" }).click();
    await page.locator("header").getByRole("link", { name: "Log in" }).waitFor();
    await page.goto(`${baseUrl}/console/account`);
    expect(new URL(page.url()).pathname).toMatch(/\/console\/log-in$/);
    expect(complaints()).toEqual([]);
  }));

// The same day and address as above.
it("A stranger who has used the three requests of a day is shown where to sign up", () =>
  visit(async ({ page }) => {
    await page.goto(`${baseUrl}/console/playground?try=identify`);
    const result = page.locator("[data-result]");
    for (let requests = 0; requests < 3; requests += 1) {
      const response = page.waitForResponse((each) => each.request().method() === "POST");
      await page.getByRole("button", { name: "Detect language" }).click();
      await response;
      await expect.poll(() => result.getAttribute("aria-busy")).toBe("false");
    }
    await expect.poll(() => result.textContent()).toContain("used your 3 requests for today");
    await result.getByRole("link", { name: "Sign up" }).click();
    await page.waitForURL(`${baseUrl}/console/sign-up`);
  }));
