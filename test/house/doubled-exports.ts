import { isProduction, type SourceFile } from "./sources.ts";

const declaration =
  /^export (?:declare |default )?(?:abstract |async )*(?:const|let|function\*?|class|interface|type|enum) +(\w+)/gm;

/** Names that more than one production module exports, each with its modules. */
export const doubledExports = (files: readonly SourceFile[]): { name: string; paths: string[] }[] => {
  const exporters = new Map<string, Set<string>>();
  for (const { path, text } of files.filter((file) => isProduction(file.path))) {
    for (const [, name = ""] of text.matchAll(declaration)) {
      // AWS Lambda requires this name of the entry of every function.
      if (name === "handler" && path.endsWith("/handler.ts")) continue;
      exporters.set(name, (exporters.get(name) ?? new Set()).add(path));
    }
  }
  return [...exporters]
    .filter(([, paths]) => paths.size > 1)
    .map(([name, paths]) => ({ name, paths: [...paths] }));
};
