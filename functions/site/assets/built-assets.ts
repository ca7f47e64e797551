import type { NamedAsset } from "../../../shared/pages/server/named-assets.ts";

/** A file that browsers load. */
export interface BuiltAsset extends NamedAsset {
  readonly contentType: string;
  /** Its text, compressed with brotli as well as possible, in base64. */
  readonly compressed: string;
}

/** `infra/bundling/browser-assets.ts` fills this in bundles. */
export const builtAssets: readonly BuiltAsset[] = [];
