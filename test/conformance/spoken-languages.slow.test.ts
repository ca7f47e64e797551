import { randomUUID } from "node:crypto";
import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createV1TranscriptionOperation } from "../../functions/transcription/v1/contract.ts";
import { findLanguage, shortestCode } from "../../shared/platform/catalogue/languages.ts";
import type { TestAccount } from "../support/api-client.ts";
import { basePath } from "../support/client.ts";
import { FormVisitor } from "../support/form-visitor.ts";
import { formData, formFile } from "../support/multipart.ts";
import { type OwnService, startOwnService } from "../support/own-service.ts";
import {
  type SpokenLanguage,
  type SpokenRecording,
  sentencesIn,
  speakAll,
  spokenLanguages,
  startObedientTranscriber,
} from "../support/spoken-languages.ts";

const languages = ["eng", "lug", "swa"];

/** How many recordings there are in each language, and how many that change: from each to each of the others. */
const each = 10;

/** Of four sentences. */
const passages = spokenLanguages.flatMap((language) =>
  Array.from({ length: each }, (_, index) =>
    sentencesIn(language, index * 3, 4).map((text) => ({ language, text })),
  ),
);

const changes: readonly [SpokenLanguage, SpokenLanguage][] = Array.from({ length: each }, (_, index) => {
  const from = spokenLanguages[index % 3] ?? "eng";
  const to = spokenLanguages[(index + 1 + (index % 2)) % 3] ?? "lug";
  return [from, to];
});
const changing = changes.map(([from, to], index) =>
  [from, to].flatMap((language) => sentencesIn(language, index * 3, 4).map((text) => ({ language, text }))),
);

let recordings: SpokenRecording[];
let transcriber: Awaited<ReturnType<typeof startObedientTranscriber>>;
let service: OwnService;
let account: TestAccount;
let token: string;
beforeAll(async () => {
  recordings = await speakAll([...passages, ...changing]);
  transcriber = await startObedientTranscriber(recordings);
  service = await startOwnService({ BASE_PATH: basePath, TRANSCRIPTION_BASE_URL: transcriber.baseUrl });
});
afterAll(async () => {
  await service?.close();
  await transcriber?.close();
});
beforeEach(async () => {
  // Each account has a limit of requests a minute.
  account = await service.client.createAccount();
  token = account.token;
  transcriber.requested.length = 0;
});

const openai = () => new OpenAI({ apiKey: token, baseURL: `${service.running().url}/v1`, maxRetries: 0 });

const fileOf = (index: number) => toFile(recordings[index]?.file ?? Buffer.alloc(0), "recording.wav");

const lengthOf = (index: number): number => recordings[index]?.sentences.at(-1)?.end ?? 0;

const codeOf = (language: string): string => {
  const found = findLanguage(language);
  return found ? shortestCode(found) : language;
};

const setLanguages = (body: object) => service.client.call("/auth/profile", { method: "PUT", token, body });

/** As the client of OpenAI sends it; its types do not know `languages` yet. */
const transcribe = (index: number, fields: object) =>
  service.client.call("/v1/audio/transcriptions", {
    token,
    body: formData({
      file: formFile(recordings[index]?.file ?? Buffer.alloc(0)),
      model: "whisper-1",
      response_format: "verbose_json",
      ...fields,
    }),
  });

describe("a recording whose language is one of three", () => {
  it.each(spokenLanguages)("is found to be in %s", async (spoken) => {
    const found: string[] = [];
    for (const [index, passage] of passages.entries()) {
      if (passage[0]?.language !== spoken) continue;
      const { status, body } = await transcribe(index, { "languages[]": languages });
      expect(status).toBe(200);
      found.push(
        body.language === codeOf(spoken) && body.text === passage.map(({ text }) => text).join(" ")
          ? spoken
          : body.language,
      );
    }
    expect(found).toEqual(Array.from({ length: each }, () => spoken));
  });

  it("has the language of each segment where it changes in the middle", async () => {
    const found: unknown[] = [];
    for (const index of changes.keys()) {
      const { body } = await transcribe(passages.length + index, { "languages[]": languages });
      found.push(body.segments.map(({ language }: { language: string }) => language));
    }
    expect(found).toEqual(
      changes.map(([from, to]) =>
        [from, to].flatMap((code) => Array.from({ length: 4 }, () => codeOf(code))),
      ),
    );
  });
});

describe("a job without a language", () => {
  const resultOf = async (index: number, fields: object) => {
    const { client } = service;
    const file = recordings[index]?.file ?? Buffer.alloc(0);
    const { id } = await client.startJob(
      file,
      { type: "transcription", timestamps: true, ...fields },
      { token },
    );
    const { body: job } = await client.whenOver(id, token);
    return { job, result: await client.send(`/tasks/jobs/${id}/result`, { token }), id };
  };

  it("is in the language that is found among its candidates, or among the account's", async () => {
    await setLanguages({ default_languages: ["eng", "lug"] });
    const { job, result } = await resultOf(each, {});
    expect([job.status, job.language, result.language]).toEqual(["completed", "lug", "lug"]);
    expect(result.text).toBe(passages[each]?.map(({ text }) => text).join(" "));
    expect(result.segments[0]).not.toHaveProperty("language");
    expect(new Set(transcriber.requested)).toEqual(new Set(["en", "lg"]));
  });

  it("has the language of each segment where it changes, also on its page", async () => {
    const { result, id } = await resultOf(passages.length, { languages });
    const spoken = changing[0]?.map(({ language }) => language);
    expect(result.segments.map(({ language }: { language: string }) => language)).toEqual(spoken);
    expect(spoken).toContain(result.language);
    const visitor = new FormVisitor(service.running().url);
    await visitor.logIn(account);
    const { html } = await visitor.open(`/console/recordings/${id}`);
    expect(html).toContain('<span lang="lg"><b class="hint">Luganda </b>');
  });

  it("is refused with targets, and without anything that names a language", async () => {
    const create = (fields: object) =>
      service.client.call("/tasks/jobs", {
        token,
        body: { type: "transcription", file_id: randomUUID(), ...fields },
      });
    const targets = [{ language: "eng", format: "srt" }];
    for (const fields of [{}, { languages, targets }]) {
      expect(await create(fields)).toMatchObject({
        status: 400,
        body: { error: { code: "language_required", param: "language" } },
      });
    }
  });
});

describe("the languages of a recording", () => {
  it("are taken from languages[] as the SDK of OpenAI sends it, and in usage", async () => {
    const request = { file: await fileOf(0), model: "whisper-1", languages: ["en", "lug"] };
    const heard = await openai().audio.transcriptions.create(request);
    expect(heard).toMatchObject({ language: "en", text: passages[0]?.map(({ text }) => text).join(" ") });
    const seconds = lengthOf(0);
    expect(heard.usage).toEqual({ type: "duration", seconds: expect.closeTo(2 * seconds, 1) });
    expect(transcriber.requested.toSorted()).toEqual(["en", "lg"]);
  });

  it("cost one call, and no more seconds, when the request names one", async () => {
    for (const fields of [{ language: "lug" }, { model: "stt-51:lug" }, { languages: "lug" }]) {
      transcriber.requested.length = 0;
      const { body } = await transcribe(0, {
        ...fields,
        "languages[]": fields.languages ? undefined : languages,
      });
      expect(transcriber.requested).toEqual(["lg"]);
      expect(body.usage.seconds).toBeCloseTo(lengthOf(0), 1);
    }
  });

  it("are those of the request, then the account's language, then the account's languages", async () => {
    await setLanguages({ default_languages: ["English", "lug"] });
    expect((await transcribe(0, {})).body.language).toBe("en");
    expect(new Set(transcriber.requested)).toEqual(new Set(["en", "lg"]));
    await setLanguages({ default_language: "swa" });
    transcriber.requested.length = 0;
    expect((await transcribe(0, {})).body.language).toBe("sw");
    expect(transcriber.requested).toEqual(["sw"]);
    expect((await transcribe(0, { languages: ["lug", "eng"] })).body.language).toBe("en");
    expect(new Set(transcriber.requested)).toEqual(new Set(["en", "lg", "sw"]));
    const removed = await setLanguages({ default_language: "", default_languages: [] });
    expect(removed.body).not.toHaveProperty("default_language");
    expect((await transcribe(0, {})).body.error).toMatchObject({
      code: "language_required",
      message: expect.stringMatching(/`language`.*`languages`.*`default_languages`/),
    });
  });

  it("are at most three where no server detects them", async () => {
    const { status, body } = await transcribe(0, { languages: [...languages, "ach"] });
    expect([status, body.error.param, body.error.message]).toEqual([
      400,
      "languages",
      expect.stringContaining("three"),
    ]);
    expect(transcriber.requested).toEqual([]);
    expect(createV1TranscriptionOperation.errors).toContain(body.error.code);
  });

  it("are found in the form of POST /tasks/auto_detect_audio_language", async () => {
    const detect = (fields: object) =>
      service.client.call("/tasks/auto_detect_audio_language", {
        token,
        body: formData({ audio: formFile(recordings[each + 1]?.file ?? Buffer.alloc(0)), ...fields }),
      });
    const { error } = (await detect({})).body;
    expect([error.code, error.param]).toEqual(["language_required", "languages"]);
    expect(error.message).not.toMatch(/`language`|stt-51/);
    expect(await detect({ languages })).toMatchObject({ status: 200, body: { detected_language: "lug" } });
    await setLanguages({ default_languages: languages });
    expect((await detect({})).body).toEqual({ detected_language: "lug" });
  });

  it("are found by the tool of agents, which has the language of each segment", async () => {
    const file_id = await service.client.upload(recordings[passages.length]?.file ?? Buffer.alloc(0), {
      token,
    });
    const use = async (given: object) => {
      const params = { name: "transcribe", arguments: { file_id, timestamps: true, ...given } };
      const { body } = await service.client.call("/mcp", {
        ...{ method: "POST", token, headers: { Accept: "application/json" } },
        body: { jsonrpc: "2.0", id: 1, method: "tools/call", params },
      });
      return body.result;
    };
    const { structuredContent: heard } = await use({ languages: ["English", "lug", "sw"] });
    const [from, to] = changes[0] ?? [];
    expect(heard.segments.map(({ language }: { language: string }) => language)).toEqual([
      ...[from, from, from, from],
      ...[to, to, to, to],
    ]);
    expect([from, to]).toContain(heard.language);
    expect(heard.usage.duration_seconds).toBeGreaterThan(2.9 * heard.duration_seconds);
    transcriber.requested.length = 0;
    const named = await use({ language: "lug" });
    expect([named.structuredContent.language, transcriber.requested]).toEqual(["lug", ["lg"]]);
    expect((await use({})).content[0].text).toContain("language_required");
    expect((await use({ languages, speakers: true })).content[0].text).toMatch(
      /unsupported_parameter.*speakers/,
    );
  });
});
