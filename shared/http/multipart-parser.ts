import httpMultipartBodyParser from "@middy/http-multipart-body-parser";
import { checkMultipartFraming, FramingError, maxParts } from "./multipart-framing.ts";

type Parse = NonNullable<ReturnType<typeof httpMultipartBodyParser>["before"]>;

const { before: parse } = httpMultipartBodyParser({
  // The package's own pattern refuses legal boundaries (quotes, `_`, `+`, `.`), as Dart and Java clients send them;
  // the framing check has read the content type before.
  disableContentTypeCheck: true,
  // The framing check has the same limits. Beyond the parser's own, a long value would be truncated silently, and a
  // skipped part that is longer than its buffer would block the request for ever.
  busboy: { limits: { parts: maxParts, fieldSize: Number.MAX_SAFE_INTEGER } },
});

/** Fields that are lists without brackets too: of a field that comes several times, the parser returns the last value. */
const listFields: ReadonlySet<string> = new Set(["keywords", "languages", "timestamp_granularities"]);

/** Errors of the parser package carry a status. */
const isRefusal = (thrown: unknown): boolean =>
  thrown instanceof FramingError ||
  (typeof thrown === "object" &&
    thrown !== null &&
    "statusCode" in thrown &&
    thrown.statusCode !== undefined);

/**
 * Parses a form that may have files. Functions load this module when they need it (`infra/bundling/on-demand-modules.ts`).
 *
 * @param request middy's request with the body as Base64; its body becomes the fields.
 * @returns the problem with the body, for the caller; `undefined` when it was parsed.
 */
export const parseMultipart = async (
  bytes: Buffer,
  contentType: string | undefined,
  request: Parameters<Parse>[0],
): Promise<string | undefined> => {
  try {
    const texts = checkMultipartFraming(contentType, bytes);
    await parse?.(request);
    const fields: unknown = request.event.body;
    if (typeof fields === "object" && fields !== null) {
      const lists = [...texts].filter(([name, values]) => listFields.has(name) && values.length > 1);
      Object.assign(fields, Object.fromEntries(lists));
    }
    return undefined;
  } catch (thrown) {
    if (!isRefusal(thrown)) throw thrown;
    return thrown instanceof FramingError ? thrown.message : "the multipart body cannot be read";
  }
};
