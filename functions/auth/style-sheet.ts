/**
 * Where the console serves the style sheet of all pages, below the service's address. In a bundle
 * `infra/bundling/browser-assets.ts` puts it here; from source nothing was built, and pages are plain.
 */
export const styleSheetPath: string | undefined = undefined;
