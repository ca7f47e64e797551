import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { sendAsset } from "../../../functions/site/assets/asset-pages.ts";
import { assetPath } from "../../../shared/pages/server/assets.ts";

const text = "p { color: green }";
const asset = {
  name: "style.css",
  file: "style.4QKZ7H2M.css",
  contentType: "text/css; charset=utf-8",
  compressed: brotliCompressSync(text).toString("base64"),
};

describe("A file of the console", () => {
  it("is sent compressed as it was built to browsers that accept brotli, and as text to others", () => {
    const sent = sendAsset([asset], asset.file, "gzip, br");
    if (sent?.kind !== "file" || !(sent.body instanceof Uint8Array)) throw new Error("It is not compressed.");
    expect(brotliDecompressSync(sent.body).toString()).toBe(text);
    expect(sent.headers).toMatchObject({ "Content-Encoding": "br", Vary: "Accept-Encoding" });
    for (const accepted of [undefined, "gzip", "br;q=0"]) {
      const plain = sendAsset([asset], asset.file, accepted);
      expect(plain).toMatchObject({ kind: "file", body: text, contentType: "text/css; charset=utf-8" });
      expect(plain).not.toHaveProperty("headers.Content-Encoding");
    }
  });

  it("may be cached forever, and is missing under any other name", () => {
    expect(sendAsset([asset], asset.file)).toMatchObject({
      headers: { "Cache-Control": "public, max-age=31536000, immutable" },
    });
    expect(sendAsset([asset], "style.00000000.css")).toBeUndefined();
  });

  it("is found by what it was built from", () => {
    expect(assetPath([asset], "style.css")).toEqual(["/console/assets/style.4QKZ7H2M.css"]);
    expect(assetPath([], "style.css")).toEqual([]);
    expect(() => assetPath([asset], "style.js")).toThrow('There is no file "style.js"');
  });
});
