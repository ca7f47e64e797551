import { describe, expect, it } from "vitest";
import { attemptDefinitions, attemptNames } from "../../../functions/console/playground/attempts.ts";

const addresses = { api: "https://api.example.com", stream: "https://stream.example.com" };

describe("A request of the playground", () => {
  it("is whole with the first values of its form", () => {
    for (const name of attemptNames) {
      const { values, request } = attemptDefinitions[name];
      const { method, needsToken } = request(values, addresses, []);
      expect(Object.values(values).every((value) => value !== "")).toBe(true);
      expect({ method, needsToken }).toEqual({ method: "POST", needsToken: true });
    }
    const { speak, chat, identify } = attemptDefinitions;
    expect(speak.request(speak.values, addresses, [])).toMatchObject({
      url: "https://api.example.com/tasks/audio/speech",
      body: { value: { text: expect.stringMatching(/./), language: "lug", audio_format: "mp3" } },
      gives: { file: "speech.mp3" },
    });
    expect(chat.request(chat.values, addresses, [])).toMatchObject({
      body: { value: { messages: [{ content: expect.stringMatching(/./) }] } },
    });
    expect(identify.request(identify.values, addresses, [])).toMatchObject({
      body: { value: { text: expect.stringMatching(/./) } },
    });
  });

  it("continues a conversation, as a stream of events", () => {
    const earlier = [
      { role: "user", content: "Oli otya?" },
      { role: "assistant", content: "Gyendi." },
    ] as const;
    expect(attemptDefinitions.chat.request({ text: "Weebale." }, addresses, earlier)).toEqual({
      method: "POST",
      url: "https://stream.example.com/tasks/chat/completions",
      needsToken: true,
      body: {
        kind: "json",
        value: { messages: [...earlier, { role: "user", content: "Weebale." }], stream: true },
      },
      gives: "events",
    });
  });

  it("leaves out a language that is not chosen", () => {
    const values = { source: "", target: "eng", text: "Webale" };
    expect(attemptDefinitions.translate.request(values, addresses, [])).toEqual({
      method: "POST",
      url: "https://api.example.com/tasks/translate",
      needsToken: true,
      body: { kind: "json", value: { target_language: "eng", text: "Webale" } },
    });
  });
});
