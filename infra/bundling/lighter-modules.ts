import { readFile } from "node:fs/promises";
import { STATUS_CODES } from "node:http";
import { isBuiltin } from "node:module";
import compress from "@zxcvbn-ts/dictionary-compression/compress";
import { dictionary } from "@zxcvbn-ts/language-common";
import type { Plugin } from "esbuild";
import { minPasswordLength } from "../../shared/accounts/sign-in/registration.ts";

/** What is read of a module that is not loaded for it: `@middy/util` names errors by it, and `node:http` is large. */
const writtenOut = { "node:http": { STATUS_CODES } };

const exportOf = (path: string, name: string): string => {
  const known: Readonly<Record<string, Readonly<Record<string, unknown>>>> = writtenOut;
  const data = known[path]?.[name];
  return `export const ${name} = ${data ? JSON.stringify(data) : `/* @__PURE__ */ (() => value.${name})()`};`;
};

/**
 * Takes Node's built-in modules from `process.getBuiltinModule` instead of `import`.
 *
 * An ES module's `import "node:http"` makes Node evaluate every property of the module, lazy getters included: the one for
 * `WebSocket` loads a whole second HTTP client, about 30 ms of CPU in each cold start (nodejs/node#59686). With
 * `getBuiltinModule`, a property costs nothing until it is used. An imported module is replaced by one export for each property,
 * and the bundler drops the unused ones. For `require("events")`, whose value is a class and not a namespace, the replacement is the
 * module's value.
 */
const builtInModules: Plugin = {
  name: "built-in-modules",
  setup(build) {
    build.onResolve({ filter: /^[a-z0-9_/:]+$/ }, ({ path: named, kind }) => {
      if (!isBuiltin(named)) return undefined;
      const path = named.replace(/^(node:)?/, "node:");
      if (kind === "dynamic-import") return { path, external: true };
      const namespace = kind === "import-statement" ? "built-in-import" : "built-in-value";
      return { path, namespace, sideEffects: false };
    });
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
          .map((name) => exportOf(path, name)),
      ].join("\n"),
      loader: "js",
    }));
  },
};

/** Empties a copy of libopus as 600 kB of JavaScript: opusscript includes it in addition to the WebAssembly that we use. */
const unusedCodec: Plugin = {
  name: "unused-codec",
  setup(build) {
    build.onLoad({ filter: /\/opusscript_native_nasm\.js$/ }, () => ({ contents: "" }));
  },
};

/**
 * The common passwords that are long enough to be chosen, sorted so that they pack well: 83 kB in place of 380. They are
 * unpacked at the first new password. The package does that at the start of the function, where few requests need it: 11 ms of
 * CPU in 116 for `auth`, 11 in 147 for `console` (November 2026). Its other word lists are dropped.
 */
const passwordsOnDemand: Plugin = {
  name: "passwords-on-demand",
  setup(build) {
    build.onLoad({ filter: /\/language-common\/dist\/index\.mjs$/ }, () => {
      const passwords = dictionary["passwords-common"].filter(({ length }) => length >= minPasswordLength);
      return {
        contents:
          'import decompress from "@zxcvbn-ts/dictionary-compression/decompress";\n' +
          `const packed = ${JSON.stringify(compress(passwords.toSorted()))};\n` +
          'export const dictionary = { get "passwords-common"() { return decompress(packed); } };',
      };
    });
  },
};

const exported = /^export (?:const|function|class) (?<name>\w+)/gm;

/**
 * Leaves out the part of zod that converts schemas to JSON Schema. Each schema refers to it, so no bundler can drop it, and only the
 * build converts any: 17 kB, 4 to 6% of the starts of `language`, `translate` and `chat` (November 2026).
 */
const withoutJsonSchema: Plugin = {
  name: "without-json-schema",
  setup(build) {
    const filter = /\/zod\/v4\/core\/(?:to-json-schema|json-schema-processors|json-schema-generator)\.js$/;
    build.onLoad({ filter }, async ({ path }) => {
      const names = [...(await readFile(path, "utf8")).matchAll(exported)].flatMap(
        (match) => match.groups?.["name"] ?? [],
      );
      // Each new schema calls the two that begin with `create`, and never their results.
      const lines = names.map(
        (name) => `export const ${name} = ${name.startsWith("create") ? "() => leftOut" : "leftOut"};`,
      );
      const leftOut =
        'const leftOut = () => { throw new Error("Functions cannot convert schemas to JSON Schema."); };';
      return { contents: [leftOut, ...lines].join("\n") };
    });
  },
};

/** Leaves out of the package for agents its validator of JSON Schema, 150 kB that only servers with questions to users need. */
const withoutSchemaValidator: Plugin = {
  name: "without-schema-validator",
  setup(build) {
    build.onLoad({ filter: /\/@modelcontextprotocol\/server\/dist\/ajvProvider-[\w-]+\.mjs$/ }, () => ({
      contents: "class LeftOut {} export { LeftOut as n, LeftOut as r, LeftOut as t };",
    }));
  },
};

/** Leaves out what reads streams of events, which no operation of the SDK that functions call has. */
const withoutEventStreams: Plugin = {
  name: "without-event-streams",
  setup(build) {
    build.onResolve({ filter: /^@smithy\/core\/event-streams$/ }, ({ path, kind }) =>
      kind === "dynamic-import" ? { path, external: true } : undefined,
    );
  },
};

/** Replace modules that would make functions start more slowly, or their bundles larger. */
export const lighterModules: readonly Plugin[] = [
  builtInModules,
  unusedCodec,
  withoutEventStreams,
  passwordsOnDemand,
  withoutJsonSchema,
  withoutSchemaValidator,
];
