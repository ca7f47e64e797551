import { expect, it, vi } from "vitest";
import { signPageToken } from "../../../functions/console/playground/page-token.ts";
import { visit } from "./rendered.ts";

it("The token of a page's script ends after fifteen minutes, and does only what the page needs", async () => {
  const sign = vi.fn(async (_token: object, _seconds?: number) => "signed");
  expect(await signPageToken(visit, ["translate"], { sign })).toEqual({
    access_token: "signed",
    expires_in: 900,
  });
  const token = { userId: 7, tokenEpoch: 0, scopes: ["translate"], tokenId: expect.stringMatching(/./) };
  expect(sign).toHaveBeenCalledExactlyOnceWith(token, 900);
});
