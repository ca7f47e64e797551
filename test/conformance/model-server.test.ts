import { beforeAll, describe, expect, it } from "vitest";
import { call, sharedAccount } from "../support/client.ts";

let token: string;
beforeAll(async () => {
  ({ token } = await sharedAccount());
});

const messages = [{ role: "user", content: "How do you say 'thank you' in Acholi?" }];

describe("the server of a model", () => {
  it.each([
    ["/tasks/translate", { source_language: "eng", target_language: "lug", text: "How are you?" }],
    ["/tasks/chat/completions", { messages }],
    ["/tasks/chat/completions", { messages, stream: true }],
    ["/v1/chat/completions", { model: "lang-9b", messages }],
    ["/tasks/audio/speech", { text: "Wasuze otya nno?", response_mode: "stream" }],
  ])("is named by a response of %s to %j, for scripts of any site", async (path, body) => {
    const { status, headers } = await call(path, { method: "POST", token, body });
    expect(status).toBe(200);
    expect(headers.get("x-model-server")).toMatch(/^[a-z][a-z0-9-]*$/);
    expect(headers.get("access-control-expose-headers")).toContain("X-Model-Server");
  });

  it.each([
    ["that calls none", "/tasks/language_id", { text: "Wasuze otya nno?" }, 200],
    [
      "that is refused",
      "/tasks/translate",
      { source_language: "eng", target_language: "eng", text: "Hi" },
      400,
    ],
  ])("is not named by a response to a request %s", async (_which, path, body, expected) => {
    const { status, headers } = await call(path, { method: "POST", token, body });
    expect(status).toBe(expected);
    expect(headers.has("x-model-server")).toBe(false);
  });
});
