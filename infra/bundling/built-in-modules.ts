import { isBuiltin } from "node:module";
import type { Plugin } from "esbuild";

/**
 * Takes Node's built-in modules through `process.getBuiltinModule` instead of `import`.
 *
 * An ES module's `import "node:http"` makes Node evaluate every property of the module, lazy getters included: the one for
 * `WebSocket` loads a whole second HTTP client, about 30 ms of CPU on each cold start (nodejs/node#59686). Read through
 * `getBuiltinModule`, a property costs something only when it is used. The stub is CommonJS so that it also stands in
 * for `require("events")`, whose value is a class and not a namespace.
 */
export const builtInModules = (): Plugin => ({
  name: "built-in-modules",
  setup(build) {
    build.onResolve({ filter: /^[a-z0-9_/:]+$/ }, ({ path }) =>
      isBuiltin(path)
        ? { path: path.replace(/^(node:)?/, "node:"), namespace: "built-in-module", sideEffects: false }
        : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: "built-in-module" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
      loader: "js",
    }));
  },
});
