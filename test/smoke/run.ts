import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, inject } from "vitest";
import { call, type JsonResponse, logIn } from "../support/client.ts";

/** Something that a row has created and no later row may use before. */
export class Created<Value> {
  readonly #what: string;
  #value: Value | undefined;

  /** @param what it is, for the error of a row that needs it after an earlier row has failed. */
  constructor(what: string) {
    this.#what = what;
  }

  set(value: Value): void {
    this.#value = value;
  }

  /** `undefined` when an earlier row has failed. */
  find(): Value | undefined {
    return this.#value;
  }

  /** @throws Error when an earlier row has failed. */
  get(): Value {
    if (this.#value === undefined) throw new Error(`There is no ${this.#what}: an earlier call has failed.`);
    return this.#value;
  }
}

/** The account that an operator has created, of which only a key and a token are used. */
export const smokeAccount = inject("smokeAccount");
export const key = smokeAccount.SMOKE_KEY;
export const ownToken = new Created<string>("token of the smoke account");

const username = `smoke-${randomBytes(6).toString("hex")}`;

/** The account that is registered here and deleted at the end, with everything that it has stored. */
export const visitor = {
  username,
  email: `success+${username}@simulator.amazonses.com`,
  password: `seven storks ${randomBytes(6).toString("hex")}`,
  token: new Created<string>("token of the new account"),
};

/** Logs in to the new account. */
export const logInVisitor = async (): Promise<void> => {
  const { status, body } = await logIn(visitor.username, visitor.password);
  expect(status, JSON.stringify(body)).toBe(200);
  visitor.token.set(body.access_token);
};

/** What is still to be deleted, last first. */
const pending = new Map<string, () => Promise<JsonResponse>>();

/** Deletes this at the end of the run, also when a row has failed. @param what it is, for the error when that fails. */
export const deleteAtEnd = (what: string, send: () => Promise<JsonResponse>): void => {
  pending.set(what, send);
};

/** It is deleted. */
export const isDeleted = (what: string): void => {
  pending.delete(what);
};

/** Deletes what the rows have not deleted. @throws Error that names what remains. */
export const cleanUp = async (): Promise<void> => {
  const remaining: string[] = [];
  for (const [what, send] of [...pending].toReversed()) {
    const status = await send().then(
      (response) => response.status,
      () => 0,
    );
    if (status !== 204 && status !== 404) remaining.push(`${what} (${status})`);
  }
  pending.clear();
  if (remaining.length > 0) throw new Error(`These were not deleted: ${remaining.join(", ")}.`);
};

/** Deletes the new account, also when the call that logs in to it has failed. */
export const deleteVisitor = async (): Promise<JsonResponse> => {
  if (visitor.token.find() === undefined) {
    const response = await logIn(visitor.username, visitor.password);
    // There is no such account.
    if (response.status === 401) return { ...response, status: 404 };
    if (response.status !== 200) return response;
    visitor.token.set(response.body.access_token);
  }
  return call("/auth/me", {
    method: "DELETE",
    token: visitor.token.get(),
    body: { password: visitor.password },
  });
};

/** Requests with passwords and links that one run sends from one address, after the first. */
const laterCredentialRequests = 8;

/**
 * A run needs eight of an address's sixty requests a minute with passwords and links. When others have used some of them,
 * this waits for the next minute.
 */
export const waitForCredentialRequests = async ({ headers }: JsonResponse): Promise<void> => {
  const remaining = Number(headers.get("x-ratelimit-remaining-requests") ?? laterCredentialRequests);
  if (remaining >= laterCredentialRequests) return;
  await sleep(1_000 * Number.parseInt(headers.get("x-ratelimit-reset-requests") ?? "60", 10));
};
