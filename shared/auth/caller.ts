import * as z from "zod";
import { accountType } from "../accounts/account.ts";

/** Who is calling, as the authorizer passes it on. API Gateway carries context values as strings. */
export const caller = z.object({
  userId: z.coerce.number().int(),
  username: z.string(),
  accountType,
  tokenId: z.string(),
});
export type Caller = z.infer<typeof caller>;

/** On whose behalf a use case works, and until when. */
export interface RequestContext {
  readonly userId: number;
  readonly signal: AbortSignal;
}
