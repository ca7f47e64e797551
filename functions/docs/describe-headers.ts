import { callsModels, idempotencyOf, limitClassOf, type Operation } from "../../shared/http/operation.ts";
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

/** Statuses that API Gateway also sends without a function. */
const refusals: ReadonlySet<number> = new Set([401, 403, 413, 429, 500, 502, 503]);

const isReplayed = (operation: Operation, status: number): boolean => {
  const kind = idempotencyOf(operation);
  return kind === "replay" ? !refusals.has(status) : kind === "successor" && status < 300;
};

/** Headers that responses have for a reason. */
interface HeaderGroup {
  readonly headers: readonly ApiHeaderName[];
  readonly applies: (operation: Operation, status: number, isCompressing: boolean) => boolean;
  /** Distinguishes shared responses by name, where their status and errors do not. */
  readonly word?: string;
}

const groups: readonly HeaderGroup[] = [
  {
    headers: [
      "RateLimit",
      "RateLimit-Policy",
      "x-ratelimit-limit-requests",
      "x-ratelimit-remaining-requests",
      "x-ratelimit-reset-requests",
    ],
    applies: (operation) => limitClassOf(operation) !== "delivery",
  },
  { headers: [], applies: (operation) => limitClassOf(operation) === "delivery", word: "Uncounted" },
  { headers: ["WWW-Authenticate"], applies: (_, status) => status === 401 },
  {
    headers: ["Retry-After"],
    applies: (operation, status) =>
      status === 429 || status === 503 || (status === 409 && idempotencyOf(operation) === "replay"),
  },
  { headers: ["Cache-Control"], applies: (_, status) => refusals.has(status) },
  {
    headers: ["Cache-Control"],
    applies: ({ confidential = false }, status) => confidential && !refusals.has(status),
    word: "Confidential",
  },
  {
    headers: ["Deprecation", "Sunset", "Link"],
    applies: ({ deprecated }) => deprecated !== undefined,
    word: "Deprecated",
  },
  { headers: ["X-Model-Server"], applies: (operation, status) => status < 300 && callsModels(operation) },
  { headers: ["Idempotent-Replayed"], applies: isReplayed, word: "Replayable" },
  { headers: ["Vary"], applies: ({ variesBy }) => variesBy !== undefined, word: "Varying" },
  {
    headers: ["Vary", "Content-Encoding"],
    // The bodies of other errors are shorter than a kilobyte.
    applies: ({ confidential = false }, status, isCompressing) =>
      isCompressing && !confidential && (status < 300 || status === 400 || status === 422),
    word: "Compressible",
  },
];

/** The reasons for headers of an operation's responses with a status. */
export const headerGroups = (operation: Operation, status: number, isCompressing: boolean): HeaderGroup[] =>
  groups.filter(({ applies }) => applies(operation, status, isCompressing));

/** What the status and the errors of a response do not say about its headers, as a part of its name. */
export const headerWords = (given: readonly HeaderGroup[]): string =>
  given.map(({ word = "" }) => word).join("");

/** References to the headers of a response. */
export const headersOf = (given: readonly HeaderGroup[], own: readonly ApiHeaderName[] = []) => {
  const names = new Set([...ofEveryResponse, ...given.flatMap(({ headers }) => headers), ...own]);
  return Object.fromEntries(
    [...names].map((name) => [name, { $ref: `#/components/headers/${name}` }] as const),
  );
};
