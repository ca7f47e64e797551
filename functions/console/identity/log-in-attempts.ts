import { jwtVerify, SignJWT } from "jose";
import * as z from "zod";
import type { SigningKeySource } from "../../../shared/accounts/access/tokens.ts";
import { providerLetters } from "../../../shared/platform/config/identity-providers.ts";

/** How long somebody may take at a provider. */
export const attemptSeconds = 10 * 60;

const attempt = z.object({
  provider: z.enum(providerLetters),
  checks: z.object({ state: z.string(), nonce: z.string(), codeVerifier: z.string() }),
  /** Where they are to go afterwards: a path of this site, checked when it was asked for and again before it is used. */
  next: z.string().optional(),
  /** Whose account the identity is to be joined to, when they are signed in already, and in which session. */
  joinTo: z.object({ userId: z.int(), session: z.string() }).optional(),
});

/** A log-in through a provider that has begun in a browser, and not ended. */
export type LogInAttempt = z.infer<typeof attempt>;

const type = "log-in-attempt+jwt";
const algorithm = "HS256";

/**
 * Log-ins that have begun are kept by the browser alone, in a cookie: signed, so that nobody but the service can have made it,
 * and of a type of its own, so that it is no access token.
 */
export const createLogInAttempts = (keySource: SigningKeySource) => ({
  seal: async (attempt: LogInAttempt): Promise<string> => {
    const { current } = await keySource.get();
    return new SignJWT({ attempt: attempt })
      .setProtectedHeader({ alg: algorithm, typ: type })
      .setExpirationTime(`${attemptSeconds} s`)
      .sign(current);
  },

  /** The log-in that has begun; `undefined` when it is over, or forged, or there is none. */
  open: async (sealed: string): Promise<LogInAttempt | undefined> => {
    const { accepted } = await keySource.get();
    for (const key of accepted) {
      try {
        const options = { algorithms: [algorithm], typ: type, requiredClaims: ["exp"] };
        const { payload } = await jwtVerify(sealed, key, options);
        return attempt.safeParse(payload["attempt"]).data;
      } catch {
        // Another key may have signed it; a cookie that none has is none.
      }
    }
    return undefined;
  },
});

/** Makes and reads what the browser keeps of a log-in. */
export type LogInAttempts = ReturnType<typeof createLogInAttempts>;
