import {
  createFactorKeySource,
  createFactorSecrets,
} from "../../shared/accounts/second-factor/factor-secrets.ts";
import { createSecondFactors } from "../../shared/accounts/second-factor/second-factors.ts";
import { codeAt, stepAt } from "../../shared/accounts/second-factor/totp.ts";
import type { Table } from "../../shared/platform/storage/table.ts";

/** The second factors in a table, sealed with a key of tests. */
export const secondFactorsOver = (
  table: Pick<Table, "read" | "transact" | "update">,
  now?: () => number,
  read: () => string = () => "a key of tests that is long enough to seal with",
) =>
  createSecondFactors(
    table,
    createFactorSecrets(
      createFactorKeySource(async (version) => (version === "AWSCURRENT" ? read() : undefined)),
    ),
    now,
  );

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Decodes base 32, as an app does. */
export const fromBase32 = (text: string): Uint8Array => {
  const bits = Array.from(text, (character) => alphabet.indexOf(character).toString(2).padStart(5, "0"));
  return Uint8Array.from(bits.join("").match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
};

/** The secret of an address for apps. */
export const secretIn = (text: string): Uint8Array => {
  const [, secret] = /secret=([A-Z2-7]+)/.exec(text) ?? [];
  if (secret === undefined) throw new Error("No secret is shown.");
  return fromBase32(secret);
};

/** What an app shows. @param steps later than now. */
export const codeOf = (secret: Uint8Array, steps = 0): string => codeAt(secret, stepAt(Date.now()) + steps);
