import { brotliDecompressSync } from "node:zlib";
import { chooseCoding } from "../../../shared/http/compress-response.ts";
import { definePage } from "../../../shared/pages/server/define-page.ts";
import { assetsPath } from "../../../shared/pages/server/links.ts";
import { type BoundPage, page } from "../../../shared/pages/server/page.ts";
import { type PageResponse, sentFile } from "../../../shared/pages/server/responses.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import type { BuiltAsset } from "./built-assets.ts";

/** A file that browsers may cache forever; `undefined` when there is none with this name. */
export const sendAsset = (
  assets: readonly BuiltAsset[],
  file: string,
  acceptEncoding?: string,
): PageResponse<never> | undefined => {
  const found = assets.find((asset) => asset.file === file);
  if (!found) return undefined;
  const { contentType } = found;
  const compressed = Buffer.from(found.compressed, "base64");
  const headers = { "Cache-Control": "public, max-age=31536000, immutable" };
  // Clients without brotli get the text, which is compressed as any other response.
  if (chooseCoding(acceptEncoding) !== "br") {
    return sentFile({ contentType, body: brotliDecompressSync(compressed).toString(), headers });
  }
  return sentFile({
    contentType,
    body: compressed,
    headers: { ...headers, "Content-Encoding": "br", Vary: "Accept-Encoding" },
  });
};

const assetPage = definePage({ id: "asset", path: assetsPath, audience: "everybody", title: () => "" });

/** The files that the pages of all functions load. */
export const assetPages = ({ assets }: { readonly assets: readonly BuiltAsset[] }): BoundPage[] => [
  page(assetPage, {
    show: ({ path, request }) => {
      const sent = sendAsset(assets, path["file"] ?? "", request.headers["accept-encoding"]);
      if (!sent) throw new AppError("not_found");
      return sent;
    },
  }),
];
