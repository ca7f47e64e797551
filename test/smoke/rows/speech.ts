import { expect } from "vitest";
import * as speech from "../../../functions/speech/contract.ts";
import { createV1SpeechOperation } from "../../../functions/speech/v1/contract.ts";
import { voicesOperation } from "../../../functions/speech/voices-contract.ts";
import type { Row } from "../row.ts";
import { Created, visitor } from "../run.ts";

const text = "Webale nnyo.";
const needsSpeech = { needs: ["speech"] } as const;
const asVisitor = () => ({ token: visitor.token.get() });

const stored = new Created<string>("stored speech");

/** Speech of the new account: no operation deletes stored speech, but deleting the account does. */
export const speechRows: readonly Row[] = [
  {
    operation: speech.synthesizeOperation,
    ...needsSpeech,
    request: () => ({ ...asVisitor(), body: { text } }),
    onSuccess: ({ body }) => stored.set(body.storage_object),
  },
  {
    operation: speech.refreshLinkOperation,
    ...needsSpeech,
    withoutModel: [404, "not_found"],
    request: () => ({
      ...asVisitor(),
      query: `?storage_object=${encodeURIComponent(stored.find() ?? "speech/none")}`,
    }),
  },
  {
    operation: speech.batchOperation,
    ...needsSpeech,
    request: () => ({ ...asVisitor(), body: { items: [{ text }], audio_format: "opus" } }),
    onSuccess: ({ body }) => expect(body.results).toMatchObject([{ status: "ok" }]),
  },
  {
    operation: createV1SpeechOperation,
    ...needsSpeech,
    contentType: "audio/mpeg",
    request: () => ({ ...asVisitor(), body: { model: "tts-20", input: text } }),
    onSuccess: ({ body }) => expect(body.length).toBeGreaterThan(100),
  },
  { operation: voicesOperation, request: asVisitor },
];
