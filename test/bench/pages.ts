/**
 * `npm run bench -- pages`: the bytes of the first load of every page, and on a slow network, how long it takes until its largest
 * part is painted, and how far its parts move. Exits with 1 when a bound is exceeded.
 */

import { gzipSync } from "node:zlib";
import { type Browser, type BrowserContextOptions, chromium } from "playwright-core";
import { buildBrowserAssets } from "../../infra/bundling/browser-assets.ts";
import { projectDirectory } from "../../infra/bundling/bundle-options.ts";
import { readOptions } from "../../infra/command-line.ts";
import { type ConsolePage, consolePages } from "../browser/console-pages.ts";
import { type FirstLoad, measureFirstLoad, slowNetwork } from "../browser/first-load.ts";
import { withTemporaryDirectory } from "../infra/synthesized-service.ts";
import { chromiumArguments, findChromium } from "../support/chromium.ts";
import { logIn, register } from "../support/console-visit.ts";
import { runService } from "../support/run-service.ts";
import { median } from "./statistics.ts";

const { once } = readOptions(
  `Usage: npm run bench -- pages [--once]

Measures the first load of every page in Chromium on a network of ${slowNetwork.bitsPerSecond / 1_000} kbit/s and ${slowNetwork.latencyMilliseconds} ms.
--once only sees whether it works: it loads the home page once, and judges no time.`,
  { once: { type: "boolean", default: false } },
);

const bounds = { bytes: 60_000, layoutShift: 0.02, styleSheetBytes: 12_000, contentfulPaint: 1_800 };

/** The pages that strangers see first. Only these have a bound in time: the others come when the style sheet is cached. */
const firstPages = ["/", "/console/sign-up", "/docs/translate", "/console/playground?try=translate"];
const rounds = once ? 1 : 5;
const phone: BrowserContextOptions = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2 };

const say = (line: string) => process.stdout.write(`${line}\n`);
const failures: string[] = [];

const judge = (subject: string, value: number, bound: number): void => {
  if (!(value <= bound)) failures.push(`${subject}: ${value} is more than ${bound}`);
};

/** Each round has a browser without cache, cookies or open connections. */
const measure = async (
  browser: Browser,
  url: string,
  { path }: ConsolePage,
  options: BrowserContextOptions,
): Promise<FirstLoad> => {
  const loads: FirstLoad[] = [];
  for (let round = 0; round < (firstPages.includes(path) ? rounds : 1); round += 1) {
    const context = await browser.newContext({ ...phone, ...options });
    loads.push(await measureFirstLoad(await context.newPage(), `${url}${path}`));
    await context.close();
  }
  return {
    bytes: median(loads.map(({ bytes }) => bytes)),
    contentfulPaint: median(loads.map(({ contentfulPaint }) => contentfulPaint)),
    layoutShift: Math.max(...loads.map(({ layoutShift }) => layoutShift)),
  };
};

const logInOnce = async (browser: Browser, url: string) => {
  const context = await browser.newContext();
  await logIn(await context.newPage(), url, await register(url));
  const storageState = await context.storageState();
  await context.close();
  return { storageState };
};

const measurePages = async (browser: Browser, url: string): Promise<void> => {
  const session = await logInOnce(browser, url);
  say("| page | bytes | largest paint, ms | layout shift |\n|---|---|---|---|");
  for (const declared of once ? consolePages.slice(0, 1) : consolePages) {
    const { path, isPersonal } = declared;
    const load = await measure(browser, url, declared, isPersonal ? session : {});
    say(`| ${path} | ${load.bytes} | ${Math.round(load.contentfulPaint)} | ${load.layoutShift.toFixed(3)} |`);
    judge(`bytes of ${path}`, load.bytes, bounds.bytes);
    judge(`layout shift of ${path}`, load.layoutShift, bounds.layoutShift);
    if (!once && firstPages.includes(path)) {
      judge(`milliseconds until the largest paint of ${path}`, load.contentfulPaint, bounds.contentfulPaint);
    }
  }
};

const executablePath = findChromium();
if (executablePath === undefined) {
  process.stderr.write("There is no Chromium here; CHROMIUM_PATH can name one.\n");
  process.exit(1);
}
const { assets } = await buildBrowserAssets(projectDirectory);
for (const { file, text } of assets.filter(({ file }) => file.endsWith(".css"))) {
  const { byteLength } = gzipSync(text);
  say(`${file}: ${byteLength} bytes packed`);
  judge(`bytes of ${file}`, byteLength, bounds.styleSheetBytes);
}
await withTemporaryDirectory(async (directory) => {
  const service = await runService({ PORT: "0", DATA_DIR: directory });
  const browser = await chromium.launch({ executablePath, args: chromiumArguments });
  try {
    await measurePages(browser, service.url);
  } finally {
    await browser.close();
    await service.stop();
  }
});
for (const failure of failures) say(failure);
say(failures.length === 0 ? "All bounds hold." : `${failures.length} bounds are exceeded.`);
process.exitCode = failures.length === 0 ? 0 : 1;
