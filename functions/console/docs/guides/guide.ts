/** What a guide is made of. In texts, code stands between backticks, and links are written `[words](/docs)`. */
export type GuidePart =
  | { readonly heading: string }
  | { readonly text: string }
  | { readonly list: readonly string[] }
  | {
      readonly caption: string;
      readonly columns: readonly string[];
      readonly rows: readonly (readonly string[])[];
      /** See `ProseTable`. */
      readonly isStacked?: boolean;
    }
  | { readonly kind: "sh" | "typescript" | "python" | "output"; readonly code: string };

/** A page that leads through something. */
export interface Guide {
  /** In its address: `first-call`. */
  readonly name: string;
  readonly title: string;
  /** One sentence: what one can do afterwards. */
  readonly summary: string;
  /** @param baseUrl where callers reach the service; no slash at the end. */
  readonly parts: (baseUrl: string) => readonly GuidePart[];
}
