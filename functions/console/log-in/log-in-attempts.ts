import { jwtVerify, SignJWT } from "jose";
import * as z from "zod";
import type { SigningKeySource } from "../../../shared/accounts/access/tokens.ts";
import { identitySchema } from "../../../shared/accounts/repositories/identities-repository.ts";
import { waysIn } from "../../../shared/pages/sessions/sessions-repository.ts";
import { providerLetters } from "../../../shared/platform/config/identity-providers.ts";

/** How long a person may take at a provider, and afterwards to prove an account. */
export const attemptSeconds = 10 * 60;

/** The page to continue with, checked before it is stored and again before it is used. */
const next = z.string().optional();

const ownSession = z.object({ userId: z.int(), session: z.string() });

const attempt = z.object({
  provider: z.enum(providerLetters),
  checks: z.object({ state: z.string(), nonce: z.string(), codeVerifier: z.string() }),
  next,
  /** The signed-in account and session to add the identity to. */
  joinTo: ownSession.optional(),
  /** The signed-in account and session whose owner logs in again. */
  confirms: ownSession.optional(),
});

/** A login in progress through a provider. */
export type LogInAttempt = z.infer<typeof attempt>;

const unproved = z.object({
  provider: z.enum(providerLetters),
  identity: identitySchema,
  /** The account with the address of the identity, as it was when the person came from the provider. */
  userId: z.int(),
  tokenEpoch: z.int(),
  next,
});

/** A person who came from a provider and must prove an account. */
export type UnprovedLogIn = z.infer<typeof unproved>;

const unconfirmed = z.object({
  /** The account as it was when the person showed the password or came from a provider. */
  userId: z.int(),
  tokenEpoch: z.int(),
  next,
  /** An identity that the person wants to add to the account. */
  identity: identitySchema.optional(),
  /** What the person has shown. Logins that an older version started do not say it. */
  by: z.enum(waysIn).default("password"),
});

/** A person who must enter a code of the second factor. */
export type UnconfirmedLogIn = z.infer<typeof unconfirmed>;

const algorithm = "HS256";

/**
 * Values that are stored in a cookie only.
 *
 * @param type makes the signed value useless as an access token, or as a value of another type.
 */
const createSealed = <Schema extends z.ZodType>(
  type: string,
  schema: Schema,
  keySource: SigningKeySource,
) => ({
  seal: async (value: z.infer<Schema>): Promise<string> => {
    const { current } = await keySource.get();
    return new SignJWT({ attempt: value })
      .setProtectedHeader({ alg: algorithm, typ: type })
      .setExpirationTime(`${attemptSeconds} s`)
      .sign(current);
  },

  /** The value; `undefined` when the cookie has expired or is forged. */
  open: async (sealed: string): Promise<z.infer<Schema> | undefined> => {
    const { accepted } = await keySource.get();
    for (const key of accepted) {
      try {
        const options = { algorithms: [algorithm], typ: type, requiredClaims: ["exp"] };
        const { payload } = await jwtVerify(sealed, key, options);
        return schema.safeParse(payload["attempt"]).data;
      } catch {
        // Another key may have signed it.
      }
    }
    return undefined;
  },
});

/** Logins in progress, in a cookie of the browser. */
export const createLogInAttempts = (keySource: SigningKeySource) =>
  createSealed("log-in-attempt+jwt", attempt, keySource);
export type LogInAttempts = ReturnType<typeof createLogInAttempts>;

/** Logins whose account must be proved, in a cookie of the browser. */
export const createUnprovedLogIns = (keySource: SigningKeySource) =>
  createSealed("unproved-log-in+jwt", unproved, keySource);
export type UnprovedLogIns = ReturnType<typeof createUnprovedLogIns>;

/** Logins that wait for a code of the second factor, in a cookie of the browser. */
export const createUnconfirmedLogIns = (keySource: SigningKeySource) =>
  createSealed("unconfirmed-log-in+jwt", unconfirmed, keySource);
export type UnconfirmedLogIns = ReturnType<typeof createUnconfirmedLogIns>;
