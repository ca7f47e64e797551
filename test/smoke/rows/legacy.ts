import { expect } from "vitest";
import * as speech from "../../../functions/legacy/fixed-speaker-contract.ts";
import * as orpheus from "../../../functions/legacy/orpheus-contract.ts";
import * as transcription from "../../../functions/legacy/transcription-contract.ts";
import { uploadOperation } from "../../../functions/upload/contract.ts";
import { type LegacyRoute, legacyRoutes } from "../../support/legacy-routes.ts";
import { put, recording } from "../recording.ts";
import type { Row } from "../row.ts";
import { Created, key, visitor } from "../run.ts";
import type { Model } from "../stage.ts";

const upload = new Created<string>("upload");
const storedSpeech = new Created<string>("stored speech of version 1");
const saved = new Created<number>("saved transcription");

const created = {
  get upload() {
    return upload.get();
  },
  get speech() {
    return storedSpeech.find() ?? "speech/none";
  },
  get transcription() {
    return saved.find() ?? 999_999_999;
  },
};

const modelsOf: Readonly<Record<string, Model>> = {
  transcribe: "transcription",
  speech: "speech",
  chat: "chat",
};

const text = "Webale nnyo.";
const asVisitor = () => ({ token: visitor.token.get() });

/** More about some of the routes, by their operations' ids. */
const details: Readonly<
  Record<
    string,
    Partial<Pick<Row, "needs" | "request" | "onSuccess" | "withoutModel" | "speaks" | "withoutVoice">>
  >
> = {
  [speech.speechJobOperation.id]: { speaks: ["ach"] },
  [speech.vendorSpeechJobOperation.id]: { speaks: ["lug"] },
  [speech.alternativeSpeechOperation.id]: { speaks: ["lug"] },
  [speech.speechStreamOperation.id]: { speaks: ["lug"] },
  // A stage can have replaced every voice that has a name in a sample.
  [orpheus.orpheusSpeechOperation.id]: { request: () => ({ ...asVisitor(), body: { text } }) },
  [orpheus.orpheusBatchOperation.id]: { request: () => ({ ...asVisitor(), body: { items: [{ text }] } }) },
  [orpheus.orpheusVoicesOfLanguageOperation.id]: { speaks: ["teo"], withoutVoice: [400, "unknown_language"] },
  [transcription.transcribeOperation.id]: {
    onSuccess: ({ body }) => saved.set(body.audio_transcription_id),
  },
  [transcription.deleteTranscriptionOperation.id]: {
    needs: ["transcription"],
    withoutModel: [404, "not_found"],
  },
  [speech.vendorSpeechOperation.id]: {
    speaks: ["swa"],
    onSuccess: ({ body }) => storedSpeech.set(body.file_name),
  },
  [speech.speechEventsOperation.id]: {
    speaks: ["lug"],
    onSuccess: ({ body }) => expect(body).toContain('"event":"complete"'),
  },
  [speech.refreshUrlOperation.id]: {
    needs: ["speech"],
    withoutModel: [404, "not_found"],
    speaks: ["swa"],
    withoutVoice: [404, "not_found"],
  },
};

/** Recordings and speech are stored by the new account: they are deleted with it. */
const rowOf = ({ operation, path, usesModel, valid, contentType }: LegacyRoute): Row => {
  const { auth, scope = "" } = operation;
  const model = modelsOf[scope];
  return {
    operation,
    ...(usesModel && model ? { needs: [model] } : {}),
    ...(contentType === undefined ? {} : { contentType }),
    request: () => ({
      ...(auth === "public" ? {} : { token: scope === "chat" ? key : visitor.token.get() }),
      path,
      ...valid(created),
    }),
    ...details[operation.id],
  };
};

const withScope = (...scopes: readonly string[]) =>
  legacyRoutes.filter(({ operation: { scope = "" } }) => scopes.includes(scope)).map(rowOf);

/** The deprecated routes that transcribe, one of them an upload. */
export const legacyTranscription: readonly Row[] = [
  {
    operation: uploadOperation,
    request: () => ({
      token: visitor.token.get(),
      body: { file_name: "smoke.wav", content_type: "audio/wav", size: recording.length },
    }),
    onSuccess: async ({ body }) => {
      await put(body.upload_url);
      upload.set(body.file_id);
    },
  },
  ...withScope("transcribe"),
];

export const legacySpeech = withScope("speech");
export const legacyChat = withScope("chat", "");
