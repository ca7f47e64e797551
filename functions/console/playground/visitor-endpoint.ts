import * as z from "zod";
import { type Endpoint, endpoint } from "../../../shared/http/endpoint.ts";
import { defineOperation } from "../../../shared/http/operation.ts";
import { Reply } from "../../../shared/http/response.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { rawBody } from "../../../shared/platform/validation/fields.ts";
import { comesFromHere } from "../server/form-token.ts";
import { tryNames } from "./attempts.ts";
import { playgroundPage } from "./pages.ts";
import { relayVisitorTry, type VisitorDependencies } from "./visitors.ts";

/** The page's own way to the API for people without an account: no program may count on it, so that no document names it. */
const visitorTryOperation = defineOperation({
  id: "visitorTry",
  method: "POST",
  path: "/console/playground/visitor/{name}",
  summary: "A try without an account",
  tag: "Service",
  auth: "public",
  pathParameters: z.object({ name: z.enum(tryNames) }),
  body: {
    encoding: "raw",
    schema: rawBody("What the API would be sent", {}),
    maximumBytes: 1024 * 1024,
  },
  response: { status: 200, description: "The API's answer", schema: z.unknown() },
  errors: [],
  confidential: true,
});

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const read: Uint8Array[] = [];
  for await (const piece of pieces) read.push(piece);
  return Buffer.concat(read).toString();
}

/** Takes the tries of people without an account. Other sites cannot use theirs up. */
export const visitorEndpoint = (
  baseUrl: string,
  dependencies: VisitorDependencies & { readonly visitorTriesPerDay: number },
): Endpoint =>
  endpoint(visitorTryOperation, async ({ body, path: { name }, request }) => {
    const { headers, sourceAddress, signal } = request;
    if (dependencies.visitorTriesPerDay === 0) throw new AppError("not_found");
    if (!comesFromHere(headers, baseUrl)) {
      throw new AppError("forbidden", { message: `Tries come from ${baseUrl}${playgroundPage.path}.` });
    }
    const contentType = headers["content-type"] ?? "application/json";
    const answer = await relayVisitorTry({ name, contentType, body, sourceAddress, signal }, dependencies);
    const isJson = answer.contentType.startsWith("application/json");
    // What the API has answered has been through its response schema.
    if (isJson && answer.status < 400) return JSON.parse(await textOf(answer.body));
    return new Reply({
      status: answer.status,
      contentType: answer.contentType,
      headers: { "Cache-Control": "no-store" },
      body: isJson ? await textOf(answer.body) : answer.body,
    });
  });
