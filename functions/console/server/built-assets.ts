/** A file that browsers load, and may keep for ever: another content has another name. */
export interface BuiltAsset {
  /** That of its source, without an ending: `playground`. */
  readonly name: string;
  /** What it is asked for by: `playground.4QKZ7H2M.js`. */
  readonly file: string;
  readonly contentType: string;
  readonly text: string;
}

/** In a bundle there stands here what `infra/bundling/browser-assets.ts` has built; from source there is none. */
export const builtAssets: readonly BuiltAsset[] = [];
