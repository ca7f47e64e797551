/** What pages name a file by that browsers load. Its name changes with its content, so they may cache it forever. */
export interface NamedAsset {
  /** The name of what it was built from: `playground.js`. */
  readonly name: string;
  /** The name in its address: `playground.4QKZ7H2M.js`. */
  readonly file: string;
}

/** `infra/bundling/browser-assets.ts` fills this in bundles. */
export const namedAssets: readonly NamedAsset[] = [];
