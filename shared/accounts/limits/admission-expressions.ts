import { accountTypes } from "../access/account.ts";
import type { AccountPolicies, AccountPolicy } from "./policies.ts";

/** The expressions of the write that admits a request, but for what differs from request to request. */
interface AdmissionExpressions {
  readonly UpdateExpression: string;
  readonly ConditionExpression: string;
  readonly values: Readonly<Record<string, string | number | boolean>>;
}

/** What the expressions of an admission depend on. */
interface AdmissionKind {
  /** `scoped-key`: one that the operation asks a scope of. */
  readonly credential: "token" | "key" | "scoped-key";
  /** Whether the request counts on the quota. */
  readonly isTask: boolean;
  /** Whether the request, a task, also takes the place `:place` among its account's streams. */
  readonly takesSlot?: boolean;
}

/** What has to be true of each credential, besides its account. */
const credentialConditions: Readonly<Record<AdmissionKind["credential"], readonly string[]>> = (() => {
  const key = ["api_keys.#k.h = :digest", "NOT api_keys.#k.e <= :now"];
  return {
    token: ["token_epoch = :epoch", "attribute_not_exists(revoked.#t)"],
    key,
    "scoped-key": [...key, "(attribute_not_exists(api_keys.#k.s) OR contains(api_keys.#k.s, :scope))"],
  };
})();

/**
 * The condition on which a request is admitted and counted, made from the limits of all tiers: which tier the account has,
 * and whether its token or key still stands, is found out by the very write that counts, so that nothing is read before it
 * and nothing can change between.
 *
 * Names: `#t` the token's id, `#k` the key's, `#m` the minute, `#d` the day, `#M` the month, `#o` the operation in the day, with this
 * key. A comparison with an attribute that is not there is false, so that `NOT #m >= :limit` lets the first request of a
 * window through as well; the size of a set that is not there is no number either. Whether a key has a limit of its own is
 * asked all the same: of two attributes that are both not there, the embedded DynamoDB says that they are equal.
 */
export const admissionExpressions = (
  policyOf: AccountPolicies,
  { credential, isTask, takesSlot = false }: AdmissionKind,
): AdmissionExpressions => {
  const values: Record<string, string | number | boolean> = { ":one": 1, ":no": false };
  const below = (name: string, limit: number | undefined, placeholder: string): string[] => {
    if (limit === undefined) return [];
    values[placeholder] = limit;
    return [`NOT ${name} >= ${placeholder}`];
  };
  const quota = ({ perDay, perMonth }: AccountPolicy, of: string): string[] =>
    isTask ? [...below("#d", perDay, `:${of}Day`), ...below("#M", perMonth, `:${of}Month`)] : [];
  const isVerified = (value: ":yes" | ":no"): string => {
    values[value] = value === ":yes";
    return `email_verified = ${value}`;
  };

  const alternatives = accountTypes.flatMap((type) => {
    values[`:${type}`] = type;
    const full = policyOf({ account_type: type, email_verified: true });
    const unverified = policyOf({ account_type: type, email_verified: false });
    const always = [
      `account_type = :${type}`,
      ...below("#m", full.perMinute, `:${type}Minute`),
      ...(takesSlot ? below("size(streams)", full.streamsAtOnce, `:${type}Streams`) : []),
    ];
    if (!isTask || !unverified.onceVerified) return [[...always, ...quota(full, type)]];
    return [
      [...always, isVerified(":yes"), ...quota(full, type)],
      [...always, isVerified(":no"), ...quota(unverified, `Unverified${type}`)],
    ];
  });
  const isKey = credential !== "token";
  if (isKey && isTask) values[":none"] = 0;
  const conditions = [
    ...credentialConditions[credential],
    "disabled = :no",
    ...(isKey && isTask
      ? ["(attribute_not_exists(api_keys.#k.l) OR NOT api_keys.#k.#M >= api_keys.#k.l)"]
      : []),
    `(${alternatives.map((tier) => tier.join(" AND ")).join(" OR ")})`,
  ];
  const countsKey = isTask ? ", api_keys.#k.#M = if_not_exists(api_keys.#k.#M, :none) + :one" : "";
  return {
    UpdateExpression:
      (isKey ? `SET api_keys.#k.u = :now${countsKey} ` : "") +
      `ADD #m :one${isTask ? ", #d :one, #M :one, #o :one" : ""}${takesSlot ? ", streams :place" : ""}`,
    ConditionExpression: conditions.join(" AND "),
    values,
  };
};

/** The expressions of every kind of admission, each made once. */
export const allAdmissions = (policyOf: AccountPolicies) => {
  const built = new Map<string, AdmissionExpressions>();
  return (kind: AdmissionKind): AdmissionExpressions => {
    const name = `${kind.credential} ${kind.isTask} ${kind.takesSlot}`;
    const expressions = built.get(name) ?? admissionExpressions(policyOf, kind);
    built.set(name, expressions);
    return expressions;
  };
};
