import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { projectDirectory } from "../../infra/bundling/bundle-options.ts";
import { withTemporaryDirectory } from "../infra/synthesized-service.ts";
import { newPerson } from "../support/console-visit.ts";
import { runService } from "../support/run-service.ts";
import { visit } from "../support/visitor.ts";

const run = promisify(execFile);

/** Runs a program where the project's packages are installed. @returns the bytes of the file that it writes. */
const runProgram = async (code: string, output: string): Promise<Buffer> => {
  const folder = await mkdtemp(join(tmpdir(), "language-ai-first-minute-"));
  try {
    await symlink(join(projectDirectory, "node_modules"), join(folder, "node_modules"));
    await writeFile(join(folder, "program.mjs"), code);
    await run(process.execPath, ["program.mjs"], { cwd: folder });
    return await readFile(join(folder, output));
  } finally {
    await rm(folder, { recursive: true });
  }
};

/** The one button or link of the page's main part with this name; fails when there are several. */
const only = (page: Page, role: "button" | "link", name: string) =>
  page.locator("main").getByRole(role, { name, exact: true });

/** A service of its own: the requests that strangers may send are counted by address, and all tests come from one. */
const withService = async (use: (url: string) => Promise<void>): Promise<void> =>
  withTemporaryDirectory(async (directory) => {
    const service = await runService({ PORT: "0", DATA_DIR: directory });
    try {
      await use(service.url);
    } finally {
      await service.stop();
    }
  });

it("The first minute of a stranger leads from the home page to a program of their own, with one place to press", () =>
  withService((url) =>
    visit(async ({ page, context, complaints }) => {
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      const person = newPerson();
      const taken: [string, number][] = [];
      const step = async (name: string, act: () => Promise<unknown>): Promise<void> => {
        const start = performance.now();
        await act();
        taken.push([name, performance.now() - start]);
      };
      await step("opens the home page", () => page.goto(`${url}/`));
      await step("translates", async () => {
        await page.getByLabel("Text").fill("How are you?");
        await only(page, "button", "Translate").click();
        await page.locator(".answer").getByText("Oli otya?").waitFor();
      });
      await step("hears it", async () => {
        await only(page, "button", "Listen").click();
        await page.locator(".listen.playing").waitFor();
      });
      await step("signs up", async () => {
        await page.locator(".introduction").getByRole("link", { name: "Get an API key" }).click();
        await page.locator("#username").fill(person.username);
        await page.locator("#email").fill(person.email);
        await page.locator("#password").fill(person.password);
        await page.locator("main [name=accepted_terms]").check();
        await only(page, "button", "Create account").click();
        await page.waitForURL(`${url}/console`);
      });
      await step("creates a key", async () => {
        await only(page, "link", "Create a key for your program").click();
        await page.locator("main #name").fill("my first program");
        await page.locator("form").getByRole("button", { name: "Create key" }).click();
        await page.locator(".secret").waitFor();
      });
      const samples = page.locator(".code.tabs");
      await step("copies the sample for the OpenAI package", async () => {
        await samples.getByText("OpenAI Node").click();
        await samples.getByRole("button", { name: "Copy" }).click();
        await samples.getByText("Copied").waitFor();
      });
      await step("runs it", async () => {
        const code = String(await page.evaluate("navigator.clipboard.readText()"));
        expect(code).toContain(await page.locator(".secret code").textContent());
        expect((await runProgram(code, "speech.mp3")).byteLength).toBeGreaterThan(1_000);
      });
      await step("sees it in the usage", () =>
        expect
          .poll(async () => {
            await page.locator("nav").getByRole("link", { name: "Usage" }).first().click();
            return page.locator("main").textContent();
          })
          .toContain("my first program"),
      );
      expect(complaints()).toEqual([]);
      const seconds = taken.reduce((sum, [, milliseconds]) => sum + milliseconds, 0) / 1_000;
      expect(seconds, JSON.stringify(taken)).toBeLessThan(60);
    }),
  ));
