import { beforeAll, describe, expect, inject, it } from "vitest";
import * as z from "zod";
import { consentVersion } from "../../functions/messaging/consent.ts";
import { wordings } from "../../functions/messaging/wording.ts";
import { messagingKeys } from "../../shared/messaging/keys.ts";
import { makeOggOpus } from "../fixtures/audio/make-ogg.ts";
import { baseUrl, call } from "../support/client.ts";
import { deliver, deliveryWith, messagesTo, newMessageId, newPerson, wordsOf } from "../support/person.ts";
import { runCommand } from "../support/run-service.ts";
import { openStoredData, type StoredData } from "../support/stored-data.ts";

const { eng, lug, swa } = wordings;
const isLocal = inject("isLocal");
const day = 24 * 60 * 60;

let stored: StoredData;
beforeAll(async () => {
  if (isLocal) stored = await openStoredData();
});

const upload = async (): Promise<string> => {
  const response = await fetch(`${baseUrl}/_local/media`, {
    method: "POST",
    headers: { "Content-Type": "audio/ogg; codecs=opus" },
    body: Uint8Array.from(makeOggOpus(660 * 50, { preSkip: 0, packetBytes: 2 })),
  });
  return z.object({ id: z.string() }).parse(await response.json()).id;
};

const tracesOf = (id: string) => stored.findEverywhere(id);

const conversationOf = (id: string) => stored.table.read({ Key: messagingKeys.conversation(id) });

describe.runIf(isLocal)("the first message to a person", () => {
  it("says what is stored, for how long, how to stop and where the privacy notice is, once", async () => {
    const { id, say } = newPerson();
    const [first] = await say("hello");
    const { body } = await call("/_local/routes");
    expect(first).toBe(eng.consent(`${body.base_url}/privacy`));
    expect((await say("status")).join()).not.toContain("/privacy");
    expect(await conversationOf(id)).toMatchObject({
      consent: { version: consentVersion, at: expect.stringMatching(/^20\d\d-/) },
    });
  });

  it("comes before the first word about a voice note", async () => {
    const person = newPerson();
    const sent = await person.record("471100000000000");
    expect(sent.map(wordsOf).slice(0, 2)).toEqual([expect.stringContaining("/privacy"), eng.listening]);
  });

  it("is said again once when it has a newer version", async () => {
    const { id, say } = newPerson();
    await say("hello");
    await stored.table.update({
      Key: messagingKeys.conversation(id),
      UpdateExpression: "SET consent.version = :older",
      ExpressionAttributeValues: { ":older": "2026-01-01" },
    });
    expect(await say("status")).toEqual([
      expect.stringContaining("/privacy"),
      expect.stringContaining("*Your settings*"),
    ]);
    expect(await say("status")).toHaveLength(1);
  });
});

describe.runIf(isLocal)("STOP", () => {
  it.each([
    ["STOP", "START", eng],
    ["Koma", "Tandika", lug],
  ])("%s is confirmed, and then nothing is sent until %s", async (stop, start, wording) => {
    const person = newPerson();
    const { say, tap } = person;
    await say("hello");
    expect(await say(stop)).toEqual([wording.stopped]);
    for (const words of ["hello", "help", stop, "my data", "What is the answer?"])
      expect(await say(words)).toEqual([]);
    expect(await tap("Get Help")).toEqual([]);
    expect(await say(start)).toEqual([wording.started]);
    expect((await say("status")).join()).toContain(
      wording.status({ mode: "chat", language: "eng", voice: false }, "English"),
    );
  });

  it("is a word like others in a sentence, and a command in translate mode too", async () => {
    const { say } = newPerson();
    await say("set language Luganda");
    await say("mode translate");
    expect(await say("stop the car")).not.toContain(lug.stopped);
    expect(await say("STOP")).toEqual([expect.stringMatching(/START/)]);
    expect(await say("thank you")).toEqual([]);
  });

  it("as the first message gets its confirmation only, and nothing about the person is remembered but that", async () => {
    const { id, say } = newPerson();
    expect(await say("STOP")).toEqual([eng.stopped]);
    expect(await conversationOf(id)).toBeUndefined();
    const [started, ...more] = (await say("START")).slice(1);
    expect([started, more.length]).toEqual([eng.started, 1]);
  });

  it("holds back the transcript of a long voice note until START", async () => {
    const person = newPerson();
    await person.say("hello");
    const voiceNote = person.messageOf({ type: "audio", audio: { id: await upload() } });
    // In one delivery, so that STOP comes before the end of the job.
    await deliver(deliveryWith([voiceNote, person.messageOf(person.textOf("STOP"))]));
    await expect
      .poll(async () => (await conversationOf(person.id))?.["waiting_result"], { timeout: 30_000 })
      .toBeDefined();
    expect((await messagesTo(person.id)).at(-1)).toMatchObject({ body: { text: { body: eng.stopped } } });
    const words = await person.say("START");
    expect(words.slice(-2)).toEqual([eng.started, expect.stringMatching(/^📝 /)]);
  });
});

describe.runIf(isLocal)("a person's own data", () => {
  it("is shown on request, with a file of everything that is stored", async () => {
    const person = newPerson();
    expect((await person.say("my data"))[1]).toContain("Messages that I remember: 0");
    await person.say("My name is Okello");
    const sent = await person.send(person.textOf("My data"));
    expect(sent.map(wordsOf)).toEqual([
      expect.stringContaining("Messages that I remember: 1"),
      eng.myDataAsFile,
    ]);
    expect(sent[1]?.body.document).toMatchObject({ filename: "my-data.json" });
  });

  it("is deleted after one confirmation, and then nothing of the person remains in table or bucket", async () => {
    const person = newPerson();
    const { id, say, record, react } = person;
    await say("hello");
    const [reply] = await person.send(person.textOf("My name is Okello"));
    await react(reply?.id ?? "", "👍");
    await say("mode translate");
    await say("Thank you");
    await say("wrong: Weebale");
    await say("YES");
    await record(await upload());
    expect((await tracesOf(id)).length).toBeGreaterThan(5);

    expect(await say("forget me")).toEqual([eng.forgetQuestion]);
    const confirmation = newMessageId();
    expect((await person.send(person.textOf("yes"), confirmation)).map(wordsOf)).toEqual([eng.forgotten]);
    // The workers of jobs and messages may still be at it.
    await expect.poll(() => tracesOf(id), { timeout: 30_000 }).toEqual([]);
    expect((await messagesTo(id)).at(-1)).toMatchObject({ body: { text: { body: eng.forgotten } } });
    const [consent] = await say("hello");
    expect(consent).toContain("/privacy");
  });

  it("stays when the person says anything else than YES", async () => {
    const { id, say } = newPerson();
    await say("hello");
    await say("forget me");
    await say("status");
    expect(await say("yes")).not.toContain(eng.forgotten);
    expect(await conversationOf(id)).toBeDefined();
  });
});

describe.runIf(isLocal)("a transcript that is ready a day after the person wrote", () => {
  it("waits, because the platform would refuse it, and comes with the reply to the next message", async () => {
    const late = newPerson({ secondsAgo: day + 600 });
    expect(await late.record(await upload())).toEqual([]);
    await expect
      .poll(async () => (await conversationOf(late.id))?.["waiting_result"], { timeout: 30_000 })
      .toBeDefined();
    expect(await messagesTo(late.id)).toEqual([]);
    const now = newPerson({ id: late.id });
    expect(await now.say("status")).toEqual([
      expect.stringContaining("*Your settings*"),
      expect.stringMatching(/^📝 /),
    ]);
    expect(await now.say("status")).toHaveLength(1);
  });
});

describe.runIf(isLocal)("a wrong translation", () => {
  const feedback = async (): Promise<string> => {
    const month = new Date().toISOString().slice(0, 7);
    const running = runCommand("infra/commands/feedback.ts", ["--month", month], {
      DATA_DIR: inject("dataDirectory"),
    });
    expect(await running.ended).toBe(0);
    return running.output();
  };

  /** A person in translate mode, and the id of the translation that they got. */
  const withTranslation = async (text: string) => {
    const person = newPerson();
    await person.say("set language Luganda");
    await person.say("mode translate");
    const [translation] = await person.send(person.textOf(text));
    return { ...person, translation };
  };

  it("is stored only with consent, and listed for the operator without a name", async () => {
    const { id, say, sayInReply, translation } = await withTranslation("How are you?");
    await say("Good morning");
    expect(await sayInReply(translation?.id ?? "", "Wrong")).toEqual([eng.feedbackQuestion]);
    expect(await say(`YES: Oli otya nno, ${id}?`)).toEqual([eng.thanksForFeedback]);
    const lines = (await feedback()).trim().split("\n");
    const line = lines.find((each) => each.includes(id));
    expect(JSON.parse(line ?? "")).toEqual({
      source: "How are you?",
      translation: "Oli otya?",
      source_language: "eng",
      target_language: "lug",
      correction: `Oli otya nno, ${id}?`,
      consent_at: expect.any(String),
    });
  });

  it("without consent is not stored, nor after another message", async () => {
    const { id, say } = await withTranslation("Thank you");
    expect(await say(`wrong: Weebale ${id}`)).toHaveLength(1);
    expect((await conversationOf(id))?.["open_question"]).toMatchObject({ kind: "feedback" });
    await say("status");
    expect((await conversationOf(id))?.["open_question"]).toBeUndefined();
    await say("YES");
    expect(await feedback()).not.toContain(id);
    expect((await tracesOf(`Weebale ${id}`)).length).toBe(0);
  });

  it("is a word like others where there is no translation", async () => {
    const { say } = newPerson();
    await say("hello");
    expect(await say("wrong")).not.toContain(eng.feedbackQuestion);
  });
});

describe.runIf(isLocal)("the assistant's own words", () => {
  it("are in the language that the person writes, or chooses", async () => {
    const { say } = newPerson();
    const [consent, , welcome] = await say("Nsaba ontegeeze ebikwata ku bulwadde bw'omusujja");
    expect(consent).toContain("Ntereka obubaka bwaffe");
    expect(welcome).toContain(lug.menus.welcome.text);
    expect(await say("set language Kiswahili")).toEqual([swa.languageSet("Swahili")]);
    expect(await say("voice off")).toEqual([swa.voiceOff]);
    await say("Please tell me about the weather in Kampala");
    expect(await say("voice off")).toEqual([eng.voiceOff]);
  });
});
