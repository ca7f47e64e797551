import { idempotencyOf, limitClassOf, type Operation } from "../../shared/http/operation.ts";
import { type ApiHeaderName, apiHeaders } from "../../shared/http/response-headers.ts";

const typeOf = (example: string | number): "string" | "integer" | "number" => {
  if (typeof example === "string") return "string";
  return Number.isInteger(example) ? "integer" : "number";
};

/** The headers of responses, by the name that responses refer to. */
export const headerComponents = Object.fromEntries(
  Object.entries(apiHeaders).map(([name, { description, example }]) => {
    return [name, { description, schema: { type: typeOf(example) }, example }];
  }),
);

const ofEveryResponse: readonly ApiHeaderName[] = [
  "X-Request-Id",
  "Access-Control-Allow-Origin",
  "Access-Control-Expose-Headers",
  "X-Content-Type-Options",
];

/** The headers that responses have for a reason. */
const groups = {
  Counted: [
    "RateLimit",
    "RateLimit-Policy",
    "x-ratelimit-limit-requests",
    "x-ratelimit-remaining-requests",
    "x-ratelimit-reset-requests",
  ],
  Challenge: ["WWW-Authenticate"],
  Pause: ["Retry-After"],
  Refusal: ["Cache-Control"],
  Confidential: ["Cache-Control"],
  Deprecated: ["Deprecation", "Sunset", "Link"],
  Replayable: ["Idempotent-Replayed"],
  Varying: ["Vary"],
  Compressible: ["Vary", "Content-Encoding"],
} as const satisfies Record<string, readonly ApiHeaderName[]>;
type HeaderGroup = keyof typeof groups;
const groupNames: readonly HeaderGroup[] = [
  "Counted",
  "Challenge",
  "Pause",
  "Refusal",
  "Confidential",
  "Deprecated",
  "Replayable",
  "Varying",
  "Compressible",
];

/** These API Gateway also sends without a function. */
const refusals: ReadonlySet<number> = new Set([401, 403, 413, 429, 500, 502, 503]);

const isReplayed = (operation: Operation, status: number): boolean => {
  const kind = idempotencyOf(operation);
  return kind === "replay" ? !refusals.has(status) : kind === "successor" && status < 300;
};

/** The reasons for headers of an operation's responses with a status. */
export const headerGroups = (operation: Operation, status: number, isCompressing: boolean): HeaderGroup[] => {
  const { confidential = false, deprecated, variesBy } = operation;
  const applies: Readonly<Record<HeaderGroup, boolean>> = {
    Counted: limitClassOf(operation) !== "delivery",
    Challenge: status === 401,
    Pause: status === 429 || status === 503 || (status === 409 && idempotencyOf(operation) === "replay"),
    Refusal: refusals.has(status),
    Confidential: confidential && !refusals.has(status),
    Deprecated: deprecated !== undefined,
    Replayable: isReplayed(operation, status),
    Varying: variesBy !== undefined,
    // The bodies of other errors are shorter than a kilobyte.
    Compressible: isCompressing && !confidential && (status < 300 || status === 400 || status === 422),
  };
  return groupNames.filter((name) => applies[name]);
};

/** What the status and the errors of a response do not say about its headers, as a part of its name. */
export const headerWords = (given: readonly HeaderGroup[]): string => {
  const implied: ReadonlySet<HeaderGroup> = new Set(["Counted", "Challenge", "Pause", "Refusal"]);
  const uncounted = given.includes("Counted") ? "" : "Uncounted";
  return [...given.filter((name) => !implied.has(name)), uncounted].join("");
};

/** References to the headers of a response. */
export const headersOf = (given: readonly HeaderGroup[], own: readonly ApiHeaderName[] = []) => {
  const names = new Set([...ofEveryResponse, ...given.flatMap((name) => groups[name]), ...own]);
  return Object.fromEntries(
    [...names].map((name) => [name, { $ref: `#/components/headers/${name}` }] as const),
  );
};
