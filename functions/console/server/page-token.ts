import * as z from "zod";
import type { Scope } from "../../../shared/accounts/access/api-keys.ts";
import { newTokenId, type Tokens } from "../../../shared/accounts/access/tokens.ts";
import type { SignedIn } from "./visit.ts";

/** The token with which a page's script asks the API: only the page's memory holds it. */
export const pageToken = z.object({ access_token: z.string(), expires_in: z.int() });

/** A page that is left open is as good as closed after so long. */
const tokenSeconds = 15 * 60;

/** Makes a token for a page of somebody who is signed in. @param scopes what the page does, and no more. */
export const signPageToken = async (
  { account, session }: SignedIn,
  scopes: readonly Scope[],
  tokens: Pick<Tokens, "sign">,
): Promise<z.input<typeof pageToken>> => {
  const token = { userId: account.id, tokenId: newTokenId(), tokenEpoch: session.tokenEpoch, scopes };
  return { access_token: await tokens.sign(token, tokenSeconds), expires_in: tokenSeconds };
};
