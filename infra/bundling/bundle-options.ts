import { isBuiltin } from "node:module";
import { join } from "node:path";
import type { BuildOptions, Plugin } from "esbuild";
import { functionDefinitions } from "../../functions/manifest.ts";
import { browserAssets } from "./browser-assets.ts";
import { companionFiles, writeChangedFiles } from "./bundle-files.ts";
import { builtGuides } from "./guides.ts";
import { postponePasswords } from "./postponed-passwords.ts";
import { postponeSchemas } from "./postponed-schemas.ts";

/** The repository's folder, from which entry files and packages are found. */
export const projectDirectory = join(import.meta.dirname, "../..");

/**
 * How functions are bundled: one ES module each, dependencies and AWS SDK included.
 *
 * The SDK is bundled because the one of the Lambda runtime is larger to load and changes without a deployment.
 *
 * @param entryPoints the entry file of each function, by the function's name
 * @param outdir receives `<name>/index.mjs` and its source map
 */
export const bundleOptions = (entryPoints: Readonly<Record<string, string>>, outdir: string) =>
  ({
    absWorkingDir: projectDirectory,
    entryPoints: Object.entries(entryPoints).map(([name, entry]) => ({ in: entry, out: `${name}/index` })),
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node24",
    // The default order would prefer CommonJS builds, which cannot be tree-shaken.
    mainFields: ["module", "main"],
    minify: true,
    // CommonJS packages look for files beside themselves by it; `companionFiles` puts those beside the bundle.
    define: { __dirname: "import.meta.dirname", "import.meta.resolve": "besideBundle" },
    inject: ["infra/bundling/beside-bundle.ts"],
    sourcemap: true,
    sourcesContent: false,
    legalComments: "none",
    metafile: true,
    write: false,
    logLevel: "silent",
    plugins: [
      builtInModules(),
      leaveOut(unusedModules),
      // Before the one that reads every source file.
      browserAssets(projectDirectory),
      builtGuides(projectDirectory),
      postponePasswords(),
      postponeSchemas(projectDirectory, foldersOfManyOperations),
      writeChangedFiles(),
      companionFiles(projectDirectory),
    ],
  }) as const satisfies BuildOptions;

/** An environment of one of these answers a few of its operations, as a rule. */
const foldersOfManyOperations = functionDefinitions
  .filter(({ operations }) => operations.length > 2)
  .map(({ name }) => `functions/${name}`);

/** opusscript asks for the one that it was told to, and brings both: this is libopus as 600 kB of JavaScript. */
const unusedModules = /\/opusscript_native_nasm\.js$/;

/** Puts nothing in the place of modules that are loaded on a way which is never taken. */
const leaveOut = (filter: RegExp): Plugin => ({
  name: "leave-out",
  setup(build) {
    build.onLoad({ filter }, () => ({ contents: "" }));
  },
});

/**
 * Takes Node's built-in modules through `process.getBuiltinModule` instead of `import`.
 *
 * An ES module's `import "node:http"` makes Node evaluate every property of the module, lazy getters included: the one for
 * `WebSocket` loads a whole second HTTP client, about 30 ms of CPU on each cold start (nodejs/node#59686). Read through
 * `getBuiltinModule`, a property costs something only when it is used: the stand-in for an imported module exports each
 * by itself, and those that nobody asks for are left out of the bundle. For `require("events")`, whose value is a class and
 * not a namespace, and for `import()`, the stand-in is the module's value.
 */
const builtInModules = (): Plugin => ({
  name: "built-in-modules",
  setup(build) {
    build.onResolve({ filter: /^[a-z0-9_/:]+$/ }, ({ path, kind }) =>
      isBuiltin(path)
        ? {
            path: path.replace(/^(node:)?/, "node:"),
            namespace: kind === "import-statement" ? "built-in-import" : "built-in-value",
            sideEffects: false,
          }
        : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: "built-in-value" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
      loader: "js",
    }));
    build.onLoad({ filter: /.*/, namespace: "built-in-import" }, ({ path }) => ({
      contents: [
        `const value = /* @__PURE__ */ process.getBuiltinModule(${JSON.stringify(path)});`,
        "export default value;",
        ...Object.keys(process.getBuiltinModule(path) ?? {})
          .filter((name) => name !== "default")
          .map((name) => `export const ${name} = /* @__PURE__ */ (() => value.${name})();`),
      ].join("\n"),
      loader: "js",
    }));
  },
});
