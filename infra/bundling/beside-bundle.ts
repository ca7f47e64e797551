/** What bundles have in place of `import.meta.resolve`: the files of packages that they read lie beside them. */
export const besideBundle = (specifier: string): string =>
  new URL(`.${specifier.slice(specifier.lastIndexOf("/"))}.wasm`, import.meta.url).href;
