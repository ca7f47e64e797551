import { beforeAll, describe, expect, inject, it } from "vitest";
import { legacyFunction } from "../../functions/legacy/definition.ts";
import { refreshUrlOperation } from "../../functions/legacy/fixed-speaker-contract.ts";
import {
  deleteTranscriptionOperation,
  transcribeUploadOperation,
} from "../../functions/legacy/transcription-contract.ts";
import { readWavHeader } from "../../shared/audio/wav/wav-header.ts";
import openApi from "../../shared/http/openapi/openapi.json" with { type: "json" };
import {
  call,
  createAccount,
  expectDeclared,
  expectDeprecation,
  expectError,
  sharedAccount,
  upload as uploadFile,
} from "../support/client.ts";
import { type LegacyRequest, type LegacyRoute, legacyRoutes } from "../support/legacy-routes.ts";
import { formData, formFile } from "../support/multipart.ts";
import { audioBytes, wavFile } from "../support/wav.ts";

const isLocal = inject("isLocal");
const named = legacyRoutes.map((route) => ({
  ...route,
  name: `${route.operation.method} ${route.operation.path}`,
}));
const guarded = named.filter(({ operation }) => operation.auth === "user");

const recordingBytes = wavFile(audioBytes(72_000), { stated: true });

let token: string;

const send = ({ operation, path }: LegacyRoute, request: LegacyRequest, bearer?: string) =>
  call(`${request.path ?? path}${request.query ?? ""}`, {
    method: operation.method,
    token: bearer,
    ...(request.body === undefined ? {} : { body: request.body }),
  });

/** Uploads a recording. @returns the name of its storage object. */
const upload = async (bearer: string): Promise<string> =>
  `uploads/${await uploadFile(recordingBytes, { token: bearer, name: "interview.wav" })}/interview.wav`;

beforeAll(async () => {
  ({ token } = await sharedAccount());
});

describe("the deprecated routes", () => {
  it("are all in the table of this test", () => {
    expect(legacyRoutes.map(({ operation }) => operation)).toEqual(legacyFunction.operations);
    expect(legacyRoutes).toHaveLength(21);
  });

  it("are marked as such in the OpenAPI document, under one tag, and no other is", () => {
    const marked = Object.values(openApi.paths).flatMap((path) =>
      Object.values(
        path as Record<string, { operationId: string; deprecated?: boolean; tags: string[] }>,
      ).filter(({ deprecated, tags }) => deprecated || tags.includes("Deprecated (v1)")),
    );
    expect(marked.every(({ deprecated, tags }) => deprecated && tags.length === 1)).toBe(true);
    expect(marked.map(({ operationId }) => operationId).toSorted()).toEqual(
      legacyFunction.operations.map(({ id }) => id).toSorted(),
    );
  });

  it.runIf(isLocal)("are marked as such among the local routes", async () => {
    const { body } = await call("/_local/routes");
    const marked: { method: string; path: string; function: string; auth: string }[] = body.routes.filter(
      ({ deprecated }: { deprecated: boolean }) => deprecated,
    );
    expect(marked.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
      named.map(({ name }) => name).toSorted(),
    );
    expect(marked.filter(({ auth }) => auth === "user")).toHaveLength(20);
    expect(new Set(marked.map((route) => route.function))).toEqual(new Set(["legacy"]));
  });
});

describe("a request of version 1 with a mistake", () => {
  it.each(named.filter(({ invalid }) => invalid))("is refused by $name, which names it", async (route) => {
    if (!route.invalid) return;
    const { request, loc, type } = route.invalid;
    const response = await send(route, request, token);
    expectDeprecation(route.operation, response);
    expectDeclared(route.operation, response);
    expect(response).toMatchObject({ status: 422, body: { detail: [{ loc, type }] } });
  });
});

describe.each(guarded)("$name without a right token", (route) => {
  it.each([
    ["no token", undefined],
    ["a token that was never issued", "nonsense"],
  ])("refuses %s, before it parses the request", async (_case, bearer) => {
    const response = await send(route, route.invalid?.request ?? {}, bearer);
    expectDeprecation(route.operation, response);
    expectError(response, 401, "unauthenticated");
  });
});

it.runIf(isLocal)(
  "`whisper` selects the alternative model of the stage, so no header says that there is none",
  async () => {
    const body = formData({ audio: formFile(recordingBytes), whisper: "true" });
    const { status, headers } = await call("/tasks/stt", { token, body });
    expect([status, headers.get("x-whisper")]).toEqual([200, null]);
  },
);

describe("speech of version 1", () => {
  const speechRoute = (path: string, body: object) => call(path, { token, body });

  it("can be downloaded, and its link renewed", async () => {
    const { body } = await speechRoute("/tasks/modal/tts", { text: "Wasuze otya nno?" });
    expect(body).toMatchObject({
      success: true,
      speaker_id: 248,
      speaker_name: "Luganda (female)",
      text_length: 16,
    });
    const wav = Buffer.from(await (await fetch(body.audio_url)).arrayBuffer());
    expect(readWavHeader(wav)?.format.sampleRate).toBeGreaterThan(0);
    const fresh = await call(`/tasks/modal/tts/refresh-url?file_name=${encodeURIComponent(body.file_name)}`, {
      token,
    });
    expect(fresh).toMatchObject({ status: 200, body: { success: true, file_name: body.file_name } });
    expectDeclared(refreshUrlOperation, fresh);
  });

  it("comes in events that make up the file behind the link at their end", async () => {
    const response = await speechRoute("/tasks/modal/tts", {
      text: "Wasuze otya nno?",
      response_mode: "both",
    });
    const events = String(response.body)
      .trim()
      .split("\n\n")
      .map((frame) => JSON.parse(frame.replace(/^data: /, "")));
    const last = events.pop();
    expect(events.length).toBeGreaterThan(0);
    const pieces = events.map(({ event, data, bytes }) => {
      const piece = Buffer.from(data, "base64");
      expect({ event, bytes }).toEqual({ event: "audio_chunk", bytes: piece.length });
      return piece;
    });
    const streamed = Buffer.concat(pieces);
    expect(last).toMatchObject({ event: "complete", total_bytes: streamed.length });
    const stored = Buffer.from(await (await fetch(last.audio_url)).arrayBuffer());
    const audioStart = readWavHeader(stored)?.dataStart ?? 0;
    expect(stored.subarray(audioStart).equals(streamed.subarray(audioStart))).toBe(true);
  });

  it("has no voice for Lugbara now", async () => {
    for (const path of ["/tasks/tts", "/tasks/runpod/tts", "/tasks/modal/tts", "/tasks/modal/tts/stream"]) {
      const response = await speechRoute(path, { text: "Mi ngoni?", speaker_id: 245 });
      expectError(response, 400, "no_speaker_for_language");
      expect(response.body.detail).toContain("Lugbara");
    }
  });
});

describe("an upload that version 1 is to transcribe", () => {
  it("may be named by its storage object or its file id, by the account that made it only", async () => {
    const name = await upload(token);
    const transcribe = (gcs_blob_name: string, bearer = token) =>
      call("/tasks/stt_from_gcs", { token: bearer, body: new URLSearchParams({ gcs_blob_name }) });
    const first = await transcribe(name);
    const second = await transcribe(name.split("/")[1] ?? "");
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body.audio_transcription_id).toBeGreaterThan(first.body.audio_transcription_id);
    expect(first.body).toMatchObject({
      language: "lug",
      was_audio_trimmed: false,
      original_duration_minutes: null,
    });
    expect(first.body.audio_url).toMatch(/^transcriptions\/[0-9a-f]{32}\.wav$/);
    expect(second.body.audio_url).toBe(first.body.audio_url);

    expectError(await transcribe(name, (await createAccount()).token), 400, "bad_request");
    expectError(await transcribe("../../etc/passwd"), 400, "bad_request");
    expectDeclared(transcribeUploadOperation, first);
    const path = `/tasks/stt/${first.body.audio_transcription_id}`;
    const deleted = await call(path, { method: "DELETE", token });
    expectDeclared(deleteTranscriptionOperation, deleted);
    expect(deleted.status).toBe(200);
  });
});
