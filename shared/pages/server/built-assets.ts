/** A file that browsers load. Its name changes with its content, so they may cache it forever. */
export interface BuiltAsset {
  /** The name of what it was built from: `playground.js`. */
  readonly name: string;
  /** The name in its address: `playground.4QKZ7H2M.js`. */
  readonly file: string;
  readonly contentType: string;
  readonly text: string;
  /** The text compressed with brotli as well as possible, in base64. */
  readonly compressed: string;
}

/** `infra/bundling/browser-assets.ts` fills this in bundles. */
export const builtAssets: readonly BuiltAsset[] = [];
