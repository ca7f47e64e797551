import { promisify } from "node:util";
import type { HttpMiddleware } from "./request.ts";
import { inOnePiece } from "./response.ts";

/** In bytes. Compressing less saves nothing noticeable. */
const minBytes = 1_024;

const compressibleTypes =
  /^(?:application\/json|text\/(?:html|css|csv|javascript|markdown)|image\/svg\+xml)\b/;

/** In our order of preference, for clients that rate both the same. */
const codings = ["br", "gzip"] as const;
type Coding = (typeof codings)[number];

const preference = /^([^;]+?)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?))?$/i;

/** RFC 9110, section 12.5.3. */
const readPreferences = (acceptEncoding: string): ReadonlyMap<string, number> =>
  new Map(
    acceptEncoding.split(",").flatMap((part) => {
      const [, name, quality] = preference.exec(part.trim()) ?? [];
      return name ? [[name.toLowerCase(), Number(quality ?? 1)] as const] : [];
    }),
  );

/** Returns the coding for a response; `undefined` when the client accepts neither or prefers none. */
export const chooseCoding = (acceptEncoding: string | undefined): Coding | undefined => {
  if (!acceptEncoding) return undefined;
  const preferences = readPreferences(acceptEncoding);
  const quality = (coding: string): number => preferences.get(coding) ?? preferences.get("*") ?? 0;
  const [best = "br"] = codings.toSorted((one, other) => quality(other) - quality(one));
  return quality(best) > 0 && quality(best) >= (preferences.get("identity") ?? 0) ? best : undefined;
};

/** zlib is loaded with the first compressed response. At quality 5 brotli takes as long as gzip and compresses better. */
const compressText = async (text: string, coding: Coding): Promise<Buffer> => {
  const { brotliCompress, constants, gzip } = await import("node:zlib");
  if (coding === "gzip") return promisify(gzip)(text);
  const params = {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_QUALITY]: 5,
  };
  return promisify(brotliCompress)(text, { params });
};

const compress: HttpMiddleware["after"] = async ({ event, response }) => {
  if (!response || typeof response.body !== "string") return;
  const { body, headers } = response;
  // The compressed length would reveal whether a guess at a secret in the same response was right (BREACH).
  if (event.endpoint?.operation.confidential || !compressibleTypes.test(headers["Content-Type"] ?? ""))
    return;
  if (Buffer.byteLength(body) <= minBytes) return;
  headers["Vary"] = headers["Vary"] ? `${headers["Vary"]}, Accept-Encoding` : "Accept-Encoding";
  const coding = chooseCoding(event.headers["accept-encoding"]);
  if (!coding) return;
  headers["Content-Encoding"] = coding;
  if (event.httpMethod !== "HEAD") response.body = inOnePiece(await compressText(body, coding));
};

/**
 * Compresses JSON and pages of more than a kilobyte for clients that accept it, but neither confidential responses nor
 * streams. Only for functions in response-streaming mode: from buffered ones API Gateway would forward base64.
 */
export const compressResponse = (): HttpMiddleware => ({ after: compress, onError: compress });
