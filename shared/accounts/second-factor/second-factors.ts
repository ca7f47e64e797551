import { randomBytes } from "node:crypto";
import * as z from "zod";
import { minuteSeconds } from "../../platform/durations.ts";
import type { ItemUpdate, Table } from "../../platform/storage/table.ts";
import { type AccountAtEpoch, nextEpoch } from "../access/account.ts";
import { accountKeys } from "../access/keys.ts";
import type { FactorSecrets } from "./factor-secrets.ts";
import { newRecoveryCodes, readCode, recoveryCodeDigest, type TypedCode } from "./recovery-codes.ts";
import { secretBytes, stepOfCode } from "./totp.ts";

/** How long a set-up waits for its first code. */
const setUpSeconds = 15 * minuteSeconds;

const factor = z.object({
  /** The sealed secret. */
  secret: z.string(),
  since: z.string(),
  /** The step of the last code that was accepted: neither it nor an earlier one is accepted again. */
  last_step: z.int(),
  /** The digests of the recovery codes that were not used. */
  codes: z.record(z.string(), z.boolean()),
});

const setUp = z.object({
  secret: z.string(),
  /** The session that may finish it. */
  session: z.string(),
  /** Unix seconds. */
  ends_at: z.int(),
});

const factorItem = z.object({ second_factor: factor.optional(), second_factor_setup: setUp.optional() });

/** What the owner of a second factor sees. */
export interface SecondFactor {
  /** An ISO time. */
  readonly since: string;
  /** How many recovery codes were not used. */
  readonly codesLeft: number;
}

/** A code that was accepted. */
export type UsedCode = { readonly kind: "app" } | { readonly kind: "recovery"; readonly codesLeft: number };

/** The result of finishing a set-up: `ended` when there is none that waits for a code of this session. */
export type FinishedSetUp =
  | { readonly kind: "on"; readonly codes: readonly string[] }
  | { readonly kind: "wrong-code" }
  | { readonly kind: "ended" };

/** A session of an account. */
export interface SetUpOwner extends AccountAtEpoch {
  readonly session: string;
}

interface Stores {
  readonly table: Pick<Table, "read" | "transact" | "update">;
  readonly secrets: FactorSecrets;
  readonly now: () => number;
}

const digestsOf = (codes: readonly string[]): Record<string, boolean> =>
  Object.fromEntries(codes.map((code) => [recoveryCodeDigest(code), true]));

const read = async ({ table }: Stores, userId: number) => {
  const item = await table.read({
    Key: accountKeys.profile(userId),
    ProjectionExpression: "second_factor, second_factor_setup",
  });
  return factorItem.parse(item ?? {});
};

const change = ({ table }: Stores, userId: number, update: Omit<ItemUpdate, "Key">) =>
  table.update({ Key: accountKeys.profile(userId), ...update });

/** The set-up that waits for a code of this session. */
const findSetUp = async (stores: Stores, { userId, session }: SetUpOwner) => {
  const { second_factor_setup: waiting, second_factor: known } = await read(stores, userId);
  if (known || waiting?.session !== session || waiting.ends_at * 1_000 <= stores.now()) return undefined;
  return { sealed: waiting.secret, ...(await stores.secrets.open(waiting.secret, userId)) };
};

const startSetUp = async (stores: Stores, { userId, session }: SetUpOwner): Promise<boolean> => {
  const sealed = await stores.secrets.seal(randomBytes(secretBytes), userId);
  const ends_at = Math.floor(stores.now() / 1_000) + setUpSeconds;
  const { applied } = await change(stores, userId, {
    UpdateExpression: "SET second_factor_setup = :setup",
    ConditionExpression: "attribute_exists(PK) AND attribute_not_exists(second_factor)",
    ExpressionAttributeValues: { ":setup": { secret: sealed, session, ends_at } },
  });
  return applied;
};

const finishSetUp = async (stores: Stores, owner: SetUpOwner, typed: string): Promise<FinishedSetUp> => {
  const waiting = await findSetUp(stores, owner);
  if (!waiting) return { kind: "ended" };
  const code = readCode(typed);
  const step = code?.kind === "app" ? stepOfCode(waiting.secret, code.digits, stores.now()) : undefined;
  if (step === undefined) return { kind: "wrong-code" };
  const codes = newRecoveryCodes();
  const since = new Date(stores.now()).toISOString();
  const factor = {
    Key: accountKeys.profile(owner.userId),
    UpdateExpression: "SET second_factor = :factor REMOVE second_factor_setup",
    ConditionExpression: "second_factor_setup.secret = :sealed AND attribute_not_exists(second_factor)",
    ExpressionAttributeValues: {
      ":factor": { secret: waiting.sealed, since, last_step: step, codes: digestsOf(codes) },
      ":sealed": waiting.sealed,
    },
  };
  // Sessions and tokens from before have not shown it.
  const { applied } = await stores.table.transact([{ update: factor }, { update: nextEpoch(owner) }]);
  return applied ? { kind: "on", codes } : { kind: "ended" };
};

/** Accepts a code of the app, unless it or a later one was accepted before. */
const useDigits = async (stores: Stores, userId: number, digits: string): Promise<UsedCode | undefined> => {
  const { second_factor: known } = await read(stores, userId);
  if (!known) return undefined;
  const { secret, isOld } = await stores.secrets.open(known.secret, userId);
  const step = stepOfCode(secret, digits, stores.now());
  if (step === undefined) return undefined;
  const { applied } = await change(stores, userId, {
    UpdateExpression: "SET second_factor.last_step = :step, second_factor.secret = :sealed",
    // Of two requests with one code at once, the second finds its step taken.
    ConditionExpression: "second_factor.secret = :seen AND second_factor.last_step < :step",
    ExpressionAttributeValues: {
      ":step": step,
      ":seen": known.secret,
      ":sealed": isOld ? await stores.secrets.seal(secret, userId) : known.secret,
    },
  });
  return applied ? { kind: "app" } : undefined;
};

/** Accepts a recovery code, and removes it with the same write. */
const useRecoveryCode = async (
  stores: Stores,
  userId: number,
  digest: string,
): Promise<UsedCode | undefined> => {
  const { applied, item } = await change(stores, userId, {
    UpdateExpression: "REMOVE second_factor.codes.#code",
    ConditionExpression: "attribute_exists(second_factor.codes.#code)",
    ExpressionAttributeNames: { "#code": digest },
  });
  if (!applied) return undefined;
  const { second_factor: left } = factorItem.parse(item);
  return { kind: "recovery", codesLeft: Object.keys(left?.codes ?? {}).length };
};

const useCode = async (stores: Stores, userId: number, code: TypedCode | undefined) => {
  if (!code) return undefined;
  return code.kind === "app"
    ? useDigits(stores, userId, code.digits)
    : useRecoveryCode(stores, userId, code.digest);
};

/** Second factors in the table. */
export type SecondFactors = ReturnType<typeof createSecondFactors>;

/** The second factors in the service's table: a part of A1 of the README in `shared/accounts`. */
export const createSecondFactors = (
  table: Stores["table"],
  secrets: FactorSecrets,
  now: () => number = Date.now,
) => {
  const stores: Stores = { table, secrets, now };
  return {
    /** Returns `undefined` for an account without a second factor. */
    find: async (userId: number): Promise<SecondFactor | undefined> => {
      const { second_factor: known } = await read(stores, userId);
      return known && { since: known.since, codesLeft: Object.keys(known.codes).length };
    },

    /**
     * Starts a set-up with a new secret, instead of any earlier one.
     *
     * @returns `false`, and writes nothing, when the account has a second factor.
     */
    startSetUp: (owner: SetUpOwner): Promise<boolean> => startSetUp(stores, owner),

    /** Returns the secret of a set-up that waits for its first code, to be shown in its session only. */
    findSetUp: async (owner: SetUpOwner): Promise<Uint8Array | undefined> =>
      (await findSetUp(stores, owner))?.secret,

    /** Turns the second factor on with a first code of the app, and revokes every token, session and reset link of the account. */
    finishSetUp: (owner: SetUpOwner, typed: string): Promise<FinishedSetUp> =>
      finishSetUp(stores, owner, typed),

    /**
     * Accepts a code of the app or a recovery code. Each is accepted once: one conditional write decides.
     *
     * @returns `undefined` for a wrong code, for one that was used before, and for an account without a second factor.
     */
    use: (userId: number, typed: string): Promise<UsedCode | undefined> =>
      useCode(stores, userId, readCode(typed)),

    /** Replaces the recovery codes. Returns `undefined` when the account has no second factor. */
    replaceCodes: async (userId: number): Promise<readonly string[] | undefined> => {
      const codes = newRecoveryCodes();
      const { applied } = await change(stores, userId, {
        UpdateExpression: "SET second_factor.codes = :codes",
        ConditionExpression: "attribute_exists(second_factor)",
        ExpressionAttributeValues: { ":codes": digestsOf(codes) },
      });
      return applied ? codes : undefined;
    },
  };
};
