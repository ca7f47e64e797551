import { vi } from "vitest";
import { legacyEndpoints } from "../../functions/legacy/endpoints.ts";
import { furtherLegacyEndpoints } from "../../functions/legacy/further-endpoints.ts";
import type { NewTranscription } from "../../functions/legacy/saved-transcriptions.ts";
import { defaultLegacySettings, type LegacySettings } from "../../functions/legacy/settings.ts";
import { encodeAudio } from "../../shared/audio/encode/encode-audio.ts";
import { bufferSource } from "../../shared/audio/read-audio.ts";
import type { ChatReply, ChatRequest } from "../../shared/models/inference/chat.ts";
import type { Transcription, TranscriptionRequest } from "../../shared/models/inference/transcription.ts";
import type { Upload } from "../../shared/recordings/uploads/uploads-repository.ts";
import { speechInMemory } from "./fake-speech.ts";
import { encodeForm, type FormValue } from "./multipart.ts";
import { send, type TestResponse } from "./send.ts";

/** The claims of the token that is right. */
const token = { userId: 7, tokenId: "t", tokenEpoch: 0 };

/** Saved transcriptions in memory, numbered from 12. */
const savedInMemory = () => {
  const transcriptions = new Map<number, NewTranscription>();
  const holders = new Map<string, Set<number>>();
  let next = 12;
  return {
    transcriptions,
    begin: vi.fn(async (objectKey: string) => {
      const id = next;
      next += 1;
      holders.set(objectKey, new Set([...(holders.get(objectKey) ?? []), id]));
      return id;
    }),
    save: vi.fn(async (id: number, transcription: NewTranscription) => {
      transcriptions.set(id, transcription);
    }),
    release: vi.fn(async (id: number, objectKey: string) => {
      holders.get(objectKey)?.delete(id);
      return (holders.get(objectKey)?.size ?? 0) === 0;
    }),
    find: vi.fn(async (id: number, userId: number) => {
      const found = transcriptions.get(id);
      return found?.userId === userId ? found.objectKey : undefined;
    }),
    delete: vi.fn(async (id: number) => {
      transcriptions.delete(id);
    }),
  };
};

/** The deprecated routes over models and stores in memory. */
export const legacyInMemory = (
  settings: Partial<LegacySettings> = {},
  { withAlternative = false }: { readonly withAlternative?: boolean } = {},
) => {
  const { objects, store, synthesize } = speechInMemory();
  const reply = vi.fn(
    async (_request: ChatRequest): Promise<ChatReply> => ({
      text: "Apwoyo.",
      finishReason: "stop",
      usage: { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 },
    }),
  );
  const transcribe = vi.fn(
    async (_request: TranscriptionRequest): Promise<Transcription> => ({
      text: "Wasuze otya nno?",
      segments: undefined,
    }),
  );
  const transcribeAlternatively = vi.fn(transcribe.getMockImplementation());
  const uploads = {
    find: vi.fn(async (_fileId: string, _userId: number): Promise<Upload | undefined> => undefined),
  };
  const saved = savedInMemory();
  const given = { ...defaultLegacySettings, ...settings };
  const withoutSpeech = legacyEndpoints(
    {
      models: { reply, streamReply: () => Promise.reject(new Error("Version 1 streams no responses.")) },
      transcription: {
        transcriber: { transcribe },
        ...(withAlternative ? { alternative: { transcribe: transcribeAlternatively } } : {}),
        uploads,
        saved,
        store: {
          write: store.write,
          open: async (key) => {
            const found = objects.get(key);
            return found && { ...bufferSource(found), version: `"${found.length}"` };
          },
          delete: async (key) => void objects.delete(key),
        },
      },
    },
    given,
  );
  const speech = {
    synthesizer: { synthesize },
    encode: encodeAudio,
    store,
    model: "tts-1",
    platform: "the-platform",
  };
  const endpoints = [...withoutSpeech, ...furtherLegacyEndpoints(speech, given)];
  return {
    objects,
    store,
    synthesize,
    reply,
    transcribe,
    transcribeAlternatively,
    uploads,
    saved,
    endpoints,
    send: (request: Parameters<typeof send>[1]): Promise<TestResponse> =>
      send(
        endpoints,
        { headers: { Authorization: "Bearer right" }, ...request },
        {
          verifyBearer: async (authorization) => (authorization === "Bearer right" ? token : undefined),
        },
      ),
  };
};

/** The same, for recordings: in forms, and among the uploads of the caller. */
export const recordingsInMemory = (options?: Parameters<typeof legacyInMemory>[1]) => {
  const legacy = legacyInMemory({}, options);
  return {
    ...legacy,
    post: async (path: string, fields: Readonly<Record<string, FormValue>>): Promise<TestResponse> => {
      const { body, headers } = await encodeForm(fields);
      return legacy.send({ path, body, headers: { ...headers, Authorization: "Bearer right" } });
    },
    /** Lets the caller have uploaded a file. */
    upload: (fileId: string, bytes: Buffer): void => {
      const objectKey = `uploads/${fileId}/interview.mp3`;
      legacy.objects.set(objectKey, bytes);
      legacy.uploads.find.mockImplementation(async (id, userId) =>
        id === fileId && userId === token.userId
          ? { objectKey, contentType: "audio/mpeg", userId }
          : undefined,
      );
    },
    /** Deletes a saved transcription. */
    remove: (id: number | string): Promise<TestResponse> =>
      legacy.send({
        method: "DELETE",
        path: "/tasks/stt/{audio_transcription_id}",
        pathParameters: { audio_transcription_id: String(id) },
      }),
    /** The stored audio of a transcription. */
    stored: () => [...legacy.objects].filter(([key]) => key.startsWith("transcriptions/")),
  };
};
