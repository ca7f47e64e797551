import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import * as z from "zod";
import { projectDirectory } from "../../infra/bundling/bundle-options.ts";
import { readOptions } from "../../infra/commands/command-line.ts";
import { withTemporaryDirectory } from "../infra/synthesized-service.ts";
import { chromiumArguments, findChromium } from "../support/chromium.ts";
import { logIn, type Person, register } from "../support/console-visit.ts";
import { runService } from "../support/run-service.ts";
import { type ConsolePage, consolePages } from "./console-pages.ts";

const { folder, once } = readOptions(
  `Usage: npm run pictures [-- --folder .pictures] [--once]

Takes pictures of every page, in a folder that is emptied first. --once only sees whether it works: on a phone, in light colours.`,
  {
    folder: { type: "string", default: join(projectDirectory, ".pictures") },
    once: { type: "boolean", default: false },
  },
);

/** What people hold in their hands: a small phone, and a screen. */
const phone = { width: 360, height: 740 };
const screens = once ? { phone } : { phone, desktop: { width: 1280, height: 800 } };
const colorSchemes = once ? (["light"] as const) : (["light", "dark"] as const);

/** `/console/sign-up` as the name of a file. */
const fileNameOf = (path: string): string =>
  path
    .replace(/^\//, "")
    .replaceAll(/[^a-z0-9]+/gi, "-")
    .replace(/^$/, "home");

const sentences = [
  "Wasuze otya nno, ssebo?",
  "Webale nnyo okujja mu lukiiko luno.",
  "Leero tugenda kwogera ku masomero n'amazzi amayonjo.",
];

/** Has a recording transcribed, as a program would. @returns the path of its page. */
const makeRecording = async (url: string, { username, password }: Person): Promise<string> => {
  const ask = async (path: string, body?: unknown, token = ""): Promise<Response> =>
    fetch(`${url}${path}`, {
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    });
  const signedIn = await fetch(`${url}/auth/token`, {
    method: "POST",
    body: new URLSearchParams({ username, password }),
  });
  const { access_token: token } = z.object({ access_token: z.string() }).parse(await signedIn.json());
  const text = Array.from({ length: 4 }, () => sentences.join(" ")).join(" ");
  const spoken = await ask("/tasks/audio/speech", { text, language: "lug", response_mode: "stream" }, token);
  const audio = await spoken.blob();
  const file = { file_name: "council.wav", content_type: "audio/wav", size: audio.size };
  const link = z
    .object({ upload_url: z.string(), file_id: z.string() })
    .parse(await (await ask("/tasks/generate-upload-url", file, token)).json());
  await fetch(link.upload_url, { method: "PUT", headers: { "Content-Type": "audio/wav" }, body: audio });
  const wanted = { type: "transcription", language: "lug", timestamps: true, file_id: link.file_id };
  const { id } = z.object({ id: z.string() }).parse(await (await ask("/tasks/jobs", wanted, token)).json());
  let status = "";
  while (status !== "completed") {
    ({ status } = z
      .object({ status: z.string() })
      .parse(await (await ask(`/tasks/jobs/${id}`, undefined, token)).json()));
  }
  return `/console/recordings/${id}`;
};

const takePictures = async (
  page: Page,
  url: string,
  folder: string,
  pages: readonly ConsolePage[],
): Promise<void> => {
  for (const { path } of pages) {
    const response = await page.goto(`${url}${path}`, { waitUntil: "networkidle" });
    if ((response?.status() ?? 0) >= 500) throw new Error(`${path} responds with ${response?.status()}.`);
    await page.screenshot({ path: join(folder, `${fileNameOf(path)}.png`), fullPage: true });
  }
};

const takeAll = async (browser: Browser, url: string, folder: string): Promise<void> => {
  const person = await register(url);
  const recording = { path: await makeRecording(url, person), isPersonal: true };
  for (const [screen, viewport] of Object.entries(screens)) {
    for (const colorScheme of colorSchemes) {
      const context = await browser.newContext({ viewport, colorScheme });
      const page = await context.newPage();
      const path = join(folder, `${screen}-${colorScheme}`);
      await takePictures(
        page,
        url,
        join(path, "visitor"),
        consolePages.filter(({ isPersonal }) => !isPersonal),
      );
      await logIn(page, url, person);
      await takePictures(page, url, join(path, "signed-in"), [...consolePages, recording]);
      await context.close();
    }
  }
};

const executablePath = findChromium();
if (executablePath === undefined) {
  process.stderr.write("There is no Chromium here; CHROMIUM_PATH can name one.\n");
  process.exit(1);
}
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
