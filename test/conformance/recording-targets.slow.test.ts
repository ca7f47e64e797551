import { startSampleInference } from "@language-ai/sample-models";
import { beforeAll, describe, expect, it } from "vitest";
import {
  addTargetsOperation,
  createJobOperation,
  getJobResultOperation,
} from "../../functions/jobs/contract.ts";
import {
  call,
  createAccount,
  expectDeclared,
  expectError,
  type JsonResponse,
  request,
  upload,
  whenOver,
} from "../support/client.ts";
import { heardSpans } from "../support/heard-spans.ts";
import { decodeAudio } from "../support/test-audio.ts";

let token: string;
beforeAll(async () => {
  ({ token } = await createAccount());
});

/** A recording of the sample voice, whose words the sample model reads back. */
const speakAcholi = async (text: string): Promise<Buffer> => {
  const server = await startSampleInference({ voices: [{ code: "ach", voices: ["reader"] }] });
  try {
    const response = await fetch(`${server.baseUrl}/audio/speech`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ model: "sample-tts", voice: "reader", input: text, language: "ach" }),
    });
    return Buffer.from(await response.arrayBuffer());
  } finally {
    await server.close();
  }
};

const post = (fields: object) =>
  call("/tasks/jobs", { token, body: { type: "transcription", language: "ach", ...fields } });

const get = (path: string) => call(`/tasks/jobs${path}`, { token });

const timesOf = (subtitles: string): string[] => subtitles.match(/^.* --> .*$/gm) ?? [];

const charactersThisMonth = async (): Promise<number> =>
  (await call("/auth/usage", { token })).body.characters_this_month.used;

describe("a recording with targets", () => {
  let job: JsonResponse["body"];
  let fileId: string;
  let created: JsonResponse;
  beforeAll(async () => {
    fileId = await upload(await speakAcholi("Itye nining?"), { token });
    created = await post({
      file_id: fileId,
      targets: [
        { language: "English", format: "srt" },
        { language: "eng", format: "vtt" },
        { language: "lg", format: "audio" },
      ],
    });
    job = (await whenOver(created.body.id, token)).body;
  });

  it("is priced before the start", () => {
    expectDeclared(createJobOperation, created);
    expect(created.status).toBe(202);
    const { estimate, progress, targets } = created.body;
    // Twenty characters a second in each of two languages.
    expect(estimate.characters).toBe(2 * Math.ceil(progress.total * 20));
    expect(estimate.seconds).toBeGreaterThan(0);
    expect(targets).toEqual([
      { language: "eng", format: "srt", is_ready: false },
      { language: "eng", format: "vtt", is_ready: false },
      { language: "lug", format: "audio", is_ready: false },
    ]);
  });

  it("is completed when all targets are, and counts what its transcript has", async () => {
    expect(job).toMatchObject({ status: "completed", has_transcript: true, stage: null, error: null });
    expect(job.targets.every(({ is_ready }: { is_ready: boolean }) => is_ready)).toBe(true);
    const { body } = await get(`/${job.id}/result`);
    expect(await charactersThisMonth()).toBe(2 * [...body.text].length);
  });

  it("returns its transcript, and subtitles of another language with the same times", async () => {
    const transcript = await get(`/${job.id}/result`);
    expectDeclared(getJobResultOperation, transcript);
    expect(transcript.body).toMatchObject({ language: "ach", text: "Itye nining?" });
    const own = await get(`/${job.id}/result?format=srt`);
    for (const [format, pattern] of [
      ["srt", /^1\n/],
      ["vtt", /^WEBVTT\n/],
    ] as const) {
      const english = await get(`/${job.id}/result?language=eng&format=${format}`);
      expect(english.body).toMatch(pattern);
      expect(english.body).toContain("How are you?");
      expect(timesOf(english.body).map((time) => time.replaceAll(".", ","))).toEqual(timesOf(own.body));
    }
    const json = await get(`/${job.id}/result?language=english`);
    expectDeclared(getJobResultOperation, json);
    expect(json.body).toMatchObject({
      language: "eng",
      text: "How are you?",
      segments: [{ text: "How are you?" }],
    });
    expect((await get(`/${job.id}/result?language=lug&format=text`)).body).toBe("Oli otya?\n");
  });

  it("is spoken in the time of the recording", async () => {
    const address = `/tasks/jobs/${job.id}/result?language=lug&format=audio`;
    const response = await request(address, { token });
    const { status, headers } = response;
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("audio/ogg; codecs=opus");
    expect(headers.get("content-disposition")).toContain('filename="council.lug.ogg"');
    const { samples, sampleRate } = await decodeAudio("opus", new Uint8Array(await response.arrayBuffer()));
    const { body } = await get(`/${job.id}/result?language=lug`);
    expect(samples.length / sampleRate).toBeCloseTo(body.duration_seconds, 2);
    const [segment] = body.segments;
    expect(segment.speech.speed).toBeLessThanOrEqual(1.25);
    const [first] = heardSpans(samples, sampleRate);
    expect(Math.abs((first?.[0] ?? 0) - segment.start)).toBeLessThan(0.05);
  });

  it("has no result of another language, or of one that is not spoken", async () => {
    expectError(await get(`/${job.id}/result?language=swa`), 400, "bad_request");
    expectError(await get(`/${job.id}/result?language=eng&format=audio`), 400, "bad_request");
    expectError(await get(`/${job.id}/result?format=audio`), 400, "bad_request");
  });

  it.each([
    [{ language: "zzz", format: "srt" }, "unsupported_language"],
    [{ language: "ach", format: "srt" }, "same_language"],
    [{ language: "alz", format: "audio" }, "no_speaker_for_language"],
  ])("refuses the target %o", async (target, code) => {
    const response = await post({ file_id: fileId, targets: [target] });
    expectError(response, 400, code);
    expect(response.body.error.param).toBe("targets[0].language");
  });

  it("refuses a recording in a language that is not translated", async () => {
    const targets = [{ language: "eng", format: "srt" }];
    const response = await post({ file_id: fileId, language: "afr", targets });
    expectError(response, 400, "unsupported_language");
    expect(response.body.error.param).toBe("language");
  });

  it.each([
    [[]],
    [Array.from({ length: 6 }, () => ({ language: "eng", format: "srt" }))],
    [[{ language: "eng" }]],
  ])("refuses targets that break the contract: %j", async (targets) => {
    expectError(await post({ file_id: fileId, targets }), 422, "validation_failed");
  });

  it("can be translated further when it is completed", async () => {
    const before = await charactersThisMonth();
    const response = await call(`/tasks/jobs/${job.id}/targets`, {
      token,
      body: { targets: [{ language: "swa", format: "text" }] },
    });
    expectDeclared(addTargetsOperation, response);
    expect(response.status).toBe(202);
    expect(response.body).toMatchObject({ id: job.id, status: "running", has_transcript: true });
    expect(response.body.estimate.characters).toBe("Itye nining?".length);
    expect((await get(`/${job.id}/result?format=text`)).body).toBe("Itye nining?\n");
    expect((await get(`/${job.id}/result?language=eng&format=text`)).body).toBe("How are you?\n");
    expect((await whenOver(job.id, token)).body).toMatchObject({ status: "completed" });
    expect((await get(`/${job.id}/result?language=swa&format=text`)).body).toMatch(/habari/i);
    expect(await charactersThisMonth()).toBe(before + "Itye nining?".length);
  });

  it("can be translated further only by its owner", async () => {
    const other = await createAccount();
    const response = await call(`/tasks/jobs/${job.id}/targets`, {
      token: other.token,
      body: { targets: [{ language: "teo", format: "text" }] },
    });
    expectError(response, 404, "not_found");
  });
});
