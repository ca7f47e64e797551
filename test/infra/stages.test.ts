import { readFileSync } from "node:fs";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import { describe, expect, it } from "vitest";
import { logRetentionDays } from "../../infra/stage-settings.ts";
import { checkLocalVariables, deployedStage, explainStage, localStage } from "../../infra/stages.ts";
import { exampleStage } from "./synthesized-service.ts";

describe("A deployed stage", () => {
  it.each(["dev", "prod"])(
    "requires the address of its models and its mail sender, and says how to set it: %s",
    (name) => {
      expect(() => deployedStage(name, {})).toThrow(
        [
          `The stage "${name}" does not say where the chat models are: add the line "CHAT_BASE_URL": "https://models.example.org/v1" to infra/stages/${name}.json, or set the variable CHAT_BASE_URL.`,
          `The stage "${name}" does not say in whose name mails are sent: add the line "MAIL_FROM": "Example Languages <no-reply@example.org>" to infra/stages/${name}.json, or set the variable MAIL_FROM.`,
        ].join("\n"),
      );
    },
  );

  it("has settings for everything else", () => {
    const stage = exampleStage("prod");
    expect(stage).toMatchObject({ name: "prod", tokenLifetimeDays: 7, authorizerCacheSeconds: 0 });
    expect(stage.publicBaseUrl).toBeUndefined();
    expect(stage.alarmEmail).toBeUndefined();
  });

  it("sends nothing unencrypted", () => {
    expect(() => exampleStage("prod", { SPEECH_BASE_URL: "http://gpu.example.org/v1" })).toThrow(
      'The stage "prod" is deployed, so these addresses must begin with https://: SPEECH_BASE_URL.',
    );
  });

  it("offers the configured identity providers, by default under the name of their host", () => {
    expect(exampleStage("prod").identityProviders).toEqual([]);
    const settings = {
      IDP_A_ISSUER: "https://accounts.example.org",
      IDP_A_CLIENT_ID: "languages",
      IDP_B_NAME: "University",
      IDP_B_ISSUER: "https://id.example.ac.ug/realms/staff",
      IDP_B_CLIENT_ID: "lai",
    };
    expect(exampleStage("prod", settings).identityProviders).toEqual([
      { letter: "a", name: "accounts.example.org", issuer: settings.IDP_A_ISSUER, clientId: "languages" },
      { letter: "b", name: "University", issuer: settings.IDP_B_ISSUER, clientId: "lai" },
    ]);
  });

  it.each([
    [{ IDP_A_ISSUER: "https://accounts.example.org" }, "IDP_A_ISSUER: goes together with IDP_A_CLIENT_ID"],
    [
      { IDP_B_ISSUER: "http://accounts.example.org", IDP_B_CLIENT_ID: "languages" },
      "IDP_B_ISSUER: must begin with https://, unless it is on this machine",
    ],
    [
      { IDP_A_ISSUER: "http://127.0.0.1.example.org", IDP_A_CLIENT_ID: "languages" },
      "IDP_A_ISSUER: must begin with https://, unless it is on this machine",
    ],
    [
      { IDP_A_ISSUER: "http://127.0.0.1:3004", IDP_A_CLIENT_ID: "languages" },
      "these addresses must begin with https://: IDP_A_ISSUER",
    ],
  ])("is not deployed with half an identity provider, or an unencrypted one: %j", (settings, complaint) => {
    expect(() => exampleStage("prod", settings)).toThrow(complaint);
  });

  it("shows where each of its settings comes from", () => {
    const variables = { CHAT_BASE_URL: "https://gpu.example.org/v1", MAIL_FROM: "sender@example.org" };
    const explained = new Map(explainStage("prod", variables).map((setting) => [setting.name, setting]));
    expect(explained.get("MAIL_FROM")).toMatchObject({ value: "sender@example.org", source: "variable" });
    expect(explained.get("REMOVAL")).toMatchObject({ value: "retain", source: "infra/stages/prod.json" });
    expect(explained.get("SPEECH_BASE_URL")).toMatchObject({
      value: "https://gpu.example.org/v1",
      source: "as CHAT_BASE_URL",
    });
    expect(explained.get("TOKEN_LIFETIME_DAYS")).toMatchObject({ value: 7, source: "default" });
    expect(explained.get("ALARM_EMAIL")).toMatchObject({ value: undefined, source: "not set" });
  });

  it("can keep logs for as long as CloudWatch can", () => {
    const days = Object.values(RetentionDays).filter((value) => typeof value === "number" && value !== 9999);
    expect([...logRetentionDays]).toEqual(days);
  });

  it("keeps its data in production and throws it away in development", () => {
    expect(exampleStage("prod").removal).toBe("retain");
    expect(exampleStage("dev").removal).toBe("destroy");
  });

  it("takes the operator's variables instead of its own settings", () => {
    const stage = exampleStage("prod", {
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

  it("translates with the smaller chat model on the chat server, unless set otherwise", () => {
    const chat = {
      CHAT_BASE_URL: "https://gpu.example.org/v1",
      CHAT_MODEL_9B: "nine",
      CHAT_TIMEOUT_MS: "5000",
    };
    expect(exampleStage("prod", chat).inference.translation).toEqual({
      baseUrl: "https://gpu.example.org/v1",
      model: "nine",
      timeoutMilliseconds: 5_000,
    });
    const translation = {
      TRANSLATION_BASE_URL: "https://translation.example.org/v1",
      TRANSLATION_MODEL: "translator",
      TRANSLATION_TIMEOUT_MS: "7000",
    };
    expect(exampleStage("prod", { ...chat, ...translation }).inference.translation).toEqual({
      baseUrl: "https://translation.example.org/v1",
      model: "translator",
      timeoutMilliseconds: 7_000,
    });
  });

  it("asks one model for everything that is written when the server has only one", () => {
    const { inference } = exampleStage("prod", { CHAT_MODEL: "one" });
    expect(inference.chat.models).toEqual({ "14b": "one", "9b": "one" });
    expect(inference.translation.model).toBe("one");
    const two = exampleStage("prod", { CHAT_MODEL: "one", CHAT_MODEL_14B: "fourteen" });
    expect(two.inference.chat.models).toEqual({ "14b": "fourteen", "9b": "one" });
  });

  it("takes it for said which models think first", () => {
    expect(exampleStage("prod").inference.chat.thinksFirst).toEqual({ "14b": false, "9b": false });
    const given = { CHAT_MODEL_14B_THINKS_FIRST: "true", CHAT_MODEL_9B_THINKS_FIRST: "false" };
    expect(exampleStage("prod", given).inference.chat.thinksFirst).toEqual({ "14b": true, "9b": false });
    expect(() => exampleStage("prod", { CHAT_MODEL_9B_THINKS_FIRST: "perhaps" })).toThrow(
      "CHAT_MODEL_9B_THINKS_FIRST",
    );
  });

  it("synthesises speech on the chat server, unless set otherwise", () => {
    const chat = { CHAT_BASE_URL: "https://gpu.example.org/v1", CHAT_TIMEOUT_MS: "5000" };
    expect(exampleStage("prod", chat).inference.speech).toEqual({
      baseUrl: "https://gpu.example.org/v1",
      model: "tts-3b",
      platform: "language-ai",
      timeoutMilliseconds: 120_000,
    });
    const speech = {
      SPEECH_BASE_URL: "https://speech.example.org/v1",
      SPEECH_MODEL: "speaker",
      SPEECH_PLATFORM: "our-gpu",
      SPEECH_TIMEOUT_MS: "7000",
    };
    expect(exampleStage("prod", { ...chat, ...speech }).inference.speech).toEqual({
      baseUrl: "https://speech.example.org/v1",
      model: "speaker",
      platform: "our-gpu",
      timeoutMilliseconds: 7_000,
    });
  });

  it("replies as the messaging platform expects and refuses unsigned deliveries, unless set otherwise", () => {
    expect(exampleStage("prod").messaging).toEqual({
      apiUrl: "https://graph.facebook.com",
      apiVersion: "v26.0",
      signatureMode: "enforce",
    });
    const variables = {
      MESSAGING_API_URL: "https://graph.example.org",
      MESSAGING_API_VERSION: "v27.0",
      MESSAGING_SIGNATURE_MODE: "log",
    };
    expect(exampleStage("prod", variables).messaging).toEqual({
      apiUrl: "https://graph.example.org",
      apiVersion: "v27.0",
      signatureMode: "log",
    });
  });

  it("limits source addresses strictly, unless set otherwise", () => {
    expect(exampleStage("prod").limits).toMatchObject({ anonymousPerMinute: 50, credentialsPerMinute: 10 });
    const variables = { LIMIT_ANONYMOUS_PER_MINUTE: "70", LIMIT_CREDENTIALS_PER_MINUTE: "20" };
    expect(exampleStage("prod", variables).limits).toMatchObject({
      anonymousPerMinute: 70,
      credentialsPerMinute: 20,
    });
  });

  it("gives a tenth of the quota to accounts with an unverified address, unless set otherwise", () => {
    const shareOf = (share: string) =>
      exampleStage("prod", { UNVERIFIED_QUOTA_SHARE: share }).limits.unverifiedQuotaShare;
    expect(exampleStage("prod").limits.unverifiedQuotaShare).toBe(0.1);
    expect([shareOf("0.5"), shareOf("1")]).toEqual([0.5, 1]);
    for (const share of ["0", "1.1", "half"]) {
      expect(() => shareOf(share)).toThrow("UNVERIFIED_QUOTA_SHARE: must be a number above 0, and at most 1");
    }
  });

  it("offers the console in English, and drafts in other languages only where set", () => {
    expect(exampleStage("prod").consoleLanguages).toBe("en");
    expect(exampleStage("prod", { CONSOLE_LANGUAGES: "sw,en" }).consoleLanguages).toBe("sw,en");
    expect(() => exampleStage("prod", { CONSOLE_LANGUAGES: "en,xx" })).toThrow(
      "CONSOLE_LANGUAGES: must be some of en, lg, sw, with commas between them",
    );
  });

  it("lets no one try models without an account, unless set otherwise", () => {
    const attemptsOf = (attempts: string) =>
      exampleStage("prod", { VISITOR_TRIES_PER_DAY: attempts }).limits.visitorAttemptsPerDay;
    expect(exampleStage("prod").limits.visitorAttemptsPerDay).toBe(0);
    expect(attemptsOf("5")).toBe(5);
    expect(() => attemptsOf("-1")).toThrow("VISITOR_TRIES_PER_DAY: must be a whole number from 0 to 1000");
  });

  it("transcribes on the chat server with a model of its own, unless set otherwise", () => {
    const chat = { CHAT_BASE_URL: "https://gpu.example.org/v1", CHAT_TIMEOUT_MS: "5000" };
    expect(exampleStage("prod", chat).inference.transcription).toEqual({
      baseUrl: "https://gpu.example.org/v1",
      model: "stt-51",
      timeoutMilliseconds: 240_000,
    });
    const transcription = {
      TRANSCRIPTION_BASE_URL: "https://transcription.example.org/v1",
      TRANSCRIPTION_MODEL: "recogniser",
      TRANSCRIPTION_TIMEOUT_MS: "270000",
    };
    expect(exampleStage("prod", { ...chat, ...transcription }).inference.transcription).toEqual({
      baseUrl: "https://transcription.example.org/v1",
      model: "recogniser",
      timeoutMilliseconds: 270_000,
    });
  });

  it("serves the deprecated routes until December 2026 under the names in the contracts, unless set otherwise", () => {
    expect(exampleStage("prod").legacy).toEqual({
      vendors: { a: "modal", b: "runpod" },
      sunset: "2026-12-01",
      providerRoutes: "answer",
    });
    const variables = {
      LEGACY_VENDOR_A: "acme",
      LEGACY_VENDOR_B: "other-gpu",
      LEGACY_SUNSET: "2027-03-01",
      LEGACY_PROVIDER_ROUTES: "gone",
    };
    expect(exampleStage("prod", variables).legacy).toEqual({
      vendors: { a: "acme", b: "other-gpu" },
      sunset: "2027-03-01",
      providerRoutes: "gone",
    });
  });

  it("treats an empty variable as one that is not set", () => {
    expect(exampleStage("prod", { CHAT_MODEL: "", TOKEN_LIFETIME_DAYS: "" })).toEqual(exampleStage("prod"));
  });

  it("must be one that exists", () => {
    expect(() => deployedStage("staging", {})).toThrow(
      'There is no stage "staging"; the stages are dev, prod (infra/stages).',
    );
  });

  it.each([
    ["CHAT_BASE_URL", "gpu.example.org", "CHAT_BASE_URL: must be an address"],
    ["CHAT_TIMEOUT_MS", "soon", "CHAT_TIMEOUT_MS"],
    [
      "TRANSLATION_TIMEOUT_MS",
      "150000",
      "TRANSLATION_TIMEOUT_MS: must be a whole number from 1 to 120000 (variable)",
    ],
    ["TRANSCRIPTION_TIMEOUT_MS", "270001", "TRANSCRIPTION_TIMEOUT_MS"],
    ["TOKEN_LIFETIME_DAYS", "-1", "TOKEN_LIFETIME_DAYS"],
    ["AUTHORIZER_CACHE_SECONDS", "3601", "AUTHORIZER_CACHE_SECONDS"],
    ["LIMIT_ANONYMOUS_PER_MINUTE", "0", "LIMIT_ANONYMOUS_PER_MINUTE: must be a whole number from 1"],
    ["LIMIT_CREDENTIALS_PER_MINUTE", "few", "LIMIT_CREDENTIALS_PER_MINUTE"],
    ["LEGACY_VENDOR_A", "Acme/x", "LEGACY_VENDOR_A"],
    ["LEGACY_VENDOR_B", "modal", "LEGACY_VENDOR_B: must be another name"],
    ["LEGACY_SUNSET", "soon", "LEGACY_SUNSET"],
    ["LEGACY_SUNSET", "2026-05-31", "LEGACY_SUNSET"],
    ["LEGACY_PROVIDER_ROUTES", "maybe", "LEGACY_PROVIDER_ROUTES"],
    ["MAIL_FROM", "nobody", "MAIL_FROM"],
    ["MESSAGING_API_VERSION", "26", "MESSAGING_API_VERSION"],
    ["MESSAGING_SIGNATURE_MODE", "maybe", "MESSAGING_SIGNATURE_MODE"],
    ["ALARM_EMAIL", "nobody", "ALARM_EMAIL"],
    ["REMOVAL", "keep", "REMOVAL"],
    ["LOG_RETENTION_DAYS", "8", "LOG_RETENTION_DAYS"],
    ["THROTTLING_BURST", "0", "THROTTLING_BURST"],
  ])("is refused when %s is %s, by the name of the setting", (variable, value, setting) => {
    expect(() => exampleStage("prod", { [variable]: value })).toThrow(setting);
  });
});

describe("The local stage", () => {
  it("calls the model that the README's command names, for both of ours", () => {
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
    const [, assignments = ""] = /^(CHAT_BASE_URL=.*) npm start$/m.exec(readme) ?? [];
    const variables = Object.fromEntries(assignments.split(" ").map((assignment) => assignment.split("=")));
    const { inference } = localStage(variables);
    expect(inference.chat).toMatchObject({
      baseUrl: "http://127.0.0.1:8000/v1",
      models: { "14b": "my-model", "9b": "my-model" },
    });
    expect(inference.translation).toMatchObject({ baseUrl: "http://127.0.0.1:8000/v1", model: "my-model" });
  });

  const chat = { CHAT_BASE_URL: "http://127.0.0.1:8000/v1" };

  it("is reached on the port it listens on", () => {
    expect(localStage(chat).publicBaseUrl).toBe("http://127.0.0.1:3000");
    expect(localStage({ ...chat, PUBLIC_BASE_URL: "http://laptop:3000" }).publicBaseUrl).toBe(
      "http://laptop:3000",
    );
  });

  it("is generous to source addresses, because all are 127.0.0.1, and can be as strict as other stages", () => {
    expect(localStage(chat).limits).toEqual({
      anonymousPerMinute: 6_000,
      credentialsPerMinute: 6_000,
      unverifiedQuotaShare: 1,
      visitorAttemptsPerDay: 3,
    });
    expect(localStage({ ...chat, LIMIT_CREDENTIALS_PER_MINUTE: "10" }).limits.credentialsPerMinute).toBe(10);
  });

  it("needs to know where the chat models are", () => {
    expect(() => localStage({})).toThrow('The stage "local" does not say where the chat models are');
  });

  it("is checked before there is a server that it could ask", () => {
    expect(() => checkLocalVariables({ CHAT_BASE_URL: "" })).not.toThrow();
    expect(() => checkLocalVariables({ CHAT_TIMEOUT_MS: "soon" })).toThrow("CHAT_TIMEOUT_MS: must be");
  });
});
