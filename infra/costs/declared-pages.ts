import { globSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "../../shared/pages/server/define-page.ts";
import { projectDirectory } from "../bundling/bundle-options.ts";

const isPage = (value: unknown): value is Page =>
  typeof value === "object" && value !== null && "audience" in value;

const modules = await Promise.all(
  globSync("functions/**/pages.ts", { cwd: projectDirectory }).map(
    (file): Promise<Readonly<Record<string, unknown>>> =>
      import(pathToFileURL(join(projectDirectory, file)).href),
  ),
);

/** Every page of a function: those that its folders' `pages.ts` declare. */
export const declaredPages: readonly Page[] = modules
  .flatMap((module) => Object.values(module))
  .filter(isPage);
