import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createTokenSource } from "../../../shared/pages/client/parts/token.ts";

const { signal } = new AbortController();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Tokens of a service that numbers them. */
const open = () => {
  const fetched = vi.fn(async (_url: string, _init: RequestInit) =>
    Response.json({ access_token: `token ${fetched.mock.calls.length}`, expires_in: 900 }),
  );
  vi.stubGlobal("fetch", fetched);
  return { fetched, freshToken: createTokenSource("https://example.com/token", "proof") };
};

describe("The token of a page", () => {
  it("is used again until half a minute before it expires", async () => {
    const { fetched, freshToken } = open();
    expect(await freshToken(signal)).toBe("token 1");
    vi.setSystemTime(Date.now() + 869_000);
    expect(await freshToken(signal)).toBe("token 1");
    vi.setSystemTime(Date.now() + 2_000);
    expect(await freshToken(signal)).toBe("token 2");
    expect(fetched).toHaveBeenCalledTimes(2);
  });

  it("is requested again after a refusal, which the page gets", async () => {
    const { fetched, freshToken } = open();
    fetched.mockResolvedValueOnce(new Response(undefined, { status: 401 }));
    expect(await freshToken(signal)).toMatchObject({ status: 401 });
    expect(await freshToken(signal)).toMatch(/^token/);
  });
});
