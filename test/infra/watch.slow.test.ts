import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { watchBundles } from "../../infra/build.ts";
import { bundleOptions } from "../../infra/bundling/bundle-options.ts";
import { withTemporaryDirectory } from "./synthesized-service.ts";

/** Returns a listener's calls, one after the other. */
const recordCalls = () => {
  let next = Promise.withResolvers<string | undefined>();
  return {
    listener: (error?: string) => next.resolve(error),
    nextCall: async () => {
      const error = await next.promise;
      next = Promise.withResolvers();
      return error;
    },
  };
};

describe("Watching the functions", () => {
  it(
    "has built them when it starts, rebuilds on each change and survives mistakes",
    { timeout: 20_000 },
    () =>
      withTemporaryDirectory(async (directory) => {
        const entry = join(directory, "handler.ts");
        const bundle = join(directory, "out/sample/index.mjs");
        const { listener, nextCall } = recordCalls();
        await writeFile(entry, 'export const handler = () => "first";');
        const watcher = await watchBundles(
          [bundleOptions({ sample: entry }, join(directory, "out"))],
          listener,
        );
        try {
          expect(await readFile(bundle, "utf8")).toContain('"first"');

          await writeFile(entry, 'export const handler = () => "second');
          expect(await nextCall()).toContain("handler.ts:1");
          expect(await readFile(bundle, "utf8")).toContain('"first"');

          await writeFile(entry, 'export const handler = () => "second";');
          expect(await nextCall()).toBeUndefined();
          expect(await readFile(bundle, "utf8")).toContain('"second"');
        } finally {
          await watcher.dispose();
        }
      }),
  );

  it("does not start from sources that cannot be built", () =>
    withTemporaryDirectory(async (directory) => {
      const missing = join(directory, "missing.ts");
      const { listener } = recordCalls();
      await expect(watchBundles([bundleOptions({ sample: missing }, directory)], listener)).rejects.toThrow(
        "Could not resolve",
      );
    }));
});
