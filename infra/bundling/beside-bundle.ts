/**
 * What bundles have in place of `import.meta.resolve`: the files of packages that they read lie beside them. What a package
 * exports without an ending is WebAssembly.
 */
export const besideBundle = (specifier: string): string =>
  new URL(
    `.${specifier.slice(specifier.lastIndexOf("/"))}${/\.\w+$/.test(specifier) ? "" : ".wasm"}`,
    import.meta.url,
  ).href;
