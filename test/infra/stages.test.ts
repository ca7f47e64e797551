import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { detectsLanguages, mayDistinguishSpeakers } from "../../infra/stage-profiles.ts";
import { logRetentionDays } from "../../infra/stage-settings.ts";
import {
  checkLocalVariables,
  deployedStage,
  explainStage,
  localStage,
  type Variables,
} from "../../infra/stages.ts";
import { synthesize } from "../../infra/synthesize.ts";
import {
  exampleStage,
  testStages,
  withTemporaryDirectory,
  writeStandInBundles,
} from "./synthesized-service.ts";

const settingsOf = (variables: Variables = {}) => exampleStage("prod", variables).settings;

describe("A deployed stage", () => {
  it.each(["dev", "prod"])(
    "requires the address of its models and its mail sender, and says how to set it: %s",
    (name) => {
      expect(() => deployedStage(name, {}, testStages)).toThrow(
        [
          `The stage "${name}" has no CHAT_BASE_URL, the address of the chat models: add the line "CHAT_BASE_URL": "https://models.example.org/v1" to infra/stages/${name}.json, or set the variable CHAT_BASE_URL.`,
          `The stage "${name}" has no MAIL_FROM, the sender of mails: add the line "MAIL_FROM": "Example Languages <no-reply@example.org>" to infra/stages/${name}.json, or set the variable MAIL_FROM.`,
        ].join("\n"),
      );
    },
  );

  it("has settings for everything else", () => {
    const stage = exampleStage("prod");
    expect(stage).toMatchObject({
      name: "prod",
      settings: { TOKEN_LIFETIME_DAYS: 7, AUTHORIZER_CACHE_SECONDS: 0 },
    });
    expect(stage.settings.PUBLIC_BASE_URL).toBeUndefined();
    expect(stage.settings.ALARM_EMAIL).toBeUndefined();
  });

  it("sends nothing unencrypted", () => {
    expect(() => exampleStage("prod", { SPEECH_BASE_URL: "http://gpu.example.org/v1" })).toThrow(
      'The stage "prod" is deployed, so these addresses must start with https://: SPEECH_BASE_URL.',
    );
  });

  it.each([
    [{ IDP_A_ISSUER: "https://accounts.example.org" }, "IDP_A_ISSUER: goes together with IDP_A_CLIENT_ID"],
    [
      { IDP_A_KIND: "oauth2", IDP_A_ISSUER: "https://github.com", IDP_A_CLIENT_ID: "languages" },
      "IDP_A_KIND: oauth2 needs IDP_A_TOKEN_ENDPOINT",
    ],
    [{ IDP_B_TOKEN_ENDPOINT: "https://github.com/token" }, "IDP_B_TOKEN_ENDPOINT: needs IDP_B_KIND oauth2"],
    [{ IDP_A_CLAIMS: "identifier=id" }, "IDP_A_CLAIMS: must be names such as subject=id"],
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
      "these addresses must start with https://: IDP_A_ISSUER",
    ],
  ])("is not deployed with half an identity provider, or an unencrypted one: %j", (settings, complaint) => {
    expect(() => exampleStage("prod", settings)).toThrow(complaint);
  });

  it("shows where each of its settings comes from", () => {
    const variables = { CHAT_BASE_URL: "https://gpu.example.org/v1", MAIL_FROM: "sender@example.org" };
    const explained = new Map(
      explainStage("prod", variables, testStages).map((setting) => [setting.name, setting]),
    );
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
    expect(settingsOf().REMOVAL).toBe("retain");
    expect(exampleStage("dev").settings.REMOVAL).toBe("destroy");
  });

  it("takes the operator's variables instead of its own settings", () => {
    const variables = {
      PUBLIC_BASE_URL: "https://api.example.org",
      CHAT_BASE_URL: "https://gpu.example.org/v1",
      CHAT_MODEL_14B: "fourteen",
      CHAT_MODEL_9B: "nine",
      MAIL_FROM: "sender@example.org",
      ALARM_EMAIL: "operator@example.org",
      MESSAGING_API_URL: "https://graph.example.org",
      MESSAGING_API_VERSION: "v27.0",
      MESSAGING_SIGNATURE_MODE: "log",
      LEGACY_VENDOR_A: "acme",
      LEGACY_VENDOR_B: "other-gpu",
      LEGACY_SUNSET: "2027-03-01",
      LEGACY_PROVIDER_ROUTES: "gone",
    };
    const numbers = {
      CHAT_TIMEOUT_MS: 90_000,
      TOKEN_LIFETIME_DAYS: 0,
      AUTHORIZER_CACHE_SECONDS: 30,
      LIMIT_ANONYMOUS_PER_MINUTE: 70,
      LIMIT_CREDENTIALS_PER_MINUTE: 20,
    };
    const texts = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, String(value)]));
    expect(settingsOf({ ...variables, ...texts })).toMatchObject({ ...variables, ...numbers });
  });

  it("has the defaults that the handbook lists", () => {
    expect(settingsOf()).toMatchObject({
      CHAT_MODELS: [{ name: "chat-14b" }, { name: "chat-9b" }],
      TRANSLATION_MODEL: "chat-9b",
      CONSOLE_LANGUAGES: "en",
      LEGACY_VENDOR_A: "modal",
      LEGACY_VENDOR_B: "runpod",
      LEGACY_SUNSET: "2027-12-01",
      LEGACY_PROVIDER_ROUTES: "answer",
      LIMIT_ANONYMOUS_PER_MINUTE: 50,
      LIMIT_CREDENTIALS_PER_MINUTE: 60,
      MESSAGING_API_URL: "https://graph.facebook.com",
      MESSAGING_API_VERSION: "v26.0",
      MESSAGING_SIGNATURE_MODE: "enforce",
      UNVERIFIED_QUOTA_SHARE: 0.1,
      LIMIT_MULTIPLIER: 1,
      VISITOR_TRIES_PER_DAY: 0,
    });
  });

  const chat = {
    CHAT_BASE_URL: "https://gpu.example.org/v1",
    CHAT_MODEL_9B: "nine",
    CHAT_TIMEOUT_MS: "5000",
  };

  it.each([
    ["TRANSLATION", { model: "nine", timeout: 5_000 }],
    ["TRANSCRIPTION", { model: "stt-51", timeout: 240_000 }],
    ["SPEECH", { model: "tts-3b", timeout: 120_000 }],
  ] as const)("uses the chat server for %s, unless it has another one", (task, { model, timeout }) => {
    expect(settingsOf(chat)).toMatchObject({
      [`${task}_BASE_URL`]: "https://gpu.example.org/v1",
      [`${task}_MODEL`]: model,
      [`${task}_TIMEOUT_MS`]: timeout,
    });
    const own = { [`${task}_BASE_URL`]: "https://other.example.org/v1", [`${task}_MODEL`]: "other" };
    expect(settingsOf({ ...chat, ...own, [`${task}_TIMEOUT_MS`]: "7000" })).toMatchObject({
      ...own,
      [`${task}_TIMEOUT_MS`]: 7_000,
    });
  });

  const servers = [
    { name: "gpu", base_url: "https://gpu.example.org/v1", model_14b: "qwen-14b", model_9b: "qwen-9b" },
    {
      name: "hosted",
      base_url: "https://hosted.example.org/v1",
      model_9b: "their-small",
      order: 2,
      weight: 0.5,
      timeout_ms: 20_000,
    },
  ];
  const listed = { CHAT_BASE_URL: "", CHAT_SERVERS: JSON.stringify(servers) };

  const listedSettings = (variables: Variables = {}) => settingsOf({ ...listed, ...variables });

  it("can have a list of servers in its file", async () => {
    await withTemporaryDirectory(async (folder) => {
      const file = { MAIL_FROM: "sender@example.org", CHAT_SERVERS: servers };
      writeFileSync(join(folder, "prod.json"), JSON.stringify(file));
      const explained = explainStage("prod", {}, folder);
      const sourceOf = (setting: string) => explained.find(({ name }) => name === setting)?.source;
      expect(sourceOf("CHAT_SERVERS")).toBe("infra/stages/prod.json");
      expect(sourceOf("SPEECH_SERVERS")).toBe("as CHAT_SERVERS");
      expect(sourceOf("SPEECH_BASE_URL")).toBe("not set");
    });
  });

  it("can have several servers for a task, which do the others too, with the names and times of those", () => {
    const shared = { base_url: "https://hosted.example.org/v1", name: "hosted", order: 2, weight: 0.5 };
    const { CHAT_SERVERS, TRANSLATION_SERVERS, TRANSCRIPTION_SERVERS, SPEECH_SERVERS } = listedSettings();
    expect(CHAT_SERVERS).toEqual([
      {
        name: "gpu",
        base_url: "https://gpu.example.org/v1",
        models: [{ name: "qwen-14b" }, { name: "qwen-9b" }],
        order: 1,
        weight: 1,
      },
      { ...shared, models: [{}, { name: "their-small" }], timeout_ms: 20_000 },
    ]);
    expect(TRANSLATION_SERVERS?.[1]).toEqual({ ...shared, model: "their-small", timeout_ms: 20_000 });
    expect(TRANSCRIPTION_SERVERS?.[1]).toEqual(shared);
    expect(SPEECH_SERVERS?.[1]).toEqual(shared);
    expect(listedSettings({ TRANSLATION_MODEL: "own" }).TRANSLATION_SERVERS?.[1]).not.toHaveProperty("model");
  });

  it.each([
    [{}, true],
    [{ TRANSCRIPTION_PROFILE: "sample" }, false],
    [{ TRANSCRIPTION_PROFILE: "sample", DIARIZATION_BASE_URL: "https://who.example.org/v1" }, true],
    [
      {
        TRANSCRIPTION_SERVERS: '[{"name":"one","base_url":"https://one.example.org/v1","profile":"sample"}]',
      },
      false,
    ],
    [{ TRANSCRIPTION_SERVERS: '[{"name":"one","base_url":"https://one.example.org/v1"}]' }, true],
  ])("with %j may distinguish speakers: %j", (variables, expected) => {
    expect(mayDistinguishSpeakers(settingsOf({ ...chat, ...variables }), {})).toBe(expected);
  });

  it("detects languages if a profile of its servers says so", () => {
    const profiles = { hearing: { transcription: { detects: true } } };
    const detecting = (profile: string) =>
      detectsLanguages({ ...settingsOf(chat), TRANSCRIPTION_PROFILE: profile }, { profiles });
    expect([detecting("hearing"), detecting("whisper-51")]).toEqual([true, false]);
  });

  it("can have several servers for one task only, or for all others", () => {
    const own = JSON.stringify([{ name: "voices", base_url: "https://voices.example.org/v1" }]);
    const settings = settingsOf({ ...chat, SPEECH_SERVERS: own });
    expect(settings).toMatchObject({ TRANSLATION_BASE_URL: chat.CHAT_BASE_URL });
    expect(settings).not.toHaveProperty("SPEECH_BASE_URL");
    const speech = { SPEECH_BASE_URL: "https://voices.example.org/v1" };
    expect(listedSettings(speech)).toMatchObject(speech);
    expect(listedSettings(speech)).not.toHaveProperty("SPEECH_SERVERS");
  });

  it.each([
    [
      { CHAT_BASE_URL: "https://gpu.example.org/v1" },
      "CHAT_SERVERS: CHAT_SERVERS and CHAT_BASE_URL are both set: CHAT_BASE_URL is the short form for one server, so remove one of them (variable)",
    ],
    [{ CHAT_SERVERS: "gpu" }, "CHAT_SERVERS: must be a list in JSON"],
    [{ CHAT_SERVERS: "{}" }, "CHAT_SERVERS: must be a list of servers, each with a name and a base_url"],
    [{ CHAT_SERVERS: "[]" }, "CHAT_SERVERS: must have a server"],
    [{ CHAT_SERVERS: '[{"name":"gpu"}]' }, "CHAT_SERVERS.0.base_url: must be an address"],
    [
      { CHAT_SERVERS: JSON.stringify([{ ...servers[0], name: "My GPU" }]) },
      "CHAT_SERVERS.0.name: must be a lower-case word",
    ],
    [
      { CHAT_SERVERS: JSON.stringify([servers[0], servers[0]]) },
      "CHAT_SERVERS: must not have two servers of the same name",
    ],
    [
      { CHAT_SERVERS: JSON.stringify([{ ...servers[0], model: "m" }]) },
      'CHAT_SERVERS.0: Unrecognized key: "model"',
    ],
    [
      { CHAT_SERVERS: JSON.stringify([{ ...servers[0], timeout_ms: 120_001 }]) },
      "CHAT_SERVERS: each timeout_ms must be at most 120000",
    ],
    [
      { CHAT_SERVERS: JSON.stringify([{ ...servers[0], base_url: "http://gpu.example.org/v1" }]) },
      "these addresses must start with https://: CHAT_SERVERS",
    ],
    [
      {
        CHAT_SERVERS: JSON.stringify(
          [1, 2, 3, 4].map((number) => ({ ...servers[1], name: `server-${number}` })),
        ),
      },
      "CHAT_SERVERS: all lists of servers together, with those that are the servers of chat, must be at most",
    ],
  ])("refuses servers that are %j, by their setting", (variables, problem) => {
    expect(() => listedSettings(variables)).toThrow(problem);
  });

  it("uses one model for all text when the server has only one", () => {
    const one = { CHAT_MODELS: [{ name: "one" }, { name: "one" }], TRANSLATION_MODEL: "one" };
    expect(settingsOf({ CHAT_MODEL: "one" })).toMatchObject(one);
    expect(settingsOf({ CHAT_MODELS: "one" })).toMatchObject({ ...one, CHAT_MODELS: [{ name: "one" }] });
    expect(settingsOf({ CHAT_MODEL: "one", CHAT_MODEL_14B: "fourteen" })).toMatchObject({
      CHAT_MODELS: [{ name: "fourteen" }, { name: "one" }],
    });
  });

  it.each([
    ["names with commas", "qwen-14b, qwen-9b", [{ name: "qwen-14b" }, { name: "qwen-9b" }]],
    ["a list in JSON", '["qwen-14b", "qwen-9b"]', [{ name: "qwen-14b" }, { name: "qwen-9b" }]],
    [
      "a list with profiles",
      '[{"name": "r1", "profile": "thinks-first"}, "qwen-9b"]',
      [{ name: "r1", profile: "thinks-first" }, { name: "qwen-9b" }],
    ],
  ])("has its chat models in %s", (_form, CHAT_MODELS, models) => {
    const settings = settingsOf({ CHAT_MODELS });
    expect(settings).toMatchObject({ CHAT_MODELS: models, TRANSLATION_MODEL: "qwen-9b" });
  });

  it("understands the settings of earlier versions, and shows what replaces them", () => {
    const earlier = {
      CHAT_MODEL_14B: "fourteen",
      CHAT_MODEL_9B: "nine",
      CHAT_MODEL_14B_THINKS_FIRST: "true",
    };
    expect(settingsOf(earlier).CHAT_MODELS).toEqual([
      { name: "fourteen", profile: "thinks-first" },
      { name: "nine" },
    ]);
    const variables = { ...chat, ...earlier, MAIL_FROM: "sender@example.org" };
    const explained = new Map(explainStage("prod", variables, testStages).map((each) => [each.name, each]));
    expect(explained.get("CHAT_MODEL_14B")).toMatchObject({ note: "replaced by CHAT_MODELS" });
    expect(explained.get("CHAT_MODEL_9B_THINKS_FIRST")?.note).toContain("thinks-first");
    expect(explained.get("CHAT_MODELS")).toMatchObject({
      source: "as CHAT_MODEL_14B, CHAT_MODEL_14B_THINKS_FIRST, CHAT_MODEL_9B",
    });
    expect(explained.get("TRANSLATION_PROFILE")).toMatchObject({
      source: "not set",
      note: "instructed sends what version 2.8.0 sent",
    });
    expect(explained.get("TRANSCRIPTION_PROFILE")?.note).toBe("iso639-3 sends what version 2.8.0 sent");
    expect(explained.get("SPEECH_PROFILE")?.note).toBeUndefined();
  });

  it.each([
    [
      { CHAT_MODELS: "one", CHAT_MODEL_9B: "nine" },
      "CHAT_MODELS and CHAT_MODEL_9B are both set: CHAT_MODELS replaces it, so remove CHAT_MODEL_9B.",
    ],
    [{ CHAT_MODELS: "one,,two" }, "CHAT_MODELS.1: must"],
    [
      { SPEECH_PROFILE: "orpheus" },
      'SPEECH_PROFILE: there is no profile "orpheus"; there are iso639-3, instructed, whisper-51, libretranslate, sample, thinks-first',
    ],
    [
      { TRANSLATION_PROFILE: "whisper-51" },
      'TRANSLATION_PROFILE: the profile "whisper-51" says nothing about translation',
    ],
    [
      { CHAT_MODELS: '[{"name": "one", "profile": "instructed"}]' },
      'CHAT_MODELS: the profile "instructed" says nothing about chat',
    ],
    [
      {
        SPEECH_SERVERS:
          '[{"name": "voices", "base_url": "https://voices.example.org/v1", "profile": "instructed"}]',
      },
      'SPEECH_SERVERS: the profile "instructed" says nothing about speech',
    ],
  ])("is refused with models that are %j", (variables, problem) => {
    expect(() => settingsOf(variables)).toThrow(problem);
  });

  it("uses the profile of a chat server for other tasks where it is about them", () => {
    const [gpu] = servers;
    const listing = JSON.stringify([{ ...gpu, profile: "thinks-first" }]);
    const settings = settingsOf({ CHAT_BASE_URL: "", CHAT_SERVERS: listing });
    expect(settings.TRANSLATION_SERVERS?.[0]).toMatchObject({ profile: "thinks-first", model: "qwen-9b" });
    expect(settings.SPEECH_SERVERS?.[0]).not.toHaveProperty("profile");
  });

  it("has voices of servers that it has", async () => {
    await withTemporaryDirectory(async (folder) => {
      const own = (name: string) => ({ name, base_url: `https://${name}.example.org/v1` });
      const file = { ...chat, MAIL_FROM: "sender@example.org", SPEECH_SERVERS: [own("voices")] };
      const voice = { tag: "nakato", language: "lug", gender: "female", name: "Nakato", model_voice: "7" };
      const voices = { mode: "add", voices: [{ ...voice, model: "vits", server: "other" }] };
      mkdirSync(join(folder, "prod"));
      writeFileSync(join(folder, "prod", "voices.json"), JSON.stringify(voices));
      const write = (servers: object[]) =>
        writeFileSync(join(folder, "prod.json"), JSON.stringify({ ...file, SPEECH_SERVERS: servers }));
      write([own("voices")]);
      expect(() => deployedStage("prod", {}, folder)).toThrow(
        'SPEECH_SERVERS has no server "other", which the voice "nakato" names.',
      );
      write([own("voices"), own("other")]);
      expect(deployedStage("prod", {}, folder).catalogue.voices).toEqual(voices);
    });
  });

  it.each([
    ["UNVERIFIED_QUOTA_SHARE", "0.5", 0.5],
    ["UNVERIFIED_QUOTA_SHARE", "1", 1],
    ["CONSOLE_LANGUAGES", "sw,en", "sw,en"],
    ["VISITOR_TRIES_PER_DAY", "5", 5],
    ["TRANSCRIPTION_TIMEOUT_MS", "270000", 270_000],
  ] as const)("reads %s=%s", (name, text, value) => {
    expect(settingsOf({ [name]: text })[name]).toBe(value);
  });

  it("treats an empty variable as one that is not set", () => {
    expect(exampleStage("prod", { CHAT_MODEL: "", TOKEN_LIFETIME_DAYS: "" })).toEqual(exampleStage("prod"));
  });

  it("must be one that exists", () => {
    expect(() => deployedStage("staging", {}, testStages)).toThrow(
      'There is no stage "staging"; the stages are dev, prod (infra/stages).',
    );
  });

  it.each([
    ["CHAT_BASE_URL", "gpu.example.org", "CHAT_BASE_URL: must be an address"],
    ["CHAT_TIMEOUT_MS", "soon", "CHAT_TIMEOUT_MS"],
    ["CHAT_MODEL_9B_THINKS_FIRST", "perhaps", "CHAT_MODEL_9B_THINKS_FIRST"],
    ["CONSOLE_LANGUAGES", "en,xx", "CONSOLE_LANGUAGES: must be some of en, lg, sw, with commas between them"],
    ...["0", "1.1", "half"].map((share) => [
      "UNVERIFIED_QUOTA_SHARE",
      share,
      "UNVERIFIED_QUOTA_SHARE: must be a number above 0, and at most 1",
    ]),
    ["VISITOR_TRIES_PER_DAY", "-1", "VISITOR_TRIES_PER_DAY: must be a whole number from 0 to 1000"],
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
    ["LIMIT_MULTIPLIER", "0", "LIMIT_MULTIPLIER: must be a whole number from 1 to 1000"],
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
  ])("is refused when %s is %s, by the name of the setting", (variable = "", value = "", setting = "") => {
    expect(() => exampleStage("prod", { [variable]: value })).toThrow(setting);
  });
});

describe("The stage files of this repository", () => {
  const own = readdirSync(new URL("../../infra/stages/", import.meta.url)).map(
    (file) => file.split(".")[0] ?? "",
  );
  const needed = { CHAT_BASE_URL: "https://models.example.org/v1", MAIL_FROM: "sender@example.org" };

  it.each(own.filter((name) => name !== "local"))("have valid settings: %s", (name) => {
    expect(deployedStage(name, needed)).toMatchObject({ name });
  });

  it("include one that needs no settings, and that CloudFormation refuses", async () => {
    const example = deployedStage("example", {});
    await withTemporaryDirectory(async (directory) => {
      const bundles = await writeStandInBundles(join(directory, "bundles"));
      const assembly = await synthesize({ stage: example, bundles, outdir: join(directory, "assembly") });
      for (const name of ["Data", "Api", "Workers", "Monitoring"]) {
        const file = join(assembly.directory, `LanguageAi-example-${name}.template.json`);
        const { Rules } = z
          .object({ Rules: z.record(z.string(), z.unknown()) })
          .parse(JSON.parse(readFileSync(file, "utf8")));
        expect(Rules["CannotBeDeployed"]).toEqual({
          Assertions: [
            {
              Assert: { "Fn::Equals": ["example", "your own stage"] },
              AssertDescription: expect.stringContaining("npx cdk deploy --all -c stage=dev"),
            },
          ],
        });
      }
    });
  });

  it("can be replaced by the handbook's, which keeps the data and releases gradually", async () => {
    const handbook = readFileSync(new URL("../../infra/handbook/configure.md", import.meta.url), "utf8");
    const [, sample = ""] = /complete `prod\.json`:\n\n```json\n(.*?)```/s.exec(handbook) ?? [];
    await withTemporaryDirectory(async (folder) => {
      writeFileSync(join(folder, "prod.json"), sample);
      const { settings } = deployedStage("prod", {}, folder);
      const stored: unknown = JSON.parse(readFileSync(join(testStages, "prod.json"), "utf8"));
      expect(settings.MONTHLY_BUDGET_USD).toBeGreaterThan(0);
      // A new account has a quota of 10 concurrent executions, of which none can be reserved.
      expect(settings.RESERVED_CONCURRENCY).toEqual({});
      const [, later = ""] = /`?json\n {2}("RESERVED_CONCURRENCY": .*)\n```/.exec(handbook) ?? [];
      writeFileSync(join(folder, "prod.json"), sample.replace("{", `{ ${later},`));
      expect(deployedStage("prod", {}, folder).settings.RESERVED_CONCURRENCY).toEqual({
        chat: 300,
        speech: 100,
      });
      expect(settings).toMatchObject({ ...z.record(z.string(), z.unknown()).parse(stored) });
    });
  });
});

describe("The local stage", () => {
  it("calls the model that the README's command names, for both models", () => {
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
    const [, assignments = ""] = /^(CHAT_BASE_URL=.*) npm start$/m.exec(readme) ?? [];
    const variables = Object.fromEntries(assignments.split(" ").map((assignment) => assignment.split("=")));
    expect(localStage(variables).settings).toMatchObject({
      CHAT_BASE_URL: "http://127.0.0.1:8000/v1",
      CHAT_MODELS: [{ name: "my-model" }, { name: "my-model" }],
      TRANSLATION_BASE_URL: "http://127.0.0.1:8000/v1",
      TRANSLATION_MODEL: "my-model",
    });
  });

  const chat = { CHAT_BASE_URL: "http://127.0.0.1:8000/v1" };

  it("is reached on the port it listens on", () => {
    expect(localStage(chat).settings.PUBLIC_BASE_URL).toBe("http://127.0.0.1:3000");
    const named = { ...chat, PUBLIC_BASE_URL: "http://laptop:3000" };
    expect(localStage(named).settings.PUBLIC_BASE_URL).toBe("http://laptop:3000");
  });

  it("is generous to source addresses, because all are 127.0.0.1, and can be as strict as others", () => {
    expect(localStage(chat).settings).toMatchObject({
      LIMIT_ANONYMOUS_PER_MINUTE: 6_000,
      LIMIT_CREDENTIALS_PER_MINUTE: 6_000,
      UNVERIFIED_QUOTA_SHARE: 1,
      LIMIT_MULTIPLIER: 10,
      VISITOR_TRIES_PER_DAY: 3,
    });
    const strict = { ...chat, LIMIT_CREDENTIALS_PER_MINUTE: "10" };
    expect(localStage(strict).settings.LIMIT_CREDENTIALS_PER_MINUTE).toBe(10);
  });

  it("needs to know where the chat models are", () => {
    expect(() => localStage({})).toThrow(
      'The stage "local" has no CHAT_BASE_URL, the address of the chat models',
    );
  });

  it("is checked before there is a server that it could ask", () => {
    expect(() => checkLocalVariables({ CHAT_BASE_URL: "" })).not.toThrow();
    expect(() => checkLocalVariables({ CHAT_TIMEOUT_MS: "soon" })).toThrow("CHAT_TIMEOUT_MS: must be");
  });
});
