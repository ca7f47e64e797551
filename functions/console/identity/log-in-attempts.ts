import { jwtVerify, SignJWT } from "jose";
import * as z from "zod";
import type { SigningKeySource } from "../../../shared/accounts/access/tokens.ts";
import { providerLetters } from "../../../shared/platform/config/identity-providers.ts";

/** How long a person may take at a provider. */
export const attemptSeconds = 10 * 60;

const attempt = z.object({
  provider: z.enum(providerLetters),
  checks: z.object({ state: z.string(), nonce: z.string(), codeVerifier: z.string() }),
  /** The page to continue with, checked before it is stored and again before it is used. */
  next: z.string().optional(),
  /** The signed-in account and session to add the identity to. */
  joinTo: z.object({ userId: z.int(), session: z.string() }).optional(),
});

/** A login in progress through a provider. */
export type LogInAttempt = z.infer<typeof attempt>;

const type = "log-in-attempt+jwt";
const algorithm = "HS256";

/**
 * Logins in progress are stored in a cookie only. It is signed, and its type is not that of an access token.
 */
export const createLogInAttempts = (keySource: SigningKeySource) => ({
  seal: async (attempt: LogInAttempt): Promise<string> => {
    const { current } = await keySource.get();
    return new SignJWT({ attempt: attempt })
      .setProtectedHeader({ alg: algorithm, typ: type })
      .setExpirationTime(`${attemptSeconds} s`)
      .sign(current);
  },

  /** The login in progress; `undefined` when the cookie has expired or is forged. */
  open: async (sealed: string): Promise<LogInAttempt | undefined> => {
    const { accepted } = await keySource.get();
    for (const key of accepted) {
      try {
        const options = { algorithms: [algorithm], typ: type, requiredClaims: ["exp"] };
        const { payload } = await jwtVerify(sealed, key, options);
        return attempt.safeParse(payload["attempt"]).data;
      } catch {
        // Another key may have signed it.
      }
    }
    return undefined;
  },
});

export type LogInAttempts = ReturnType<typeof createLogInAttempts>;
