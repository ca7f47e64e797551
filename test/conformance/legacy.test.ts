import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { legacyFunction } from "../../functions/legacy/contract.ts";
import { readWavHeader } from "../../shared/audio/wav/wav-header.ts";
import openApi from "../../shared/http/openapi/openapi.json" with { type: "json" };
import {
  baseUrl,
  call,
  createAccount,
  expectDeclared,
  expectError,
  type JsonResponse,
} from "../support/client.ts";
import { type FakeBackend, responding, startFakeBackend } from "../support/fake-backend.ts";
import { type LegacyRequest, type LegacyRoute, legacyRoutes } from "../support/legacy-routes.ts";
import { formData, formFile } from "../support/multipart.ts";
import { type RunningService, runService } from "../support/run-service.ts";
import { audioBytes, wavFile } from "../support/wav.ts";
import { basePathIn } from "../support/wire.ts";

const isLocal = inject("isLocal");
const named = legacyRoutes.map((route) => ({
  ...route,
  name: `${route.operation.method} ${route.operation.path}`,
}));
const guarded = named.filter(({ operation }) => operation.auth === "user");

/** What a client has at hand. */
let token: string;
let created: { upload: string; speech: string; transcription: number };

const send = ({ operation, path }: LegacyRoute, request: LegacyRequest, bearer?: string, at = baseUrl) =>
  call(`${at}${request.path ?? path}${request.query ?? ""}`, {
    method: operation.method,
    token: bearer,
    ...(request.body === undefined ? {} : { body: request.body }),
  });

/** The headers of every response of a deprecated route, for any status. */
const expectDeprecation = ({ headers }: JsonResponse, { operation }: LegacyRoute): void => {
  expect(headers.get("deprecation")).toBe("@1780272000");
  const sunset = headers.get("sunset") ?? "";
  expect(new Date(sunset).toUTCString()).toBe(sunset);
  if (isLocal) expect(sunset).toBe("Wed, 01 Dec 2027 00:00:00 GMT");
  const prefix = basePathIn(baseUrl);
  expect(headers.get("link")).toBe(
    `<${prefix}/docs/guides/from-v1>; rel="deprecation"; type="text/html", ` +
      `<${prefix}${operation.deprecated?.successor}>; rel="successor-version"`,
  );
  for (const name of ["Deprecation", "Link", "Sunset"]) {
    expect(headers.get("access-control-expose-headers")).toContain(name);
  }
};

/** Uploads a recording as a client of version 1 does. @returns the name of its storage object. */
const upload = async (bearer: string): Promise<string> => {
  const { body } = await call("/tasks/generate-upload-url", {
    token: bearer,
    body: { file_name: "interview.wav", content_type: "audio/wav" },
  });
  const recording = wavFile(audioBytes(72_000), { stated: true });
  const headers = { "Content-Type": "audio/wav" };
  expect((await fetch(body.upload_url, { method: "PUT", headers, body: recording })).status).toBe(200);
  return `uploads/${body.file_id}/interview.wav`;
};

beforeAll(async () => {
  ({ token } = await createAccount());
  const { body } = await call("/tasks/audio/speech", { token, body: { text: "Oli otya?" } });
  const uploaded = await upload(token);
  const transcribed = await call("/tasks/stt_from_gcs", {
    token,
    body: new URLSearchParams({ gcs_blob_name: uploaded }),
  });
  const transcription: number = transcribed.body.audio_transcription_id;
  created = { upload: uploaded, speech: body.storage_object, transcription };
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

describe.each(named)("$name", (route) => {
  it("responds as in version 1, and names its successor", async () => {
    const response = await send(route, route.valid(created), token);
    expectDeprecation(response, route);
    expect(response.status, JSON.stringify(response.body)).toBe(200);
    if (route.contentType === undefined) expectDeclared(route.operation, response);
    else expect(response.headers.get("content-type")).toBe(route.contentType);
  });

  const { invalid } = route;
  if (!invalid) return;
  it("names what is wrong with a request", async () => {
    const response = await send(route, invalid.request, token);
    expectDeprecation(response, route);
    expectDeclared(route.operation, response);
    expect(response).toMatchObject({
      status: 422,
      body: { detail: [{ loc: invalid.loc, type: invalid.type }] },
    });
  });
});

describe.each(guarded)("$name without a right token", (route) => {
  it.each([
    ["no token", undefined],
    ["a token that was never issued", "nonsense"],
  ])("refuses %s, before it parses the request", async (_case, bearer) => {
    const response = await send(route, route.invalid?.request ?? {}, bearer);
    expectDeprecation(response, route);
    expectError(response, 401, "unauthenticated");
  });
});

describe.runIf(isLocal)("with model servers of its own", () => {
  let folder: string;
  let backend: FakeBackend;
  let service: RunningService;
  let bearer: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "language-ai-legacy-"));
    backend = await startFakeBackend();
    service = await runService({
      PORT: "0",
      BASE_PATH: basePathIn(baseUrl),
      DATA_DIR: folder,
      CHAT_BASE_URL: backend.baseUrl,
      TRANSCRIPTION_BASE_URL: backend.baseUrl,
      TRANSCRIPTION_ALTERNATIVE_MODEL: "other-model",
      SPEECH_BASE_URL: backend.baseUrl,
    });
    const account = { username: "amina", email: "amina@example.com", password: "seven storks by the lake" };
    await call(`${service.url}/auth/register`, { body: account });
    const { body } = await call(`${service.url}/auth/token`, { body: new URLSearchParams(account) });
    bearer = body.access_token;
  }, 60_000);
  afterAll(async () => {
    await service.stop();
    await backend.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** The service of this test has uploads of its own. */
  const uploadThere = async (): Promise<string> => {
    const { body } = await call(`${service.url}/tasks/generate-upload-url`, {
      token: bearer,
      body: { file_name: "interview.wav", content_type: "audio/wav" },
    });
    const recording = wavFile(audioBytes(72_000), { stated: true });
    await fetch(body.upload_url, {
      method: "PUT",
      headers: { "Content-Type": "audio/wav" },
      body: recording,
    });
    return body.file_id;
  };

  const recording = () => formFile(wavFile(audioBytes(72_000), { stated: true }));
  const modelsCalled = () =>
    backend.received.map(({ body }) => /name="model"\r\n\r\n(\S+)\r\n/.exec(body)?.[1]);

  it.each([
    ["true", "other-model"],
    ["false", "stt-51"],
  ])("calls the alternative model for `whisper=%s`: %s", async (whisper, model) => {
    const uploaded = await uploadThere();
    const requests = [
      ["/tasks/stt", formData({ audio: recording(), whisper })],
      ["/tasks/stt_from_gcs", new URLSearchParams({ gcs_blob_name: uploaded, whisper })],
    ] as const;
    for (const [path, body] of requests) {
      backend.behave(responding(200, { text: "Wasuze otya nno?" }));
      const response = await call(`${service.url}${path}`, { token: bearer, body });
      expect(response).toMatchObject({ status: 200, body: { audio_transcription: "Wasuze otya nno?" } });
      expect(response.headers.has("x-whisper")).toBe(false);
      expect(modelsCalled()).toEqual([model]);
    }
  });

  it.each(named.filter(({ usesModel }) => usesModel))(
    "$name says so when the server fails",
    async (route) => {
      const request = route.valid({ upload: await uploadThere(), speech: "", transcription: 0 });
      // Nonsense comes first: it is a sign of life, which keeps the circuit breaker closed over all the routes.
      for (const [behaviour, status, code] of [
        [responding(200, "<html>"), 502, "external_service_error"],
        [responding(503, "no"), 503, "service_unavailable"],
      ] as const) {
        backend.behave(behaviour);
        const response = await send(route, request, bearer, service.url);
        expectDeprecation(response, route);
        expectError(response, status, code);
        expect(response.headers.has("retry-after")).toBe(status === 503);
      }
    },
  );
});

describe.runIf(isLocal)("a service without an alternative model", () => {
  it("says so in the response to `whisper`, and only there", async () => {
    const { token } = await createAccount();
    const send = async (fields: Record<string, string>) => {
      const audio = formFile(wavFile(audioBytes(72_000), { stated: true }));
      const { status, headers } = await call("/tasks/stt", { token, body: formData({ audio, ...fields }) });
      return [status, headers.get("x-whisper")];
    };
    expect(await send({ whisper: "true" })).toEqual([200, "unavailable"]);
    expect(await send({})).toEqual([200, null]);
  });
});

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
    const other = await createAccount();
    expectError(
      await call(`/tasks/modal/tts/refresh-url?file_name=${encodeURIComponent(body.file_name)}`, {
        token: other.token,
      }),
      404,
      "not_found",
    );
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
  });
});
