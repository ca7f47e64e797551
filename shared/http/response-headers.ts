import headers from "./response-headers.json" with { type: "json" };

interface ApiHeader {
  readonly description: string;
  readonly example: string | number;
  /** CORS leaves out headers that only browsers, proxies and caches read, and those that scripts may always read. */
  readonly isHidden?: boolean;
}

/** The name of a header of the API's responses. */
export type ApiHeaderName = keyof typeof headers;

/** Every header of the API's responses. The list for CORS derives from it, and those of the OpenAPI document. */
export const apiHeaders: Readonly<Record<ApiHeaderName, ApiHeader>> = headers;

/** The response headers that scripts in a browser may read. */
export const corsExposedHeaders: readonly string[] = Object.entries(apiHeaders).flatMap(
  ([name, { isHidden }]) => (isHidden ? [] : name),
);
