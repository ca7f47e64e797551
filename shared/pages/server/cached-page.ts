import { createHash } from "node:crypto";
import { Reply } from "../../http/response.ts";

/** The headers with which caches may send the response to everyone who has the same address and preferences. */
export const cacheHeaders = (seconds: number): Record<string, string> => ({
  "Cache-Control": `public, max-age=${seconds}`,
  Vary: "Accept, Accept-Language",
});

/** Weak, because compressed bytes have the same one. */
const tagOf = (body: string): string =>
  `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;

/** Adds a tag of the content, and leaves the content out for a client that has it (RFC 9110, section 13.1.2). */
export const withTag = (
  {
    contentType,
    body,
    headers: own,
  }: {
    readonly contentType: string;
    readonly body: string;
    readonly headers: Readonly<Record<string, string>>;
  },
  ifNoneMatch: string | undefined,
): Reply => {
  const tag = tagOf(body);
  const headers = { ...own, ETag: tag };
  if (!ifNoneMatch?.split(",").some((known) => known.trim() === tag)) {
    return new Reply({ contentType, headers, body });
  }
  // Compression adds this to responses with a body.
  const Vary = [own["Vary"] ?? [], "Accept-Encoding"].flat().join(", ");
  return new Reply({ status: 304, contentType, headers: { ...headers, Vary }, body: "" });
};
