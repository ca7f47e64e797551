import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { logIn, register } from "../support/console-visit.ts";
import { expectAccessible, targets, visit } from "../support/visitor.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "language-ai-document-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe.each(targets)("The documents, $name", ({ url }) => {
  it("are dropped, translated, downloaded and deleted", () =>
    visit(async ({ page, complaints }) => {
      await logIn(page, url, await register(url));
      await page.goto(`${url}/console/playground`);
      await page.getByRole("link", { name: "Document", exact: true }).click();
      await expectAccessible(page);
      const state = page.locator("[data-state]");
      await page.getByRole("button", { name: "Upload and translate" }).click();
      await expect.poll(() => state.textContent()).toBe("Choose a document first.");

      const file = join(folder, "leaflet.html");
      await writeFile(file, "<h1>Thank you</h1>\n<p class='a'>Good <b>morning</b></p>\n");
      await page.locator("#file").setInputFiles(file);
      await page.locator("#source_language").selectOption("eng");
      await page.locator("#target_language").selectOption("lug");
      await page.getByRole("button", { name: "Upload and translate" }).click();
      // The page loads itself again at the end of the job.
      const download = page.getByRole("link", { name: "Download" });
      await download.waitFor({ timeout: 25_000 });
      await page.getByRole("heading", { level: 3, name: "leaflet.lug.html" }).waitFor();
      await expectAccessible(page);
      await page.setViewportSize({ width: 320, height: 640 });
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320);

      const saved = page.waitForEvent("download");
      await download.click();
      const translated = join(folder, (await saved).suggestedFilename());
      await (await saved).saveAs(translated);
      expect(translated).toBe(join(folder, "leaflet.lug.html"));
      expect(await readFile(translated, "utf8")).toMatch(
        /^<h1>Webale<\/h1>\n<p class='a'>.*<b>.*<\/b>.*<\/p>\n$/,
      );

      await page.getByText("Delete", { exact: true }).first().click();
      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByText("The document and its translation are deleted.").waitFor();
      await page.getByText("No documents yet").waitFor();
      expect(complaints()).toEqual([]);
    }));
});
