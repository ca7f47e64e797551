import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const names = ["chromium", "chromium-browser", "google-chrome"];

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
  return [...path.split(delimiter), "/usr/bin"]
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find(canBeRun);
};

/** How Chromium is started: it only opens our own pages, and cannot confine itself where it runs as root. */
export const chromiumArguments = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
