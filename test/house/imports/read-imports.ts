import { dirname, join } from "node:path/posix";
import { Visitor } from "oxc-parser";
import type { SourceModule } from "../sources.ts";

/** An import of one module by another. */
export interface Import {
  readonly from: string;
  /** A path below the repository's root, or the name of a package as it is written. */
  readonly to: string;
  /** Whether it is removed with the types, so the module is not loaded. */
  readonly isTypeOnly: boolean;
}

const targetOf = (path: string, specifier: string): string =>
  specifier.startsWith(".") ? join(dirname(path), specifier) : specifier;

/** Modules named in types: `import("./module.ts").Type`. */
const typeImports = ({ text, parsed }: SourceModule): string[] => {
  const calls = text.match(/\bimport\(/g)?.length ?? 0;
  if (calls === parsed.module.dynamicImports.length) return [];
  const found: string[] = [];
  new Visitor({ TSImportType: ({ source }) => found.push(source.value) }).visit(parsed.program);
  return found;
};

/**
 * Every import of a module: `import` and `export … from`, of values or types, `import()` of a literal, and `import()` in
 * types.
 */
export const readImports = (module: SourceModule): Import[] => {
  const { path, text, parsed } = module;
  const { staticImports, staticExports, dynamicImports } = parsed.module;
  const statements = [
    ...staticImports.map(({ start, moduleRequest }) => ({ start, specifier: moduleRequest.value })),
    ...staticExports.flatMap(({ start, entries }) =>
      entries.flatMap(({ moduleRequest }) =>
        moduleRequest ? [{ start, specifier: moduleRequest.value }] : [],
      ),
    ),
  ].map(({ start, specifier }) => ({
    specifier,
    isTypeOnly: /^(import|export)\s+type\b/.test(text.slice(start, start + 20)),
  }));
  const calls = dynamicImports.flatMap(({ moduleRequest }) => {
    const [, specifier] =
      /^["'`]([^"'`$]+)["'`]$/.exec(text.slice(moduleRequest.start, moduleRequest.end)) ?? [];
    return specifier === undefined ? [] : [{ specifier, isTypeOnly: false }];
  });
  const types = typeImports(module).map((specifier) => ({ specifier, isTypeOnly: true }));
  return [...statements, ...calls, ...types].map(({ specifier, isTypeOnly }) => ({
    from: path,
    to: targetOf(path, specifier),
    isTypeOnly,
  }));
};
