import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Credential } from "../../shared/accounts/access/api-keys.ts";
import type { VerifyBearer } from "../../shared/accounts/access/verify-bearer.ts";
import type { Limiter } from "../../shared/accounts/limits/limiter.ts";
import { decodeText } from "../../shared/http/decode-text.ts";
import type { RequestFacts } from "../../shared/http/exchange.ts";
import { limitHeaders } from "../../shared/http/limit-requests.ts";
import { Reply } from "../../shared/http/response.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { requestScope } from "../../shared/platform/telemetry/request-scope.ts";
import type { CalledResponse } from "./call-operation.ts";
import { callTool, type ToolDependencies } from "./call-tool.ts";
import { mcpOperation } from "./contract.ts";
import { serveMessage, toReply } from "./serve-message.ts";
import { createToolServer } from "./tool-server.ts";

export interface McpDependencies extends ToolDependencies {
  readonly verifyBearer: VerifyBearer;
  readonly limiter: Pick<Limiter, "admit" | "release">;
  /** No slash at the end. */
  readonly publicBaseUrl: string;
}

/** JSON-RPC's codes for a message that is not JSON, and for one that is not a message. */
const parseError = -32_700;
const invalidRequest = -32_600;

const protocolError = (code: number, message: string): Reply =>
  new Reply({
    status: 400,
    contentType: "application/json",
    body: JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } }),
  });

type Headers = Readonly<Record<string, string>>;

/**
 * Browsers send `Origin`. A page of another site is refused, as the protocol demands, so that no page can use a service on its
 * visitor's own machine by a name that it has pointed there.
 */
const requireOrigin = ({ headers: { origin } }: RequestFacts, publicBaseUrl: string): void => {
  if (origin === undefined || origin === new URL(publicBaseUrl).origin) return;
  throw new AppError("forbidden", { message: "Requests from pages of other sites are refused here." });
};

/** @returns the message as JSON, or why it is not. */
const parse = (body: Uint8Array): { readonly message: unknown } | { readonly problem: string } => {
  try {
    return { message: JSON.parse(decodeText(body)) };
  } catch (error) {
    return { problem: error instanceof AppError ? error.message : "The message is not JSON." };
  }
};

/**
 * Counts a message that called no operation of the account, and checks its token or key.
 *
 * @returns the headers that show the limits. @throws the limiter's refusal.
 */
const admit = async (credential: Credential, { limiter }: McpDependencies): Promise<Headers> => {
  const { id: operationId } = mcpOperation;
  const admission = await limiter.admit({ limitClass: "account", credential, scope: "any", operationId });
  await limiter.release(admission);
  if (admission.refusal) throw admission.refusal;
  const scope = requestScope();
  if (scope) scope.accountId = credential.userId;
  return limitHeaders(admission.statuses);
};

/** The headers of an operation's response that show the limits of its caller. */
const limitsIn = (headers: Headers): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => /^(?:x-)?ratelimit/i.test(name)));

/** The operation's response to the call of a tool, or its failure. */
interface Progress {
  response?: CalledResponse | undefined;
  failure?: unknown;
}

/** Creates a server whose tool notes what its operation responded. Failures of our own must not reach the client. */
const serverFor = (sender: RequestFacts, dependencies: McpDependencies, progress: Progress) =>
  createToolServer(async (call) => {
    const idempotencyKey = call.idempotencyKey ?? sender.headers["idempotency-key"];
    try {
      const { result, response } = await callTool({ ...call, idempotencyKey }, sender, dependencies);
      if (call.tool.operation.auth === "user") progress.response = response;
      return result;
    } catch (error) {
      progress.failure = error;
      throw new ProtocolError(ProtocolErrorCode.InternalError, "Internal error");
    }
  });

/** @throws AppError as {@link respondToMessage} does, without the address of the metadata. */
const respond = async (body: Uint8Array, sender: RequestFacts, dependencies: McpDependencies) => {
  const credential = await dependencies.verifyBearer(sender.headers["authorization"]);
  if (!credential) throw new AppError("unauthenticated");
  const parsed = parse(body);
  if ("problem" in parsed) return protocolError(parseError, parsed.problem);
  const { message } = parsed;
  if (Array.isArray(message)) return protocolError(invalidRequest, "Send one message at a time.");
  const progress: Progress = {};
  const url = `${dependencies.publicBaseUrl}${mcpOperation.path}`;
  const served = await serveMessage({ url, body, message }, sender, () =>
    serverFor(sender, dependencies, progress),
  );
  if (progress.failure !== undefined) throw progress.failure;
  if (progress.response?.status === 401) throw new AppError("unauthenticated");
  const limits = progress.response
    ? limitsIn(progress.response.headers)
    : await admit(credential, dependencies);
  return toReply(served, limits);
};

/**
 * Responds to one message of the protocol. Only the protocol's own code knows whether a message calls a tool, so a message is
 * counted afterwards, unless its tool was counted as an operation of the account.
 *
 * @throws AppError `unauthenticated`, `forbidden` for the page of another site, and the limiter's.
 */
export const respondToMessage = async (
  body: Uint8Array,
  sender: RequestFacts,
  dependencies: McpDependencies,
) => {
  requireOrigin(sender, dependencies.publicBaseUrl);
  return respond(body, sender, dependencies);
};
