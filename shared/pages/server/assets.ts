import { chooseCoding } from "../../http/compress-response.ts";
import type { BuiltAsset } from "./built-assets.ts";
import { assetsPath } from "./links.ts";
import { type PageResponse, sentFile } from "./responses.ts";

/** The path of a file that pages load; empty when nothing was built. @throws Error when only this file is missing. */
export const assetPath = (assets: readonly BuiltAsset[], name: string): string[] => {
  const found = assets.find((asset) => asset.name === name);
  if (found) return [assetsPath.replace("{file}", found.file)];
  if (assets.length === 0) return [];
  throw new Error(`There is no file "${name}" among those of the console.`);
};

/** A file that browsers may cache forever; `undefined` when there is none with this name. */
export const sendAsset = (
  assets: readonly BuiltAsset[],
  file: string,
  acceptEncoding?: string,
): PageResponse<never> | undefined => {
  const found = assets.find((asset) => asset.file === file);
  if (!found) return undefined;
  const { contentType, text, compressed } = found;
  const headers = { "Cache-Control": "public, max-age=31536000, immutable" };
  // Clients without brotli get the text, which is compressed as any other response.
  if (chooseCoding(acceptEncoding) !== "br") return sentFile({ contentType, body: text, headers });
  return sentFile({
    contentType,
    body: Buffer.from(compressed, "base64"),
    headers: { ...headers, "Content-Encoding": "br", Vary: "Accept-Encoding" },
  });
};
