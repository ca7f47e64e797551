/** The type and subtype of a `Content-Type` or of the first entry of an `Accept`, in lower case. */
export const mediaTypeOf = (headerValue: string | undefined): string =>
  (headerValue ?? "").split(/[;,]/, 1)[0]?.trim().toLowerCase() ?? "";

/** Makes a test for media types out of patterns such as `audio/*`. */
export const compileMediaTypes = (patterns: readonly string[]): ((mediaType: string) => boolean) => {
  const exact = new Set(patterns.map((pattern) => pattern.toLowerCase()));
  return (mediaType) =>
    exact.has(mediaType) || exact.has("*/*") || exact.has(`${mediaType.slice(0, mediaType.indexOf("/"))}/*`);
};
