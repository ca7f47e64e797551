import { assetsPath } from "./links.ts";
import type { NamedAsset } from "./named-assets.ts";

/** The path of a file that pages load; empty when nothing was built. @throws Error when only this file is missing. */
export const assetPath = (assets: readonly NamedAsset[], name: string): string[] => {
  const found = assets.find((asset) => asset.name === name);
  if (found) return [assetsPath.replace("{file}", found.file)];
  if (assets.length === 0) return [];
  throw new Error(`There is no file "${name}" among those of the console.`);
};
