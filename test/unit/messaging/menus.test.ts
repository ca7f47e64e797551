import { describe, expect, it } from "vitest";
import { modes } from "../../../functions/messaging/conversation.ts";
import { limits, renderMessage } from "../../../functions/messaging/graph-message.ts";
import {
  languageList,
  modeList,
  ratingList,
  voiceButtons,
  welcomeList,
} from "../../../functions/messaging/menus.ts";
import { english as wording } from "../../../functions/messaging/wording/english.ts";
import { wordings } from "../../../functions/messaging/wording.ts";
import { outgoingMessage } from "../../../infra/local/messaging/accept-message.ts";

const recipient = { phoneNumberId: "1", phone: "256700000001", sender: "256700000001" };
const options = { quoting: undefined, reference: '["256700000001","wamid.1",0]' };

const menus = {
  welcome: welcomeList(wording),
  language: languageList("Runyankole", wording),
  mode: modeList("transcribe", wording),
  rating: ratingList(wording),
  voice: voiceButtons(true, wording),
} as const;

describe("a menu", () => {
  it.each(Object.entries(menus))("fits the platform's limits without being cut: %s", (_name, menu) => {
    const rendered = renderMessage(recipient, menu, options);
    expect(outgoingMessage.safeParse(rendered).error).toBeUndefined();
    expect(JSON.stringify(rendered)).not.toContain("…");
  });

  it.each(Object.entries(wordings))("fits them in every language: %s", (_language, words) => {
    const lists = [
      welcomeList(words),
      languageList("Runyankole", words),
      ...modes.map((mode) => modeList(mode, words)),
      ratingList(words),
      voiceButtons(false, words),
    ];
    for (const menu of lists) {
      const rendered = renderMessage(recipient, menu, options);
      expect(outgoingMessage.safeParse(rendered).error).toBeUndefined();
      expect(JSON.stringify(rendered)).not.toContain("…");
    }
  });

  it("offers what it always did", () => {
    const titles = (rows: readonly { readonly title: string }[]) => rows.map(({ title }) => title);
    expect(titles(menus.welcome.rows)).toEqual(["Get Help", "Set Language", "Start Chatting"]);
    expect(menus.welcome.button).toBe("Get Started");
    expect(titles(menus.language.rows)).toEqual([
      ...["Luganda", "Acholi", "Ateso", "Lugbara", "Runyankole", "English", "Swahili"],
    ]);
    expect(menus.mode.rows.map(({ id, title }) => [id, title])).toEqual([
      ["mode_chat", "Chat"],
      ["mode_translate", "Translate"],
      ["mode_transcribe", "Transcribe"],
      ["mode_tts", "Speak / TTS"],
    ]);
    expect(menus.mode.footer).toContain("Transcribe");
    expect(titles(menus.rating.rows)).toEqual(["Excellent", "Good", "Fair", "Poor"]);
  });
});

describe("a message", () => {
  it("is cut to what the platform takes", () => {
    const long = "Webale nnyo. ".repeat(1_000);
    const rendered = renderMessage(
      recipient,
      {
        kind: "list",
        header: long,
        text: long,
        footer: long,
        button: long,
        rows: Array.from({ length: 12 }, (_, index) => ({
          id: String(index),
          title: long,
          description: long,
        })),
      },
      options,
    );
    expect(outgoingMessage.safeParse(rendered).error).toBeUndefined();
    const text = renderMessage(recipient, { kind: "text", text: long }, options);
    expect(outgoingMessage.safeParse(text).error).toBeUndefined();
  });

  it("goes to the phone number, or to the user id of people who keep theirs to themselves", () => {
    const content = { kind: "text", text: "Hello" } as const;
    expect(renderMessage(recipient, content, options)).toMatchObject({ to: "256700000001" });
    const hidden = renderMessage({ ...recipient, phone: undefined, sender: "UG.123" }, content, options);
    expect(hidden).toMatchObject({ recipient: "UG.123" });
    expect(hidden).not.toHaveProperty("to");
  });

  it("of our own wording is short enough for one message", () => {
    for (const text of [wording.help, wording.menu("translate"), wording.nudge]) {
      expect(text.length).toBeLessThan(limits.text);
    }
  });
});
