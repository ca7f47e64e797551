import { describe, expect, it } from "vitest";
import { deployedStage, localStage } from "../../infra/stages.ts";

describe("A deployed stage", () => {
  it.each(["dev", "prod"])("has complete settings without any variable: %s", (name) => {
    const stage = deployedStage(name, {});
    expect(stage).toMatchObject({ name, tokenLifetimeDays: 7, authorizerCacheSeconds: 0 });
    expect(stage.publicBaseUrl).toBeUndefined();
    expect(stage.alarmEmail).toBeUndefined();
  });

  it("keeps its data in production and throws it away in development", () => {
    expect(deployedStage("prod", {}).removal).toBe("retain");
    expect(deployedStage("dev", {}).removal).toBe("destroy");
  });

  it("takes the operator's variables instead of its own settings", () => {
    const stage = deployedStage("prod", {
      PUBLIC_BASE_URL: "https://api.example.org",
      CHAT_BASE_URL: "https://gpu.example.org/v1",
      CHAT_MODEL_14B: "fourteen",
      CHAT_MODEL_9B: "nine",
      CHAT_TIMEOUT_MS: "90000",
      TOKEN_LIFETIME_DAYS: "0",
      AUTHORIZER_CACHE_SECONDS: "30",
      MAIL_FROM: "sender@example.org",
      ALARM_EMAIL: "operator@example.org",
    });
    expect(stage).toMatchObject({
      publicBaseUrl: "https://api.example.org",
      inference: {
        chat: {
          baseUrl: "https://gpu.example.org/v1",
          models: { "14b": "fourteen", "9b": "nine" },
          timeoutMilliseconds: 90_000,
        },
      },
      tokenLifetimeDays: 0,
      authorizerCacheSeconds: 30,
      mailFrom: "sender@example.org",
      alarmEmail: "operator@example.org",
    });
  });

  it("translates with the smaller chat model on the chat server, unless told otherwise", () => {
    const chat = {
      CHAT_BASE_URL: "https://gpu.example.org/v1",
      CHAT_MODEL_9B: "nine",
      CHAT_TIMEOUT_MS: "5000",
    };
    expect(deployedStage("prod", chat).inference.translation).toEqual({
      baseUrl: "https://gpu.example.org/v1",
      model: "nine",
      timeoutMilliseconds: 5_000,
    });
    const translation = {
      TRANSLATION_BASE_URL: "https://translation.example.org/v1",
      TRANSLATION_MODEL: "translator",
      TRANSLATION_TIMEOUT_MS: "7000",
    };
    expect(deployedStage("prod", { ...chat, ...translation }).inference.translation).toEqual({
      baseUrl: "https://translation.example.org/v1",
      model: "translator",
      timeoutMilliseconds: 7_000,
    });
  });

  it("treats an empty variable as one that is not set", () => {
    expect(deployedStage("prod", { CHAT_BASE_URL: "", TOKEN_LIFETIME_DAYS: "" })).toEqual(
      deployedStage("prod", {}),
    );
  });

  it("must be one that exists", () => {
    expect(() => deployedStage("staging", {})).toThrow(
      'There is no stage "staging"; the stages are dev, prod.',
    );
  });

  it.each([
    ["CHAT_BASE_URL", "gpu.example.org", "inference.chat.baseUrl"],
    ["CHAT_TIMEOUT_MS", "soon", "CHAT_TIMEOUT_MS"],
    ["TRANSLATION_TIMEOUT_MS", "150000", "inference.translation.timeoutMilliseconds"],
    ["TOKEN_LIFETIME_DAYS", "-1", "tokenLifetimeDays"],
    ["AUTHORIZER_CACHE_SECONDS", "3601", "authorizerCacheSeconds"],
    ["MAIL_FROM", "nobody", "mailFrom"],
    ["ALARM_EMAIL", "nobody", "alarmEmail"],
  ])("is refused when %s is %s, by the name of the setting", (variable, value, setting) => {
    expect(() => deployedStage("prod", { [variable]: value })).toThrow(setting);
  });
});

describe("The local stage", () => {
  const chat = { CHAT_BASE_URL: "http://127.0.0.1:8000/v1" };

  it("is reached on the port it listens on", () => {
    expect(localStage(chat).publicBaseUrl).toBe("http://127.0.0.1:3000");
    expect(localStage({ ...chat, PORT: "4000" }).publicBaseUrl).toBe("http://127.0.0.1:4000");
    expect(localStage({ ...chat, PUBLIC_BASE_URL: "http://laptop:3000" }).publicBaseUrl).toBe(
      "http://laptop:3000",
    );
  });

  it("needs to know where the chat models are", () => {
    expect(() => localStage({})).toThrow("CHAT_BASE_URL is not set");
  });
});
