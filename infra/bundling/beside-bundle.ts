/**
 * Replaces `import.meta.resolve` in bundles, where the files of packages are next to the bundle. An export without an extension is
 * WebAssembly.
 */
export const besideBundle = (specifier: string): string =>
  new URL(
    `.${specifier.slice(specifier.lastIndexOf("/"))}${/\.\w+$/.test(specifier) ? "" : ".wasm"}`,
    import.meta.url,
  ).href;
