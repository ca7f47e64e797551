import * as z from "zod";
import type { AccountType } from "../accounts/account.ts";
import type { TokenClaims } from "./tokens.ts";

/** A token's claims as the authorizer passes them on. API Gateway carries context values as strings. */
export const tokenContext = z.object({
  userId: z.coerce.number().int(),
  tokenId: z.string(),
  tokenEpoch: z.coerce.number().int(),
  tokenExpiresAt: z.coerce.number().int().optional(),
}) satisfies z.ZodType<TokenClaims>;

/** Who is calling: the holder of a token that stands, admitted with this request. */
export interface Caller extends TokenClaims {
  readonly accountType: AccountType;
}

/** On whose behalf a use case works, and until when. */
export interface RequestContext {
  readonly userId: number;
  readonly signal: AbortSignal;
}
