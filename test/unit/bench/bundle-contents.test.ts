import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readBundleContents } from "../../bench/cold/bundle-contents.ts";

const output = (inputs: Record<string, number>, imports: Record<string, string> = {}) => ({
  inputs: Object.fromEntries(
    Object.entries(inputs).map(([path, bytesInOutput]) => [path, { bytesInOutput }]),
  ),
  imports: Object.entries(imports).map(([path, kind]) => ({ path, kind })),
});

it("counts what a start loads, and separately what is loaded later", async () => {
  const folder = await mkdtemp(join(tmpdir(), "bundle-contents-"));
  const outputs = {
    "out/upload/index.mjs": output(
      { "functions/upload/handler.ts": 10, "node_modules/zod/v4/core/index.js": 70 },
      {
        "out/upload/shared.mjs": "import-statement",
        "out/upload/s3.mjs": "dynamic-import",
        "./copied.mjs": "dynamic-import",
        "node:fs": "import-statement",
      },
    ),
    "out/upload/shared.mjs": output({ "node_modules/zod/index.js": 5 }),
    "out/upload/s3.mjs": output(
      { "node_modules/@aws-sdk/client-s3/dist/index.js": 500 },
      { "out/upload/shared.mjs": "import-statement", "out/upload/chunks/xml.mjs": "import-statement" },
    ),
    "out/upload/chunks/xml.mjs": output({}),
  };
  await writeFile(join(folder, "metafile.json"), JSON.stringify({ outputs }));
  const contents = await readBundleContents(join(folder, "metafile.json"));
  await rm(folder, { recursive: true });
  expect([...contents]).toEqual([
    [
      "upload",
      {
        files: ["index.mjs", "shared.mjs"],
        laterFiles: ["s3.mjs", "copied.mjs", "chunks/xml.mjs"],
        parts: [
          { origin: "zod", bytes: 75 },
          { origin: "functions/upload", bytes: 10 },
        ],
      },
    ],
  ]);
});
