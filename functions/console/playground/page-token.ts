import * as z from "zod";
import type { Scope } from "../../../shared/accounts/access/api-keys.ts";
import { newTokenId, type Tokens } from "../../../shared/accounts/access/tokens.ts";
import type { SignedIn } from "../../../shared/pages/server/visit.ts";

/** The token of a page's script, which holds it in memory only. */
export const pageToken = z.object({ access_token: z.string(), expires_in: z.int() });

const tokenSeconds = 15 * 60;

/** Signs a token for a page of the signed-in account. @param scopes only what the page needs. */
export const signPageToken = async (
  { account, session }: SignedIn,
  scopes: readonly Scope[],
  tokens: Pick<Tokens, "sign">,
): Promise<z.input<typeof pageToken>> => {
  const token = { userId: account.id, tokenId: newTokenId(), tokenEpoch: session.tokenEpoch, scopes };
  return { access_token: await tokens.sign(token, tokenSeconds), expires_in: tokenSeconds };
};
