import { describe, expect, it } from "vitest";
import {
  PlaygroundModel,
  type PlaygroundView,
} from "../../../functions/console/client/parts/playground-model.ts";
import type { AttemptName } from "../../../functions/console/playground/attempts.ts";
import type { SampleRequest } from "../../../shared/pages/samples/code-samples.ts";

const recording = new File(["sound"], "market.mp3");

/** Presses the button of a page. @returns what was sent, and what the page shows then. */
const press = async (
  name: AttemptName,
  { file, response = Response.json({}) }: { readonly file?: File; readonly response?: Response },
) => {
  const shown: unknown[] = [];
  const sent: SampleRequest[] = [];
  const nothing = (): void => undefined;
  const view: PlaygroundView = {
    words: (key) => key,
    values: () => ({}),
    file: () => file,
    moveMessage: () => "Oli otya?",
    showCode: nothing,
    showResult: (text) => shown.push(text),
    showNote: (text) => shown.push(text),
    showError: (sentence, status) => shown.push([sentence, status]),
    startReply: () => ({ update: nothing, remove: nothing }),
    playAudio: (_audio, fileName) => shown.push(fileName),
    clear: nothing,
    setRunning: nothing,
    setNewConversation: nothing,
    voiceOf: () => undefined,
    listenTo: nothing,
    swapLanguages: nothing,
  };
  const send = async (_name: string, request: SampleRequest): Promise<Response> => {
    sent.push(request);
    return response;
  };
  const addresses = { api: "https://api.example.com", stream: "https://stream.example.com" };
  await new PlaygroundModel(name, { view, send, addresses, speechFormat: "opus" }).run();
  return { sent, shown };
};

describe("The button of the playground", () => {
  it("sends the recording under its own name, and shows what was said", async () => {
    const { sent, shown } = await press("transcribe", {
      file: recording,
      response: Response.json({ text: "Webale" }),
    });
    expect(sent).toMatchObject([{ body: { file: { field: "audio", name: "market.mp3" } } }]);
    expect(shown).toEqual(["Webale"]);
  });

  it("sends nothing without a recording, or with one that the API would refuse", async () => {
    const large = new File([new Uint8Array(5 * 1024 * 1024)], "day.wav");
    expect(await press("transcribe", {})).toEqual({ sent: [], shown: [["noFile", undefined]] });
    expect(await press("transcribe", { file: large })).toEqual({
      sent: [],
      shown: [["tooLarge", undefined]],
    });
  });

  it("needs no recording for text", async () => {
    const response = Response.json({ output: { translated_text: "Oli otya?" } });
    const { sent, shown } = await press("translate", { response });
    expect([sent.length, ...shown]).toEqual([1, "Oli otya?"]);
  });

  it("shows the API's own words when it refuses", async () => {
    const error = { code: "quota_exceeded", message: "You have used your 3 requests for today." };
    const { shown } = await press("identify", { response: Response.json({ error }, { status: 429 }) });
    expect(shown).toEqual([[error.message, 429]]);
  });
});
