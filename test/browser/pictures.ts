import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { projectDirectory } from "../../infra/bundling/bundle-options.ts";
import { withTemporaryDirectory } from "../infra/synthesized-service.ts";
import { chromiumArguments, findChromium } from "../support/chromium.ts";
import { logIn, register } from "../support/console-visit.ts";
import { runService } from "../support/run-service.ts";
import { type ConsolePage, consolePages } from "./console-pages.ts";

/** What people hold in their hands: a small phone, and a screen. */
const screens = { phone: { width: 360, height: 740 }, desktop: { width: 1280, height: 800 } };

/** `/console/sign-up` as the name of a file. */
const fileNameOf = (path: string): string =>
  path
    .replace(/^\//, "")
    .replaceAll(/[^a-z0-9]+/gi, "-")
    .replace(/^$/, "home");

const takePictures = async (
  page: Page,
  url: string,
  folder: string,
  pages: readonly ConsolePage[],
): Promise<void> => {
  for (const { path } of pages) {
    await page.goto(`${url}${path}`, { waitUntil: "networkidle" });
    await page.screenshot({ path: join(folder, `${fileNameOf(path)}.png`), fullPage: true });
  }
};

const takeAll = async (browser: Browser, url: string, folder: string): Promise<void> => {
  const person = await register(url);
  for (const [screen, viewport] of Object.entries(screens)) {
    for (const colorScheme of ["light", "dark"] as const) {
      const context = await browser.newContext({ viewport, colorScheme });
      const page = await context.newPage();
      const place = join(folder, `${screen}-${colorScheme}`);
      await takePictures(
        page,
        url,
        join(place, "visitor"),
        consolePages.filter(({ isPersonal }) => !isPersonal),
      );
      await logIn(page, url, person);
      await takePictures(page, url, join(place, "signed-in"), consolePages);
      await context.close();
    }
  }
};

const executablePath = findChromium();
if (executablePath === undefined) {
  process.stderr.write("There is no Chromium here; CHROMIUM_PATH can name one.\n");
  process.exit(1);
}
const folder = join(projectDirectory, ".pictures");
await rm(folder, { recursive: true, force: true });
await mkdir(folder);
await withTemporaryDirectory(async (directory) => {
  const service = await runService({ PORT: "0", DATA_DIR: directory });
  const browser = await chromium.launch({ executablePath, args: chromiumArguments });
  try {
    await takeAll(browser, service.url, folder);
  } finally {
    await browser.close();
    await service.stop();
  }
});
process.stdout.write(`${folder}\n`);
