import * as z from "zod";
import { endpoint } from "../../../shared/http/endpoint.ts";
import type { Endpoint } from "../../../shared/http/exchange.ts";
import { defineOperation } from "../../../shared/http/operation.ts";
import { Reply } from "../../../shared/http/response.ts";
import { comesFromHere } from "../../../shared/pages/server/form-token.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { rawBody } from "../../../shared/platform/validation/fields.ts";
import { attemptNames } from "./attempts.ts";
import { playgroundPage } from "./pages.ts";
import { readAll, relayVisitorAttempt, type VisitorDependencies } from "./visitors.ts";

/** The API for visitors without an account. Only the page may use it, so it is not documented. */
const visitorAttemptOperation = defineOperation({
  id: "visitorTry",
  method: "POST",
  path: "/console/playground/visitor/{name}",
  summary: "Playground request without an account",
  tag: "Service",
  auth: "public",
  pathParameters: z.object({ name: z.enum(attemptNames) }),
  body: {
    encoding: "raw",
    schema: rawBody("What the API would be sent", {}),
    maxBytes: 1024 * 1024,
  },
  response: { status: 200, description: "The response of the API", schema: z.unknown() },
  errors: [],
  confidential: true,
});

/** Handles requests of visitors. Other sites cannot use up their quota. */
export const visitorEndpoint = (
  baseUrl: string,
  dependencies: VisitorDependencies & { readonly visitorAttemptsPerDay: number },
): Endpoint =>
  endpoint(visitorAttemptOperation, async ({ body, path: { name }, request }) => {
    const { headers, sourceAddress, signal } = request;
    if (dependencies.visitorAttemptsPerDay === 0) throw new AppError("not_found");
    if (!comesFromHere(headers, baseUrl)) {
      throw new AppError("forbidden", {
        message: `Send this request from ${baseUrl}${playgroundPage.path}.`,
      });
    }
    const contentType = headers["content-type"] ?? "application/json";
    const response = await relayVisitorAttempt(
      { name, contentType, body, sourceAddress, signal },
      dependencies,
    );
    const isJson = response.contentType.startsWith("application/json");
    // The API has already validated its response.
    if (isJson && response.status < 400) return JSON.parse((await readAll(response.body)).toString());
    return new Reply({
      status: response.status,
      contentType: response.contentType,
      headers: { "Cache-Control": "no-store" },
      body: isJson ? (await readAll(response.body)).toString() : response.body,
    });
  });
