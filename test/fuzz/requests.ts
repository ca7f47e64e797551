import fc from "fast-check";
import { operations } from "../../functions/manifest.ts";
import { makeApiKey } from "../../shared/accounts/access/api-keys.ts";
import type { Operation } from "../../shared/http/operation.ts";
import { deliveries } from "./deliveries.ts";
import { junk, junkTexts, marker, spoil } from "./junk.ts";
import { type Damage, damage } from "./request-bodies.ts";
import { valuesOf } from "./schema-values.ts";

/** Whether a request is meant to be right, has one thing wrong, or is wrong throughout. */
export type Intent = "valid" | "near-valid" | "garbage";

/** A request to an operation, before its body is written and its token put in. */
export interface FuzzRequest {
  readonly operation: Operation;
  readonly intent: Intent;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `own`: that of an account of the run; otherwise what to send, `undefined` for no header. */
  readonly authorization: "own" | { readonly value: string | undefined };
  readonly body: { readonly value: unknown; readonly damage: Damage | undefined } | undefined;
}

const membersOf = (value: unknown): [string, unknown][] =>
  typeof value === "object" && value !== null ? Object.entries(value) : [];

const asText = (value: unknown): string =>
  (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).toWellFormed();

const asQuery = (value: unknown): string => {
  const query = new URLSearchParams();
  for (const [name, member] of membersOf(value)) query.append(name, asText(member));
  return query.size > 0 ? `?${query}` : "";
};

const fillPath = (path: string, value: unknown): string =>
  membersOf(value).reduce(
    (filled, [name, member]) => filled.replace(`{${name}}`, encodeURIComponent(asText(member)) || "-"),
    path,
  );

const partOf = (schema: Operation["query"], intent: Intent): fc.Arbitrary<unknown> => {
  if (!schema) return fc.constant(undefined);
  const valid = valuesOf(schema);
  return intent === "valid"
    ? valid
    : fc.oneof(
        valid,
        valid.chain((value) => spoil(value, junkTexts)),
      );
};

const bodyOf = ({ body }: Operation, intent: Intent): fc.Arbitrary<FuzzRequest["body"]> => {
  if (!body) {
    return intent === "garbage"
      ? fc.option(fc.record({ value: junk, damage }), { nil: undefined })
      : fc.constant(undefined);
  }
  const whole = (value: unknown) => ({ value, damage: undefined });
  const valid = body.encoding === "raw" ? deliveries : valuesOf(body.schema);
  switch (intent) {
    case "valid":
      return valid.map(whole);
    case "near-valid":
      return fc.oneof(
        { arbitrary: valid.chain((value) => spoil(value, junk)).map(whole), weight: 3 },
        fc.record({ value: valid, damage }),
      );
    case "garbage":
      return fc.oneof(junk.map(whole), fc.record({ value: junk, damage }), fc.constant(undefined));
  }
};

const oddHeaders = fc.oneof(
  { arbitrary: fc.constant({}), weight: 3 },
  fc.constantFrom<Record<string, string>>(
    { "X-Request-Id": "a b;c" },
    { "X-Request-Id": "é".repeat(200) },
    { "X-Request-Id": "ÿþ<script>" },
    { "X-HTTP-Method-Override": "DELETE" },
    { "X-Forwarded-For": "127.0.0.1, ::1" },
    { Accept: "text/html" },
    { Accept: "a".repeat(4_000) },
    { Cookie: `token=${marker}` },
    { "Accept-Encoding": "gzip;q=0, br;q=9" },
    { "X-Amzn-Trace-Id": "Root=1" },
    { Origin: "null" },
    { "X-Hub-Signature-256": "sha256=00" },
    { "Content-Encoding": "gzip" },
    { __proto__x: "1", constructor: "2" },
  ),
);

const authorizations: fc.Arbitrary<FuzzRequest["authorization"]> = fc.oneof(
  { arbitrary: fc.constant("own" as const), weight: 8 },
  fc
    .constantFrom(
      undefined,
      "Bearer",
      `Bearer ${marker}`,
      `Bearer lai_${marker}`,
      `Bearer ${makeApiKey(1).key}`,
      `Basic ${marker}`,
      `bearer ${marker}.${marker}.x`,
      "ÿ",
    )
    .map((value) => ({ value })),
);

const requestOf = (operation: Operation, intent: Intent): fc.Arbitrary<FuzzRequest> =>
  fc
    .record({
      query: partOf(operation.query, intent),
      path: partOf(operation.pathParameters, intent),
      body: bodyOf(operation, intent),
      headers: intent === "valid" ? fc.constant({}) : oddHeaders,
      authorization: intent === "valid" ? fc.constant("own" as const) : authorizations,
      suffix:
        intent === "garbage"
          ? fc.constantFrom("", "", "/", "//", "?a=1&a=2&%ff", ";x=1", "/%2e%2e")
          : fc.constant(""),
      method:
        intent === "garbage"
          ? fc.constantFrom(operation.method, operation.method, operation.method, "PATCH", "HEAD", "DELETE")
          : fc.constant(operation.method),
    })
    .map(({ query, path, suffix, ...request }) => ({
      ...request,
      operation,
      intent,
      path: `${fillPath(operation.path, path)}${suffix || asQuery(query)}`,
    }));

const intents = fc.oneof(
  { arbitrary: fc.constant<Intent>("valid"), weight: 3 },
  { arbitrary: fc.constant<Intent>("near-valid"), weight: 5 },
  { arbitrary: fc.constant<Intent>("garbage"), weight: 2 },
);

/** Requests to one operation, derived from what it declares. */
export const fuzzRequestsTo = (operation: Operation): fc.Arbitrary<FuzzRequest> =>
  intents.chain((intent) => requestOf(operation, intent));

/** Requests to every route of the service. */
export const fuzzRequests: fc.Arbitrary<FuzzRequest> = fc
  .constantFrom<Operation>(...operations)
  .chain(fuzzRequestsTo);
