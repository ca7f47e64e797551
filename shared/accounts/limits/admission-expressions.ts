import { accountTypes } from "../access/account-access.ts";
import type { AccountPolicies, AccountPolicy } from "./policies.ts";

/** The expressions of the write that admits a request, without what differs between requests. */
export interface AdmissionExpressions {
  readonly clauses?: string;
  readonly additions: readonly string[];
  readonly ConditionExpression: string;
  readonly values: Readonly<Record<string, string | number | boolean>>;
}

/** What the expressions of an admission depend on. */
interface AdmissionKind {
  /** `scoped-key`: a key for an operation that needs a scope. */
  readonly credential: "token" | "key" | "scoped-key";
  /** Whether the request counts on the quota. */
  readonly isTask: boolean;
  /** Whether the request, a task, also takes the stream slot `:place`. */
  readonly takesSlot?: boolean;
}

/** The conditions on each credential. */
const credentialConditions: Readonly<Record<AdmissionKind["credential"], readonly string[]>> = (() => {
  const key = ["api_keys.#k.h = :digest", "NOT api_keys.#k.e <= :now"];
  return {
    token: ["token_epoch = :epoch", "attribute_not_exists(revoked.#t)"],
    key,
    "scoped-key": [...key, "(attribute_not_exists(api_keys.#k.s) OR contains(api_keys.#k.s, :scope))"],
  };
})();

type Values = Record<string, string | number | boolean>;

/** Returns the condition that an account is of a tier and below its limits, for each tier. Adds the placeholders to `values`. */
const tierConditions = (
  policyOf: AccountPolicies,
  { isTask, takesSlot }: AdmissionKind,
  values: Values,
): string[][] => {
  const below = (name: string, limit: number | undefined, placeholder: string): string[] => {
    if (limit === undefined) return [];
    values[placeholder] = limit;
    return [`NOT ${name} >= ${placeholder}`];
  };
  const quota = ({ perDay, perMonth }: AccountPolicy, of: string): string[] =>
    isTask ? [...below("#d", perDay, `:${of}Day`), ...below("#M", perMonth, `:${of}Month`)] : [];

  return accountTypes.flatMap((type) => {
    values[`:${type}`] = type;
    const full = policyOf({ account_type: type, email_verified: true });
    const unverified = policyOf({ account_type: type, email_verified: false });
    const always = [
      `account_type = :${type}`,
      ...below("#m", full.perMinute, `:${type}Minute`),
      ...(takesSlot ? below("size(streams)", full.streamsAtOnce, `:${type}Streams`) : []),
    ];
    if (!isTask || !unverified.onceVerified) return [[...always, ...quota(full, type)]];
    values[":yes"] = true;
    return [
      [...always, "email_verified = :yes", ...quota(full, type)],
      [...always, "email_verified = :no", ...quota(unverified, `Unverified${type}`)],
    ];
  });
};

/**
 * The condition on which a request is admitted and counted, from the limits of all tiers. The write that counts also checks
 * the account's tier and its token or key, so nothing is read before it, and nothing can change in between.
 *
 * Names: `#t` the token's id, `#k` the key's, `#m` the minute, `#d` the day, `#M` the month. A comparison with a missing
 * attribute is false, so `NOT #m >= :limit` admits the first request of a window; the size of a missing set is no number
 * either. We still check that a key has a limit of its own: the embedded DynamoDB treats two missing attributes as equal.
 */
export const admissionExpressions = (
  policyOf: AccountPolicies,
  kind: AdmissionKind,
): AdmissionExpressions => {
  const { credential, isTask, takesSlot = false } = kind;
  const isKey = credential !== "token";
  const values: Values = { ":one": 1, ":no": false, ...(isKey ? { ":none": 0 } : {}) };
  const tiers = tierConditions(policyOf, kind, values);
  const conditions = [
    ...credentialConditions[credential],
    "disabled = :no",
    ...(isKey ? ["(attribute_not_exists(api_keys.#k.m) OR NOT api_keys.#k.#m >= api_keys.#k.m)"] : []),
    ...(isKey && isTask
      ? ["(attribute_not_exists(api_keys.#k.l) OR NOT api_keys.#k.#M >= api_keys.#k.l)"]
      : []),
    `(${tiers.map((tier) => tier.join(" AND ")).join(" OR ")})`,
  ];
  const counted = ["#m", ...(isTask ? ["#M"] : [])].map(
    (name) => `, api_keys.#k.${name} = if_not_exists(api_keys.#k.${name}, :none) + :one`,
  );
  return {
    ...(isKey ? { clauses: `SET api_keys.#k.u = :now${counted.join("")}` } : {}),
    additions: [
      "#m :one",
      ...(isTask ? ["#d :one", "#M :one"] : []),
      ...(takesSlot ? ["streams :place"] : []),
    ],
    ConditionExpression: conditions.join(" AND "),
    values,
  };
};

/** Returns the expressions of every kind of admission, each built once. */
export const allAdmissions = (policyOf: AccountPolicies) => {
  const built = new Map<string, AdmissionExpressions>();
  return (kind: AdmissionKind): AdmissionExpressions => {
    const name = `${kind.credential} ${kind.isTask} ${kind.takesSlot}`;
    const expressions = built.get(name) ?? admissionExpressions(policyOf, kind);
    built.set(name, expressions);
    return expressions;
  };
};
