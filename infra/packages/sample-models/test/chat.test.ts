import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SampleInference, startSampleInference } from "../src/index.ts";

let server: SampleInference;
let openai: OpenAI;

beforeAll(async () => {
  server = await startSampleInference({ tokenDelayMilliseconds: 0 });
  openai = new OpenAI({ baseURL: server.baseUrl, apiKey: "any", maxRetries: 0 });
});

afterAll(() => server.close());

type Message = OpenAI.ChatCompletionMessageParam;

/** The reply to a conversation; texts are messages of the user. */
const ask = async (...conversation: (string | Message)[]): Promise<string> => {
  const messages = conversation.map(
    (entry): Message => (typeof entry === "string" ? { role: "user", content: entry } : entry),
  );
  const { choices } = await openai.chat.completions.create({ model: "sample-14b", messages });
  return choices[0]?.message.content ?? "";
};

const disclosure = "This is the sample server, not a language model.";

describe("The translation instruction of the service", () => {
  it.each([
    ["Translate from English to Luganda: How are you?", "Oli otya?"],
    ["Translate from Runyankole to Acholi: Oraire ota?", "Icoo maber."],
    ["Translate to English: Habari za asubuhi", "Good morning"],
    ["translate from english to luganda: thank you\n", "webale"],
    ["Translate to Luganda:\nGood morning.\nThank you.", "Wasuze otya nno.\nWebale."],
    [
      "Translate from English to Luganda: Good morning! The bridge is closed: use the ferry.",
      'Wasuze otya nno! [sample server: no translation of "The bridge is closed: use the ferry." into Luganda; connect a real model]',
    ],
    [
      "Translate from English to Ma'di: Good morning",
      `[sample server: no translation of "Good morning" into Ma'di; connect a real model]`,
    ],
  ])(
    "«%s» returns the translation and nothing else, or what is missing",
    async (instruction, translation) => {
      expect(await ask({ role: "system", content: "You translate." }, instruction)).toBe(translation);
    },
  );

  it("quotes only the beginning of a long text", async () => {
    const reply = await ask(`Translate to Luganda: ${"the long road ".repeat(350)}`);
    expect(reply.length).toBeLessThan(300);
    expect(reply).toContain('no translation of "the long road the long');
  });
});

describe("A chat with the sample server", () => {
  it.each([
    ['How do you say "good morning" in Luganda?', '"good morning" in Luganda: wasuze otya nno.'],
    [
      "how do I say helicopter in Swahili",
      '"helicopter" in Swahili: [sample server: no translation of "helicopter" into Swahili; connect a real model].',
    ],
  ])("replies to «%s» and says what it is", async (question, reply) => {
    expect(await ask(question)).toBe(`${reply} ${disclosure}`);
  });

  it("repeats what it has no reply to, and the user's message before", async () => {
    const turns = ["I grow coffee", { role: "assistant", content: "So do I." }, "in Masaka"] as const;
    expect(await ask("My name is Amina", ...turns)).toBe(
      `${disclosure} You wrote "in Masaka" and before that "I grow coffee". For real replies, connect a real model.`,
    );
    expect(await ask("Is it raining?")).toBe(
      `${disclosure} You wrote "Is it raining?". For real replies, connect a real model.`,
    );
    expect(await ask({ role: "system", content: "Be kind." })).toBe(
      `There is no message from the user to reply to. ${disclosure}`,
    );
  });

  it.each(["\n", "? ", "how do you say in "])(
    "replies without delay when a message repeats %j for 300,000 characters",
    async (pattern) => {
      const long = pattern.repeat(300_000 / pattern.length);
      expect(await ask({ role: "system", content: `${long}.` }, `${long}x`)).toContain("sample server");
    },
  );
});
