import type { Scope } from "../../../shared/accounts/access/api-keys.ts";
import { newTokenId, type Tokens } from "../../../shared/accounts/access/tokens.ts";
import type { AccountsRepository } from "../../../shared/accounts/repositories/accounts-repository.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { readPieces, sendRequest } from "../../../shared/platform/outbound/http-client.ts";
import { type ApiAddresses, type AttemptName, attemptDefinitions } from "./attempts.ts";
import type { VisitorAttempt, VisitorAttempts } from "./visitor-attempts.ts";

/** Contains spaces, so no one can register this name or receive email at this address. */
const visitorName = "visitors of the playground";

/**
 * The account of all visitors, whose limits apply to all of them together. It has no password and is created with the first request.
 */
const findVisitorAccount = async (accounts: Pick<AccountsRepository, "create" | "find">) => {
  const reference = { username: visitorName };
  const found = await accounts.find(reference);
  if (found) return found;
  try {
    return await accounts.create({
      username: visitorName,
      email: visitorName,
      password_hash: undefined,
      organization: "Unknown",
      full_name: undefined,
      organization_type: undefined,
      sector: undefined,
    });
  } catch (error) {
    // Another visitor created it at the same moment.
    const created = error instanceof AppError ? await accounts.find(reference) : undefined;
    if (!created) throw error;
    return created;
  }
};

/** The only scope that the token of a request has. */
export const scopeOf: Readonly<Record<AttemptName, Scope>> = {
  translate: "translate",
  chat: "chat",
  speak: "speech",
  transcribe: "transcribe",
  identify: "language",
};

const kilobyte = 1_024;

/** In bytes: enough for a few sentences, and for two minutes of audio recorded by the page. */
const maxBodyBytes = (name: AttemptName): number => (name === "transcribe" ? 512 : 8) * kilobyte;

/** Long enough for one request. The token is only sent to the API. */
const tokenSeconds = 60;

/** The API may send nothing while a model is loading. */
const silenceMilliseconds = 60_000;

/** A request to the public API that this function sends for an account or a visitor. */
export interface ForwardedRequest {
  readonly name: AttemptName;
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
}

export interface VisitorRequest extends ForwardedRequest {
  readonly sourceAddress: string;
}

/** Sends a request to the public API. @returns the head of the response. @throws errors of `sendRequest`. */
export const forward = (
  { name, contentType, body, signal }: ForwardedRequest,
  token: string,
  addresses: ApiAddresses,
) =>
  sendRequest({
    url: new URL(attemptDefinitions[name].request({}, addresses).url),
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": contentType },
    body,
    signal,
    silenceMilliseconds,
  });

export interface VisitorDependencies {
  readonly attempts: VisitorAttempts;
  readonly accounts: Pick<AccountsRepository, "create" | "find">;
  readonly tokens: Pick<Tokens, "sign">;
  readonly addresses: ApiAddresses;
}

async function* endedWith(attempt: VisitorAttempt, pieces: AsyncIterable<Uint8Array>, status: number) {
  try {
    yield* pieces;
  } finally {
    // 429 is the limit of all visitors together.
    await attempt.end(status === 429 || status >= 500 ? "refunded" : "counted");
  }
}

/** All bytes of a response. */
export const readAll = async (pieces: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const read: Uint8Array[] = [];
  for await (const piece of pieces) read.push(piece);
  return Buffer.concat(read);
};

/**
 * Forwards a visitor's request to the public API, with a token of the visitors' account.
 *
 * @returns the response as a stream, which must be read or abandoned. The day does not count failures of the service.
 * @throws AppError `quota_exceeded`, `rate_limited`, `payload_too_large`; errors of the store and of `sendRequest`.
 */
export const relayVisitorAttempt = async (
  { sourceAddress, ...request }: VisitorRequest,
  { attempts, accounts, tokens, addresses }: VisitorDependencies,
) => {
  const { name, body, signal } = request;
  const max = maxBodyBytes(name);
  if (body.byteLength > max) {
    throw new AppError("payload_too_large", {
      message: `Without an account, a request can have up to ${max / kilobyte} kB. Sign up to send more.`,
    });
  }
  const attempt = await attempts.take(sourceAddress, signal);
  const ask = async () => {
    const { id, token_epoch: tokenEpoch } = await findVisitorAccount(accounts);
    const token = await tokens.sign(
      { userId: id, tokenId: newTokenId(), tokenEpoch, scopes: [scopeOf[name]] },
      tokenSeconds,
    );
    return forward(request, token, addresses);
  };
  const response = await ask().catch(async (error: unknown) => {
    await attempt.end("refunded");
    throw error;
  });
  const { statusCode: status = 502, headers } = response;
  return {
    status,
    contentType: headers["content-type"] ?? "application/json",
    body: endedWith(attempt, readPieces(response, silenceMilliseconds), status),
  };
};
