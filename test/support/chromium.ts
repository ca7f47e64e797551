import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The first has no window, and so uses half of the CPU. */
const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

const canBeRun = (program: string): boolean => {
  try {
    accessSync(program, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** The browser of this machine: the one that `CHROMIUM_PATH` names, else one on the path; `undefined` where there is none. */
export const findChromium = (): string | undefined => {
  const { CHROMIUM_PATH: named, PATH: path = "" } = process.env;
  if (named) return canBeRun(named) ? named : undefined;
  const folders = [...path.split(delimiter), "/usr/bin"];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(canBeRun);
};

/** How Chromium is started: it only opens our own pages, and cannot confine itself where it runs as root. */
export const chromiumArguments = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
