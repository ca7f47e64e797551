import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { logIn, logInAsOperator } from "../../support/console-visit.ts";
import type { Picture } from "./contact-sheet.ts";
import type { Actor, People } from "./people.ts";
import { openScene, type Scene } from "./scenes.ts";

/** Small and usual phones, a tablet, a laptop and a screen; the pictures are as high as their pages. */
export const widths = [360, 768, 1024, 1440] as const;
export const colorSchemes = ["light", "dark"] as const;

/** A sheet shows no more of a page, and the longest pages would take most of the time. */
const maxHeight = 4_000;

const height = 800;

/** What to take, and where. */
export interface Taking {
  readonly url: string;
  readonly folder: string;
  readonly widths: readonly number[];
  readonly colorSchemes: readonly ("light" | "dark")[];
}

/** The page changes with the width and the colours by its style sheet alone, so it is loaded once. */
const takeScene = async (page: Page, scene: Scene, taking: Taking): Promise<Picture[]> => {
  const { url, folder } = taking;
  await openScene(page, url, scene);
  const pictures: Picture[] = [];
  for (const colorScheme of taking.colorSchemes) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const width of taking.widths) {
      await page.setViewportSize({ width, height });
      const file = join(scene.page, `${scene.state}-${width}-${colorScheme}.png`);
      const length = await page.evaluate<number>("document.documentElement.scrollHeight");
      const clip = { x: 0, y: 0, width, height: Math.min(length, maxHeight) };
      await page.screenshot({ path: join(folder, file), fullPage: true, clip });
      pictures.push({ page: scene.page, state: scene.state, width, colorScheme, file });
    }
  }
  return pictures;
};

const problemOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Opens browsers for actors, of whom each logs in once. */
export const createActors = (browser: Browser, people: People, url: string) => {
  const sessions = new Map<Actor, BrowserContextOptions>();
  return async (actor: Actor): Promise<BrowserContext> => {
    const session = sessions.get(actor);
    const context = await browser.newContext(session);
    context.setDefaultTimeout(20_000);
    if (actor !== "visitor" && !session) {
      const page = await context.newPage();
      await (actor === "operator" ? logInAsOperator : logIn)(page, url, people[actor]);
      sessions.set(actor, { storageState: await context.storageState() });
      await page.close();
    }
    return context;
  };
};

/** Takes the pictures of scenes, one after the other. A scene that fails is on the sheet with its error. */
export const takePictures = async (
  browser: Browser,
  people: People,
  scenes: readonly Scene[],
  taking: Taking,
): Promise<Picture[]> => {
  const open = createActors(browser, people, taking.url);
  const pictures: Picture[] = [];
  for (const scene of scenes) {
    await mkdir(join(taking.folder, scene.page), { recursive: true });
    const context = await open(scene.as);
    try {
      pictures.push(...(await takeScene(await context.newPage(), scene, taking)));
    } catch (error) {
      const [width = 0] = taking.widths;
      const failed = { page: scene.page, state: scene.state, width, colorScheme: "light", file: undefined };
      pictures.push({ ...failed, problem: problemOf(error) });
    } finally {
      await context.close();
    }
  }
  return pictures;
};
