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

const scopeOf: Readonly<Record<AttemptName, Scope>> = {
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

export interface VisitorRequest {
  readonly name: AttemptName;
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly sourceAddress: string;
  readonly signal: AbortSignal;
}

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

/**
 * Forwards a visitor's request to the public API, with a token of the visitors' account.
 *
 * @returns the response as a stream, which must be read or abandoned. The day does not count failures of the service.
 * @throws AppError `quota_exceeded`, `rate_limited`, `payload_too_large`; errors of the store and of `sendRequest`.
 */
export const relayVisitorAttempt = async (
  { name, contentType, body, sourceAddress, signal }: VisitorRequest,
  { attempts, accounts, tokens, addresses }: VisitorDependencies,
) => {
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
    return sendRequest({
      url: new URL(attemptDefinitions[name].request({}, addresses, []).url),
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": contentType },
      body,
      signal,
      silenceMilliseconds,
    });
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
