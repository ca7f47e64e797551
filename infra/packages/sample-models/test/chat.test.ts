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

/** The reply to a conversation; texts are the user's messages, each with its reply before the next. */
const ask = async (...conversation: (string | Message)[]): Promise<string> => {
  const messages = conversation.map(
    (entry): Message => (typeof entry === "string" ? { role: "user", content: entry } : entry),
  );
  const { choices } = await openai.chat.completions.create({ model: "sample-14b", messages });
  return choices[0]?.message.content ?? "";
};

const disclosure = "This is the sample server, not a language model.";

describe("The translation instruction of the service", () => {
  const instructions: [instruction: string, translation: string][] = [
    ["Translate from English to Luganda: Good morning", "Wasuze otya nno"],
    ["Translate from English to Luganda: How are you?", "Oli otya?"],
    ["Translate from English to Swahili: Thank you", "Asante"],
    ["Translate from English to Kinyarwanda: Thank you", "Murakoze"],
    ["Translate from English to Acholi: Thank you", "Apwoyo"],
    ["Translate from Luganda to English: Webale nnyo.", "Thank you very much."],
    ["Translate from Runyankole to Acholi: Oraire ota?", "Icoo maber."],
    ["Translate to English: Habari za asubuhi", "Good morning"],
    ["translate from english to luganda: thank you\n", "webale"],
    ["Translate to Luganda:\nGood morning.\nThank you.", "Wasuze otya nno.\nWebale."],
  ];
  it.each(instructions)("«%s» returns the translation and nothing else", async (instruction, translation) => {
    expect(await ask({ role: "system", content: "You translate and summarise." }, instruction)).toBe(
      translation,
    );
  });

  it("names missing words of the phrasebook instead", async () => {
    expect(
      await ask("Translate from English to Luganda: Good morning! The bridge is closed: use the ferry."),
    ).toBe(
      'Wasuze otya nno! [sample server: no translation of "The bridge is closed: use the ferry." into Luganda; ' +
        "connect a real model]",
    );
  });

  it("is honest about languages that it has no phrases in", async () => {
    expect(await ask("Translate from English to Ma'di: Good morning")).toBe(
      `[sample server: no translation of "Good morning" into Ma'di; connect a real model]`,
    );
  });

  it("quotes only the beginning of a long text", async () => {
    const reply = await ask(`Translate to Luganda: ${"the long road ".repeat(350)}`);
    expect(reply.length).toBeLessThan(300);
    expect(reply).toContain('no translation of "the long road the long');
  });

  it("translates what looks like a request of its own", async () => {
    const reply = await ask("Translate from English to Luganda: What is my name?");
    expect(reply).toContain('no translation of "What is my name?" into Luganda');
  });
});

describe("A chat with the sample server", () => {
  it.each([
    ["Hello!", "Hello."],
    ["Good morning, how are you?", "Good morning. I am fine."],
    ["Oli otya?", "Ndi bulungi."],
    ["Habari za asubuhi", "Habari za asubuhi."],
    ["Asante sana", "Karibu sana."],
    ["Apwoyo", "You are welcome."],
  ])("replies to «%s» with «%s», and says what it is", async (greeting, reply) => {
    const received = await ask(greeting);
    expect(received.startsWith(`${reply} ${disclosure}`), received).toBe(true);
  });

  it.each([
    ['How do you say "good morning" in Luganda?', '"good morning" in Luganda is "wasuze otya nno".'],
    ["Hello, how do I say Thank you in Kinyarwanda", '"Thank you" in Kinyarwanda is "Murakoze".'],
    ["say water in Swahili", '"water" in Swahili is "maji".'],
    ["Translate Webale nnyo to English.", '"Webale nnyo" in English is "Thank you very much".'],
    ["translate “asante” from Swahili into acholi", '"asante" in Acholi is "apwoyo".'],
    ["What does 'murakoze cyane' mean?", '"murakoze cyane" in English is "thank you very much".'],
    ["What's Friday in Runyankore?", '"Friday" in Runyankole is "Orwakataano".'],
    ["Can you translate how are you to Swahili?", '"how are you" in Swahili is "habari yako?".'],
  ])("replies to «%s»", async (question, reply) => {
    expect(await ask(question)).toBe(`${reply} ${disclosure}`);
  });

  it("says so when it has no translation, or no such language", async () => {
    expect(await ask("How do you say helicopter in Luganda?")).toBe(
      `I have no Luganda for "helicopter"; connect a real model. ${disclosure}`,
    );
    expect(await ask("How do you say water in french?")).toBe(
      `I have no phrases in French, only in English, Luganda, Swahili, Kinyarwanda, Runyankole and Acholi. ${disclosure}`,
    );
  });

  it("remembers the name that was given in an earlier turn, the latest if there are several", async () => {
    expect(await ask("Hello, my name is Amina.")).toContain("Pleased to meet you, Amina.");
    expect(await ask("My name is Okello", "My name is Amina Nakato and I farm", "What is my name?")).toBe(
      `Your name is Amina Nakato. ${disclosure}`,
    );
    expect(await ask("What's my name?")).toBe(
      `You have not mentioned your name in this conversation. ${disclosure}`,
    );
  });

  it("counts what was said in earlier turns, the user's words only", async () => {
    const turns: (string | Message)[] = ["Good morning", { role: "assistant", content: "Hello to you." }];
    expect(await ask(...turns, "How many words did I write?")).toBe(
      `Before this you wrote 1 message with 2 words. ${disclosure}`,
    );
    expect(await ask(...turns, "Is it raining?")).toContain("Before this you wrote 1 message with 2 words.");
    expect(await ask("How many messages?")).toBe(
      `This is the first message of our conversation. ${disclosure}`,
    );
  });

  it("repeats what was said before", async () => {
    expect(await ask("I grow coffee in Masaka", "What did I say?")).toBe(
      `Before this you wrote "I grow coffee in Masaka". ${disclosure}`,
    );
  });

  it.each(["Which languages do you speak?", "Do you know Luganda?"])(
    "names its languages: «%s»",
    async (question) => {
      expect(await ask(question)).toBe(
        `I have phrases in English, Luganda, Swahili, Kinyarwanda, Runyankole and Acholi. ${disclosure}`,
      );
    },
  );

  it.each(["Who are you?", "What is your name?"])("says what it is: «%s»", async (question) => {
    expect(await ask(question)).toMatch(/^This is the sample server, not a language model\. I translate/u);
  });

  it("shows a phrase that asks nothing in all its languages", async () => {
    expect(await ask("Maji")).toBe(
      '"Maji" is Swahili; in other languages: English "water", Luganda "amazzi", Kinyarwanda "amazi", ' +
        `Runyankole "amaizi", Acholi "pii". ${disclosure}`,
    );
  });

  it.each(["\n", "\t\n ", "? ", "say in ", "hello, "])(
    "replies without delay when a message repeats %j for 300,000 characters",
    async (pattern) => {
      const long = pattern.repeat(300_000 / pattern.length);
      expect(await ask({ role: "system", content: `${long}.` }, `${long}x`)).toContain("sample server");
    },
  );

  it("repeats the gist of a question that it does not know", async () => {
    const reply = await ask("When should I plant maize near Gulu?");
    expect(reply.startsWith(`${disclosure} I have no reply to "When should I plant maize near Gulu?"`)).toBe(
      true,
    );
    expect(reply).toContain("connect a real model");
  });

  it("has a reply when there is no message from the user", async () => {
    expect(await ask({ role: "system", content: "Be kind." })).toBe(
      `There is no message from the user to reply to. ${disclosure}`,
    );
  });
});

describe("A summary by the sample server", () => {
  const text = "Rain fell at 3:00 in Gulu. The roads are wet. Buses are late. Schools open at nine.";
  const summary =
    "Rain fell at 3:00 in Gulu. The roads are wet. [sample server: the first sentences of the text, not a summary by a model]";

  it.each([
    `Summarise: ${text}`,
    `Please summarize the following text in one paragraph.\n\n${text}`,
    `summarise this in English:\n${text}`,
  ])("takes the beginning of the text and says so: «%s»", async (request) => {
    expect(await ask(request)).toBe(summary);
  });

  it("summarises the user's message when the system message orders it", async () => {
    const order: Message = {
      role: "system",
      content: "You are a careful editor. Summarise the user's text.",
    };
    expect(await ask(order, text)).toBe(summary);
  });

  it("is not made because a system message mentions summaries", async () => {
    const system = "You are an assistant that translates, explains and summarises. You can summarise texts.";
    expect(await ask({ role: "system", content: system }, "Hello")).toContain("Hello.");
  });

  it("requests the text when there is none", async () => {
    expect(await ask("Summarise the news")).toBe(
      "The sample server summarises a text that follows a colon: Summarise: …",
    );
  });
});
