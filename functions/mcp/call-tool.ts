import type { CallToolResult } from "@modelcontextprotocol/server";
import type { RequestFacts } from "../../shared/http/exchange.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { errorBody } from "../../shared/platform/errors/error-body.ts";
import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import { requestScope } from "../../shared/platform/telemetry/request-scope.ts";
import type { CalledResponse, CallOperation } from "./call-operation.ts";
import { requestOfTool } from "./request-of-tool.ts";
import { readAudio } from "./spoken-audio.ts";
import type { ToolDefinition } from "./tools.ts";

export interface ToolDependencies {
  readonly callOperation: CallOperation;
  readonly store: Pick<ObjectStore, "open">;
}

/** A call of a tool as a client sends it. */
export interface CalledTool {
  readonly tool: ToolDefinition;
  readonly given: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: string | undefined;
}

/** The result of a tool, and the response of its operation; none when the operation was not called. */
export interface ToolOutcome {
  readonly response: CalledResponse | undefined;
  readonly result: CallToolResult;
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const fieldsOf = (body: string): Fields => {
  const parsed: unknown = JSON.parse(body);
  if (!isFields(parsed)) throw new Error("The result of a tool must be an object.");
  return parsed;
};

/** What HTTP says in headers. */
const metaOf = ({ status, headers }: CalledResponse): Fields => ({
  status,
  ...(headers["X-Request-Id"] ? { request_id: headers["X-Request-Id"] } : {}),
  ...(headers["Retry-After"] ? { retry_after_seconds: Number(headers["Retry-After"]) } : {}),
  ...(headers["Idempotent-Replayed"] ? { idempotent_replayed: true } : {}),
});

const failed = (response: CalledResponse): CallToolResult => ({
  isError: true,
  content: [{ type: "text", text: response.body }],
  _meta: metaOf(response),
});

/** A refusal of the arguments, before the operation was called, in the form that the operation's own would have. */
const refusedArguments = (error: AppError): ToolOutcome => {
  const body = JSON.stringify(errorBody(error, requestScope()?.requestId ?? ""));
  return { response: undefined, result: failed({ status: error.status, headers: {}, body }) };
};

/** The transcript of a completed recording; without one, nothing is added. */
const resultToAdd = async (
  { tool: { resultOf }, given }: CalledTool,
  job: Fields,
  sender: RequestFacts,
  { callOperation }: ToolDependencies,
): Promise<CalledResponse | undefined> => {
  if (!resultOf || given["with_transcript"] !== true || job["has_transcript"] !== true) return undefined;
  return callOperation({ operation: resultOf.operation, path: { id: String(job["id"]) }, query: {} }, sender);
};

/** The result of a tool that has succeeded. @param structuredContent its fields. */
const succeeded = async (
  { tool }: CalledTool,
  response: CalledResponse,
  structuredContent: Fields,
  { store }: ToolDependencies,
): Promise<CallToolResult> => ({
  content: [
    { type: "text", text: JSON.stringify(structuredContent) },
    ...(tool.name === "speak" ? await readAudio(structuredContent, store) : []),
  ],
  structuredContent,
  _meta: metaOf(response),
});

/** Runs the operation of a tool. @throws ValidationError as {@link requestOfTool} does. */
const run = async (
  call: CalledTool,
  sender: RequestFacts,
  dependencies: ToolDependencies,
): Promise<ToolOutcome> => {
  const { tool, given, idempotencyKey } = call;
  const request = requestOfTool(tool, given);
  const response = await dependencies.callOperation({ ...request, idempotencyKey }, sender);
  if (response.status >= 400) return { response, result: failed(response) };
  const fields = fieldsOf(response.body);
  const added = await resultToAdd(call, fields, sender, dependencies);
  if (added && added.status >= 400) return { response, result: failed(added) };
  const whole = added && tool.resultOf ? { ...fields, [tool.resultOf.field]: fieldsOf(added.body) } : fields;
  return { response, result: await succeeded(call, response, whole, dependencies) };
};

/** Calls a tool. All failures of its operation are results with `isError`, whose text is the error as HTTP has it. */
export const callTool = async (
  call: CalledTool,
  sender: RequestFacts,
  dependencies: ToolDependencies,
): Promise<ToolOutcome> => {
  try {
    return await run(call, sender, dependencies);
  } catch (error) {
    if (error instanceof AppError) return refusedArguments(error);
    throw error;
  }
};
