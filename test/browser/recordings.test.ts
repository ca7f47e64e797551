import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { logIn, register } from "../support/console-visit.ts";
import { expectAccessible, targets, visit } from "../support/visitor.ts";
import { audioBytes, wavHeaderBytes } from "../support/wav.ts";

let folder: string;
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "language-ai-recording-"));
  file = join(folder, "council.wav");
  // Twelve minutes at this rate are three parts.
  const second = audioBytes(16_000);
  const audio = Array.from({ length: 720 }, () => second);
  const header = wavHeaderBytes(second.length * 720, { sampleRate: 8_000, stated: true });
  await writeFile(file, Buffer.concat([header, ...audio]));
});
afterAll(() => rm(folder, { recursive: true }));

const choose = async (page: Page): Promise<void> => {
  await page.locator("#file").setInputFiles(file);
  await page.getByRole("button", { name: "Upload and transcribe" }).click();
};

const isPart = /[?&]partNumber=\d+/;
const partOf = (address: string): string | null => new URL(address).searchParams.get("partNumber");

describe.each(targets)("The recordings, $name", ({ url }) => {
  it("are uploaded in parts that survive a lost connection and a reload, and become a transcript that follows the audio", () =>
    visit(async ({ page, context, complaints }) => {
      await logIn(page, url, await register(url));
      await page.goto(`${url}/console/recordings`);
      await expectAccessible(page);

      let isCut = true;
      const arrived: (string | null)[] = [];
      await context.route(isPart, (route) => {
        const isRefused = isCut && partOf(route.request().url()) !== "1";
        return isRefused ? route.abort("connectionreset") : route.continue();
      });
      page.on("requestfinished", (request) => {
        if (request.method() === "PUT") arrived.push(partOf(request.url()));
      });
      await choose(page);
      const state = page.locator("[data-state]");
      await expect
        .poll(() => state.textContent())
        .toBe("The connection is lost. The upload continues automatically when it is back.");
      expect(arrived).toEqual(["1"]);

      await page.reload();
      isCut = false;
      await choose(page);
      await page.waitForURL(/\/console\/recordings\/[\w-]{36}$/);
      expect(arrived).toEqual(["1", "2", "3"]);
      const stored = JSON.stringify(await page.evaluate(() => ({ ...localStorage, ...sessionStorage })));
      expect(stored).toBe("{}");

      // The page loads itself again at the end of the job.
      const segments = page.locator(".said li");
      await segments.first().waitFor({ timeout: 25_000 });
      await page.getByRole("heading", { level: 1, name: "council.wav" }).waitFor();
      await expectAccessible(page);
      await page.setViewportSize({ width: 320, height: 640 });
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320);
      const last = segments.last();
      const begin = Number(await last.getAttribute("data-start"));
      await last.getByRole("link").focus();
      await page.keyboard.press("Enter");
      await expect.poll(() => last.getAttribute("aria-current")).toBe("true");
      const audio = page.locator("audio");
      expect(
        await audio.evaluate((audio) => Number(Reflect.get(audio, "currentTime"))),
      ).toBeGreaterThanOrEqual(begin);
      await segments.first().getByText(/\w{3}/).last().click();
      await expect.poll(() => segments.first().getAttribute("aria-current")).toBe("true");
      expect(await last.getAttribute("aria-current")).toBe(null);

      const download = page.waitForEvent("download");
      await page.getByRole("link", { name: "Subtitles (srt)" }).click();
      expect((await download).suggestedFilename()).toBe("council.srt");
      expect(complaints().filter((text) => !text.includes("ERR_CONNECTION_RESET"))).toEqual([]);
    }));

  it("report an error before anything is sent, and stop when the person cancels", () =>
    visit(async ({ page, context }) => {
      await logIn(page, url, await register(url));
      await page.goto(`${url}/console/recordings`);
      await page.getByRole("button", { name: "Upload and transcribe" }).click();
      const state = page.locator("[data-state]");
      await expect.poll(() => state.textContent()).toBe("Choose a recording first.");
      // The first part never arrives.
      await context.route(isPart, () => undefined);
      await choose(page);
      await expect.poll(() => state.textContent()).toBe("Uploaded 0.0 of 11.0 MB.");
      await page.getByRole("button", { name: "Stop" }).click();
      await expect.poll(() => state.textContent()).toContain("Stopped.");
      await context.unroute(isPart);
      await choose(page);
      await page.waitForURL(/\/console\/recordings\/[\w-]{36}$/);
    }));
});
