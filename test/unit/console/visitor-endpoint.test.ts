import { expect, it, vi } from "vitest";
import { visitorEndpoint } from "../../../functions/console/playground/visitor-endpoint.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";

const unused = () => Promise.reject(new Error("The attempt was refused."));

/** What a visitor gets whose address has no attempts left. */
const ask = (headers: Readonly<Record<string, string>>) => {
  const take = vi.fn(async (_address: string) => Promise.reject(new AppError("quota_exceeded")));
  const { prepare } = visitorEndpoint("https://api.example.com/prod", {
    attempts: { take },
    accounts: { create: unused, find: unused },
    tokens: { sign: unused },
    addresses: { api: "https://api.example.com/prod", stream: "https://stream.example.com" },
    visitorAttemptsPerDay: 3,
  });
  const prepared = prepare({
    id: "request",
    sourceAddress: "203.0.113.7",
    basePath: "",
    headers,
    body: Buffer.from("{}"),
    query: {},
    path: { name: "identify" },
    caller: undefined,
  });
  return { take, response: prepared.execute(new AbortController().signal) };
};

it("The requests of visitors are counted for the address that they come from", async () => {
  const { take, response } = ask({ origin: "https://api.example.com" });
  await expect(response).rejects.toMatchObject({ code: "quota_exceeded" });
  expect(take).toHaveBeenCalledExactlyOnceWith("203.0.113.7", expect.any(AbortSignal));
});

it("Another site cannot use up the requests of its visitors", async () => {
  const { take, response } = ask({ origin: "https://elsewhere.example" });
  await expect(response).rejects.toMatchObject({
    code: "forbidden",
    message: "Send this request from https://api.example.com/prod/console/playground.",
  });
  expect(take).not.toHaveBeenCalled();
});
