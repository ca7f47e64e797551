import { describe, expect, it, vi } from "vitest";
import { createVoiceNotes, hasVoice } from "../../../functions/messaging/voice-notes.ts";
import { bufferSource, inspectAudio } from "../../../shared/audio/read-audio.ts";
import type { SpeechRequest } from "../../../shared/models/inference/speech.ts";
import { speechOfAudio } from "../../support/test-audio.ts";

const { signal } = new AbortController();

describe("a text as a voice note", () => {
  const make = async (text: string, language: string) => {
    const speech = speechOfAudio(Buffer.alloc(48_000));
    const synthesize = vi.fn(
      async (_request: SpeechRequest, _options: { readonly signal: AbortSignal }) => speech,
    );
    const notes = createVoiceNotes({ synthesize });
    return { note: await notes.make(text, language, { signal }), synthesize, speech };
  };

  it("is spoken by a voice of its own language", async () => {
    const { note, synthesize, speech } = await make("**Webale** nnyo 🙏", "nyn");
    expect(synthesize.mock.calls[0]?.[0]).toEqual({
      text: "Webale nnyo",
      voice: "salt_nyn_0001",
      language: "nyn",
      sampling: {},
    });
    expect(note).toMatchObject({ contentType: "audio/ogg; codecs=opus", fileName: "voice.ogg" });
    expect(synthesize.mock.calls[0]?.[1]).toEqual({ signal });
    expect(await inspectAudio(bufferSource(Buffer.from(note.bytes)))).toMatchObject({
      codec: "opus",
      durationSeconds: 1,
    });
    expect(speech.cancel).toHaveBeenCalledOnce();
  });

  it("lets go of the speech also when it cannot be encoded", async () => {
    const speech = speechOfAudio(Buffer.alloc(960), { encoding: "mulaw", bitsPerSample: 8 });
    const notes = createVoiceNotes({ synthesize: async () => speech });
    await expect(notes.make("Webale", "lug", { signal })).rejects.toMatchObject({
      code: "external_service_error",
    });
    expect(speech.cancel).toHaveBeenCalledOnce();
  });

  it("need words and a voice", async () => {
    await expect(make("🙏", "lug")).rejects.toThrow("no text");
    await expect(make("Mi ngoni", "lgg")).rejects.toThrow("no text");
    expect([hasVoice("lug"), hasVoice("lgg"), hasVoice("swa")]).toEqual([true, false, true]);
  });
});
