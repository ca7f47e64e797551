import { promisify } from "node:util";
import type { HttpMiddleware } from "./request.ts";

/** In bytes: packing less saves nothing that anybody would notice. */
const leastBytes = 1_024;

/** JSON, and what pages are. */
const packedTypes = /^(?:application\/json|text\/(?:html|css|csv|javascript|markdown)|image\/svg\+xml)\b/;

/** By preference where a caller takes both alike. */
const codings = ["br", "gzip"] as const;
type Coding = (typeof codings)[number];

const preference = /^([^;]+?)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?))?$/i;

/** How much a caller likes each coding, from 0 to 1 (RFC 9110, section 12.5.3). */
const readPreferences = (acceptEncoding: string): ReadonlyMap<string, number> =>
  new Map(
    acceptEncoding.split(",").flatMap((part) => {
      const [, name, quality] = preference.exec(part.trim()) ?? [];
      return name ? [[name.toLowerCase(), Number(quality ?? 1)] as const] : [];
    }),
  );

/** The coding in which a response leaves; `undefined` for a caller who takes none of ours, or likes none better. */
export const chooseCoding = (acceptEncoding: string | undefined): Coding | undefined => {
  if (!acceptEncoding) return undefined;
  const preferences = readPreferences(acceptEncoding);
  const likes = (coding: string): number => preferences.get(coding) ?? preferences.get("*") ?? 0;
  const [best = "br"] = codings.toSorted((one, other) => likes(other) - likes(one));
  return likes(best) > 0 && likes(best) >= (preferences.get("identity") ?? 0) ? best : undefined;
};

/** Loaded with the first response that is packed. At a quality of 5 brotli takes as long as gzip, and packs better. */
const pack = async (text: string, coding: Coding): Promise<Buffer> => {
  const { brotliCompress, constants, gzip } = await import("node:zlib");
  if (coding === "gzip") return promisify(gzip)(text);
  const params = {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_QUALITY]: 5,
  };
  return promisify(brotliCompress)(text, { params });
};

async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes;
}

const compress: HttpMiddleware["after"] = async ({ event, response }) => {
  if (!response || typeof response.body !== "string") return;
  const { body, headers } = response;
  // Somebody who may guess at a secret beside it could see in the length of what is packed that a guess was right.
  if (event.endpoint?.operation.confidential || !packedTypes.test(headers["Content-Type"] ?? "")) return;
  if (Buffer.byteLength(body) <= leastBytes) return;
  headers["Vary"] = headers["Vary"] ? `${headers["Vary"]}, Accept-Encoding` : "Accept-Encoding";
  const coding = chooseCoding(event.headers["accept-encoding"]);
  if (!coding) return;
  headers["Content-Encoding"] = coding;
  if (event.httpMethod !== "HEAD") response.body = inOnePiece(await pack(body, coding));
};

/**
 * Packs JSON and pages of more than a kilobyte for callers who take it packed; confidential operations, whose answers hold tokens and
 * addresses, never. Streams, which are not JSON, leave as they are made.
 *
 * For functions in response-streaming mode only: they send bytes as they are. API Gateway packs no stream by itself, and
 * would pass what a buffered function has packed on as base64.
 */
export const compressResponse = (): HttpMiddleware => ({ after: compress, onError: compress });
