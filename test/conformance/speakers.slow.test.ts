import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { diarizedTranscript } from "../../functions/transcription/v1/transcript.ts";
import { jobDetails } from "../../shared/recordings/jobs/job-view.ts";
import type { TestAccount } from "../support/api-client.ts";
import { basePath } from "../support/client.ts";
import { speakerOfSecond, startTurnServer, startWordServer } from "../support/conversation-servers.ts";
import { FormVisitor } from "../support/form-visitor.ts";
import { everySecond, numberedRecording } from "../support/numbered-recording.ts";
import { type OwnService, startOwnService } from "../support/own-service.ts";
import type { RecordingServer } from "../support/recording-server.ts";

let servers: RecordingServer[];
let service: OwnService;
let account: TestAccount;
beforeAll(async () => {
  servers = await Promise.all([startWordServer(), startTurnServer()]);
  service = await startOwnService({
    BASE_PATH: basePath,
    TRANSCRIPTION_BASE_URL: servers[0]?.baseUrl ?? "",
    DIARIZATION_BASE_URL: servers[1]?.baseUrl ?? "",
  });
  account = await service.client.createAccount();
});
afterAll(async () => {
  await service.close();
  await Promise.all(servers.map((server) => server.close()));
});

const isDiarized = (
  response: OpenAI.Audio.TranscriptionCreateResponse,
): response is OpenAI.Audio.TranscriptionDiarized => "segments" in response && "task" in response;

/** The contract's response is the SDK's. @throws ZodError for another one. */
const asDeclared = (response: OpenAI.Audio.TranscriptionDiarized): OpenAI.Audio.TranscriptionDiarized =>
  diarizedTranscript.strict().parse(response);

/** Each word with the speaker of its segment. */
const saidBy = (segments: readonly { readonly speaker?: string; readonly text: string }[]) =>
  segments.flatMap(({ speaker, text }) => text.split(" ").map((word) => `${speaker} ${word}`));

const expected = (seconds: number) =>
  everySecond(seconds).map((word, second) => `${speakerOfSecond(second)} ${word}`);

describe("a recording of two people", () => {
  it("has its speakers in the types of the OpenAI SDK", async () => {
    const openai = new OpenAI({
      apiKey: account.token,
      baseURL: `${service.running().url}/v1`,
      maxRetries: 0,
    });
    const response: OpenAI.Audio.TranscriptionCreateResponse = await openai.audio.transcriptions.create({
      file: await toFile(numberedRecording(30), "recording.wav"),
      model: "gpt-4o-transcribe-diarize",
      language: "lg",
      response_format: "diarized_json",
      chunking_strategy: "auto",
    });
    if (!isDiarized(response)) throw new Error(`Not diarized: ${JSON.stringify(response)}`);
    const diarized = asDeclared(response);
    const first: OpenAI.Audio.TranscriptionDiarizedSegment = {
      type: "transcript.text.segment",
      id: "seg_0",
      start: 0.1,
      end: 2.7,
      speaker: "A",
      text: "second-0 second-1 second-2",
    };
    expect(diarized.segments[0]).toEqual(first);
    expect(diarized).toMatchObject({
      task: "transcribe",
      duration: 30,
      usage: { type: "duration", seconds: 30 },
    });
    expect(saidBy(diarized.segments)).toEqual(expected(30));
  });

  it("as a job of an hour has one letter for each across all pieces, which a person can name", async () => {
    const { client } = service;
    const seconds = 3_600;
    const fields = { type: "transcription", language: "lug", speakers: true };
    const { id } = await client.startJob(numberedRecording(seconds), fields, { token: account.token });
    const { body: job } = await client.whenOver(id, account.token);
    expect(jobDetails.parse(job)).toMatchObject({ status: "completed", speakers: true });

    const resultIn = (query: string) =>
      client.send(`/tasks/jobs/${id}/result${query}`, { token: account.token });
    const result = await resultIn("");
    expect(result.speakers).toEqual([
      { label: "A", name: null, is_certain: true },
      { label: "B", name: null, is_certain: true },
    ]);
    expect(saidBy(result.segments)).toEqual(expected(seconds));

    const visitor = new FormVisitor(service.running().url);
    await visitor.logIn(account);
    const path = `/console/recordings/${id}`;
    const nameSpeaker = async (name: string) =>
      visitor.send(await visitor.open(path), path, { action: "name-speaker", label: "B", name });
    const page = await nameSpeaker(" Amina ");
    expect(page.html).toContain('<b class="speaker">Amina</b>second-3 second-4');
    expect((await resultIn("?format=text")).split("\n").slice(0, 2)).toEqual([
      "A: second-0 second-1 second-2",
      "Amina: second-3 second-4",
    ]);
    expect((await resultIn("?format=vtt")).split("\n").slice(3, 4)).toEqual([
      "A: second-0 second-1 second-2",
    ]);
    expect((await resultIn("?format=srt")).split("\n")).toContain("Amina: second-3 second-4");
    expect((await resultIn("")).speakers[1]).toEqual({ label: "B", name: "Amina", is_certain: true });

    await nameSpeaker("");
    expect((await resultIn("?format=text")).split("\n")[1]).toBe("B: second-3 second-4");
  });
});
