import type { Scope } from "../../../shared/accounts/access/api-keys.ts";
import { newTokenId, type Tokens } from "../../../shared/accounts/access/tokens.ts";
import { toUpdate } from "../../../shared/accounts/limits/counter-update.ts";
import { addressGroup, limitKeys } from "../../../shared/accounts/limits/keys.ts";
import { conditionalAddition } from "../../../shared/accounts/limits/limit-counters.ts";
import { secondsUntil, windowsAt } from "../../../shared/accounts/limits/windows.ts";
import type { AccountsRepository } from "../../../shared/accounts/repositories/accounts-repository.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { readPieces, sendRequest } from "../../../shared/platform/outbound/http-client.ts";
import type { RequestTable } from "../../../shared/platform/storage/table.ts";
import { type ApiAddresses, type AttemptName, attemptDefinitions } from "./attempts.ts";

/** Tries of people without an account, counted by address. */
export interface VisitorAttempts {
  /**
   * Takes one of the tries that an address has today. However many are asked for at once, no more are given.
   *
   * @returns how to give it back, for a try that came to nothing.
   * @throws AppError `quota_exceeded` when there is none left; what the store throws: nobody tries what nobody counts.
   */
  take(sourceAddress: string, signal: AbortSignal): Promise<() => Promise<void>>;
}

/** Counts in the service's table; access pattern C10 of `shared/accounts/limits/README.md`. */
export const createVisitorAttempts = (
  table: Pick<RequestTable, "update" | "updateWithFallback">,
  perDay: number,
  now: () => number = Date.now,
): VisitorAttempts => ({
  take: async (sourceAddress, signal) => {
    const time = now();
    const { day, ends } = windowsAt(time);
    const Key = limitKeys.visitorAttempts(addressGroup(sourceAddress), day);
    const expiresAt = Math.floor(ends.day / 1_000);
    const add = (amount: number, limit?: number) =>
      toUpdate({ Key, ...conditionalAddition([{ attribute: "requests", limit }], { amount, expiresAt }) });
    const { applied } = await table.update(add(1, perDay), signal);
    if (!applied) {
      throw new AppError("quota_exceeded", {
        message: `Without an account there are ${perDay} tries a day, and yours are used. Sign up to go on; it costs nothing.`,
        retryAfterSeconds: secondsUntil(ends.day, time),
      });
    }
    // Given back once at most: a write whose outcome is unknown could otherwise give a try away.
    return async () => {
      await table.updateWithFallback(add(-1), () => undefined, AbortSignal.timeout(refundMilliseconds));
    };
  },
});

const refundMilliseconds = 3_000;

/** Nobody can register such a name, or send mails to such an address: there are spaces in it. */
const visitorName = "visitors of the playground";

/**
 * The account in whose name visitors try things. It is made when the first one comes, has no password, and its limits are those
 * of all visitors together.
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
    // Another visitor came in the same moment.
    const created = error instanceof AppError ? await accounts.find(reference) : undefined;
    if (!created) throw error;
    return created;
  }
};

/** What a try needs of the token that it is made with. */
const scopeOf: Readonly<Record<AttemptName, Scope>> = {
  translate: "translate",
  chat: "chat",
  speak: "speech",
  transcribe: "transcribe",
  identify: "language",
};

const kilobyte = 1_024;

/** In bytes: enough for a few sentences, and for two minutes of what the page records. */
const maxBodyBytes = (name: AttemptName): number => (name === "transcribe" ? 512 : 8) * kilobyte;

/** Long enough for one request. The token does not leave this function, but to the API. */
const tokenSeconds = 60;

/** The API may be silent while a model is loading, or at work. */
const silenceMilliseconds = 60_000;

/** A try as it was sent to the page's own address. */
export interface VisitorRequest {
  readonly name: AttemptName;
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly sourceAddress: string;
  readonly signal: AbortSignal;
}

/** What visitors' tries need. */
export interface VisitorDependencies {
  readonly attempts: VisitorAttempts;
  readonly accounts: Pick<AccountsRepository, "create" | "find">;
  readonly tokens: Pick<Tokens, "sign">;
  readonly addresses: ApiAddresses;
}

/**
 * Hands a visitor's request on to the public API as it is, in the name of the account of all visitors.
 *
 * @returns the API's answer, piece by piece. One that is an error leaves the visitor their try.
 * @throws AppError `quota_exceeded` after the last try, `payload_too_large`, what the store throws, and what
 * `sendRequest` throws.
 */
export const relayVisitorAttempt = async (
  { name, contentType, body, sourceAddress, signal }: VisitorRequest,
  { attempts, accounts, tokens, addresses }: VisitorDependencies,
) => {
  const max = maxBodyBytes(name);
  if (body.byteLength > max) {
    throw new AppError("payload_too_large", {
      message: `Without an account a request may have ${max / kilobyte} kB; sign up to send more.`,
    });
  }
  const refund = await attempts.take(sourceAddress, signal);
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
    await refund();
    throw error;
  });
  const { statusCode: status = 502, headers } = response;
  if (status >= 400) await refund();
  return {
    status,
    contentType: headers["content-type"] ?? "application/json",
    body: readPieces(response, silenceMilliseconds),
  };
};
