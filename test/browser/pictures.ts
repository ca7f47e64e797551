import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { projectDirectory } from "../../infra/bundling/bundle-options.ts";
import { readOptions } from "../../infra/command-line.ts";
import { withTemporaryDirectory } from "../infra/synthesized-service.ts";
import { chromiumArguments, findChromium } from "../support/chromium.ts";
import { runService } from "../support/run-service.ts";
import { writeContactSheet } from "./pictures/contact-sheet.ts";
import { fillDays, promote } from "./pictures/fill-days.ts";
import { fillLists } from "./pictures/fill-lists.ts";
import { createPeople, type People } from "./pictures/people.ts";
import { type Scene, scenes } from "./pictures/scenes.ts";
import { colorSchemes, takePictures, widths } from "./pictures/take-pictures.ts";

const { folder, once, page } = readOptions(
  `Usage: npm run pictures [-- --page usage] [--folder .pictures] [--once]

Takes pictures of every page in its states, in four widths and two colour schemes, in a folder that is emptied first. Its
index.html is a sheet of all of them, and <page>.png the part of one page.
  --page   only pages whose name begins with this; may be repeated
  --once   only sees whether it works: on a phone, in light colours`,
  {
    folder: { type: "string", default: join(projectDirectory, ".pictures") },
    page: { type: "string", multiple: true, default: [] },
    once: { type: "boolean", default: false },
  },
);

const wanted = scenes.filter(
  (scene) => page.length === 0 || page.some((name) => scene.page.startsWith(name)),
);
const actors = new Set(wanted.map(({ as }) => as));

/** Creates accounts in their states; the days of the past need a service that does not run. */
const prepare = async (variables: Record<string, string>): Promise<People> => {
  const service = await runService(variables);
  let people: People;
  try {
    people = await createPeople(service.url, actors);
  } finally {
    await service.stop();
  }
  if (actors.has("operator")) await promote(variables["DATA_DIR"] ?? "", people.operator);
  // Operators see what the account with most has.
  if (actors.has("many") || actors.has("operator")) {
    await fillDays(variables["DATA_DIR"] ?? "", people.many);
    await fillLists(variables["DATA_DIR"] ?? "", people.many);
  }
  return people;
};

const takeAll = async (
  browser: Browser,
  people: People,
  chosen: readonly Scene[],
  variables: Record<string, string>,
): Promise<boolean> => {
  // As in a deployment, so that meters show what people have.
  const service = await runService({ ...variables, LIMIT_MULTIPLIER: "1" });
  try {
    const pictures = await takePictures(browser, people, chosen, {
      url: service.url,
      folder,
      widths: once ? widths.slice(0, 1) : widths,
      colorSchemes: once ? colorSchemes.slice(0, 1) : colorSchemes,
    });
    await writeContactSheet(browser, folder, pictures);
    const failed = pictures.filter(({ problem }) => problem !== undefined);
    for (const { page: name, state, problem } of failed)
      process.stderr.write(`${name}, ${state}: ${problem}\n`);
    process.stdout.write(`${pictures.length - failed.length} pictures in ${folder}\n`);
    return failed.length === 0;
  } finally {
    await service.stop();
  }
};

const executablePath = findChromium();
if (executablePath === undefined || wanted.length === 0) {
  process.stderr.write(
    executablePath === undefined
      ? "There is no Chromium here; CHROMIUM_PATH can name one.\n"
      : `There is no such page; there are ${[...new Set(scenes.map((scene) => scene.page))].join(", ")}.\n`,
  );
  process.exit(1);
}
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
await withTemporaryDirectory(async (directory) => {
  const variables = { PORT: "0", DATA_DIR: directory };
  const people = await prepare(variables);
  const browser = await chromium.launch({ executablePath, args: chromiumArguments });
  try {
    if (!(await takeAll(browser, people, wanted, variables))) process.exitCode = 1;
  } finally {
    await browser.close();
  }
});
