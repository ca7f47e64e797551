import { expect } from "vitest";
import type * as z from "zod";
import type { Operation } from "../../shared/http/operation.ts";
import { inVendorsNames, isVendorsPath } from "../../shared/platform/config/vendors.ts";
import type { ErrorCode } from "../../shared/platform/errors/catalogue.ts";
import { dialectOf } from "../../shared/platform/errors/error-body.ts";
import {
  type CallOptions,
  call,
  expectDeclared,
  expectError,
  expectErrorOf,
  type JsonResponse,
} from "../support/client.ts";
import { errorBodyOf, problemsOf } from "../support/declared.ts";
import { isMute, lacks, type Model, stage } from "./stage.ts";

/** A declared refusal: its status and code. */
type Refusal = readonly [status: number, code: ErrorCode];

/** The one call of an operation. */
export interface Row {
  readonly operation: Operation;
  /** The models that have to work for it. */
  readonly needs?: readonly Model[];
  /** The codes of languages that must have a voice. */
  readonly speaks?: readonly string[];
  /** The response when the stage has no voice for one of them. */
  readonly withoutVoice?: Refusal;
  /** The response that is expected when success would need a mail, or a secret of the platform. */
  readonly refusal?: Refusal;
  /** The response when the stage lacks one of the models. By default 502 or 503. */
  readonly withoutModel?: Refusal | "success";
  /** The body of that refusal, by default that of every error. */
  readonly errorSchema?: z.ZodType;
  /** The content type of a success that is not JSON. */
  readonly contentType?: string;
  /** What is sent; `path` replaces the operation's, and `query` follows it. */
  readonly request: () => Request | Promise<Request>;
  /** Checks a success further, and stores what later rows use. */
  readonly onSuccess?: (response: JsonResponse) => void | Promise<void>;
}

type Request = CallOptions & { readonly path?: string; readonly query?: string };

const vendors = { a: stage.LEGACY_VENDOR_A, b: stage.LEGACY_VENDOR_B };

/** Sends a request to the address that the operation has in this stage. */
export const send = (operation: Operation, { path, query = "", ...options }: Request) =>
  call(`${inVendorsNames(path ?? operation.path, vendors)}${query}`, {
    method: operation.method,
    ...options,
  });

/** As when the model loads, cannot be reached, or is unknown to its server. */
const expectNoModel = ({ operation }: Row, response: JsonResponse): void => {
  expect([502, 503]).toContain(response.status);
  expect(problemsOf(errorBodyOf(operation.path), response.body)).toEqual([]);
};

const refusalOf = ({
  operation,
  needs = [],
  refusal,
  withoutModel,
  speaks = [],
  withoutVoice = [400, "no_speaker_for_language"],
}: Row): Row["withoutModel"] | "no-model" => {
  if (stage.LEGACY_PROVIDER_ROUTES === "gone" && isVendorsPath(operation.path)) return [410, "gone"];
  if (isMute(...speaks)) return withoutVoice;
  return lacks(...needs) ? (withoutModel ?? "no-model") : refusal;
};

const expectSuccess = (
  { operation, contentType = "application/json" }: Row,
  response: JsonResponse,
): void => {
  expect(response.status, JSON.stringify(response.body)).toBe(operation.response.status);
  if (response.status === 204) expect(response.body).toBe("");
  else expect(response.headers.get("content-type")).toMatch(contentType);
  if (response.status !== 204 && contentType === "application/json") expectDeclared(operation, response);
};

/** Calls the operation, and checks that the response is the one that this stage should give. */
export const check = async (row: Row): Promise<void> => {
  const response = await send(row.operation, await row.request());
  const refusal = refusalOf(row);
  if (refusal === "no-model") return expectNoModel(row, response);
  if (typeof refusal === "object") {
    const isOfOthers = ["deepl", "libretranslate"].includes(dialectOf(row.operation.path) ?? "");
    return isOfOthers
      ? expectErrorOf(row.operation, response, refusal[1])
      : expectError(response, ...refusal, row.errorSchema);
  }
  expectSuccess(row, response);
  await row.onSuccess?.(response);
};
