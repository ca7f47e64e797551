import { beforeAll, describe, expect, inject, it } from "vitest";
import * as z from "zod";
import * as contract from "../../functions/webhook/contract.ts";
import { makeOggOpus } from "../fixtures/audio/make-ogg.ts";
import { newMessage, recordOf } from "../support/assistant.ts";
import { baseUrl, call, createAccount, expectDeclared, expectError, speak } from "../support/client.ts";
import { errorBody } from "../support/declared.ts";
import {
  deliver,
  deliveryWith,
  messagesTo,
  newMessageId,
  newPerson,
  signatureOf,
  wordsOf,
} from "../support/person.ts";

const query = (parameters: Record<string, string>) => `?${new URLSearchParams(parameters)}`;
const subscribe = {
  "hub.mode": "subscribe",
  "hub.challenge": "1158201444",
  "hub.verify_token": "local-verify-token",
};
const paths = ["/tasks/webhook", "/tasks/webhook/"];

describe("the address that is pasted into the messaging platform's console", () => {
  it.runIf(inject("isLocal")).each(paths)("proves that it is ours: %s", async (path) => {
    const response = await call(path + query(subscribe));
    expect(response).toMatchObject({ status: 200, body: "1158201444" });
    expect(response.headers.get("content-type")).toMatch(/^text\/plain/);
  });

  it.each(paths)("refuses another token or mode, and a question without one: %s", async (path) => {
    expectError(await call(path + query({ ...subscribe, "hub.verify_token": "guess" })), 403, "forbidden");
    expectError(await call(path + query({ ...subscribe, "hub.mode": "list" })), 403, "forbidden");
    const { "hub.challenge": _, ...incomplete } = subscribe;
    expectError(await call(path + query(incomplete)), 400, "bad_request");
    expectError(await call(path), 400, "bad_request");
  });

  it.each(paths)("takes nothing without the platform's signature: %s", async (path) => {
    const body = newPerson().bodyOf({ type: "text", text: { body: "Hello" } });
    for (const headers of [{}, signatureOf(body, "another secret"), signatureOf(`${body} `)]) {
      const response = await deliver(body, { path, headers });
      expectError(response, 403, "invalid_signature", errorBody.extend(contract.webhookResponse.shape));
      expect(response.body).toMatchObject({ status: "rejected", processing_time: expect.any(Number) });
    }
  });
});

describe.runIf(inject("isLocal"))("a delivery", () => {
  it.each(paths)("is acknowledged as declared: %s", async (path) => {
    const person = newPerson();
    const response = await deliver(person.bodyOf(person.textOf("status")), { path });
    expectDeclared(contract.receiveDeliveryOperation, response);
    expect(response.body).toEqual({ status: "success", processing_time: expect.any(Number), message: null });
    expect((await messagesTo(person.id)).length).toBeGreaterThan(0);
  });

  it.each([
    ["this is no JSON", "ignored"],
    [deliveryWith([]), "no_messages"],
  ])("of %j returns 200 and %s", async (body, status) => {
    const response = await deliver(body);
    expectDeclared(contract.receiveDeliveryOperation, response);
    expect(response.body.status).toBe(status);
  });

  it("with messages of several people gets a reply to each of them, in order for each", async () => {
    const [amina, kato] = [newPerson(), newPerson()];
    const words = ["mode chat", "mode translate", "mode transcribe", "mode speak", "status"];
    const messages = words.flatMap((word) => [
      amina.messageOf(amina.textOf(word)),
      kato.messageOf(kato.textOf(word)),
    ]);
    expect((await deliver(deliveryWith(messages))).body.status).toBe("success");
    for (const { id } of [amina, kato]) {
      const replies = (await messagesTo(id))
        .map(wordsOf)
        .filter((response) => !response.includes("Get Help") && !response.includes("/privacy"));
      expect(replies.map((response) => /\*(\w+)/.exec(response)?.[1])).toEqual([
        ...["Chat", "Translate", "Transcribe", "Speak", "Your"],
      ]);
      expect(replies.at(-1)).toContain("Mode: Speak / TTS");
    }
  });

  it("that arrives many times at once gets exactly one reply", async () => {
    const person = newPerson();
    await person.say("hello");
    const body = person.bodyOf(person.textOf("How do you say thank you in Luganda?"), newMessageId());
    const responses = await Promise.all(Array.from({ length: 20 }, () => deliver(body)));
    for (const { status, body: response } of responses)
      expect([status, response.status]).toEqual([200, "success"]);
    const [, , , ...replies] = await messagesTo(person.id);
    expect(replies.map(wordsOf)).toEqual([expect.stringMatching(/webale/i)]);
  });

  it("that comes again after the queue has forgotten it changes nothing", async () => {
    const person = newPerson();
    const id = newMessageId();
    expect(await person.send(person.textOf("status"), id)).toHaveLength(3);
    expect((await deliver(person.bodyOf(person.textOf("status"), id))).body.status).toBe("success");
    // The queue keeps a second delivery out for five minutes. After those the worker gets the message once more.
    const content = { type: "text", text: "status" } as const;
    const message = { ...newMessage(content, person.id), id };
    const again = await call("/_local/functions/messaging/invocations", {
      body: { Records: [recordOf(message, { id: "another-queue-message" })] },
    });
    expect(JSON.parse(again.body)).toEqual({ batchItemFailures: [] });
    expect(await messagesTo(person.id)).toHaveLength(3);
  });
});

describe.runIf(inject("isLocal"))("the assistant", () => {
  let recording: ArrayBuffer;
  const upload = async (bytes: ArrayBuffer, type = "audio/ogg; codecs=opus"): Promise<string> => {
    const response = await fetch(`${baseUrl}/_local/media`, {
      method: "POST",
      headers: { "Content-Type": type },
      body: bytes,
    });
    return z.object({ id: z.string() }).parse(await response.json()).id;
  };

  beforeAll(async () => {
    const { token } = await createAccount();
    const spoken = await speak("Thank you", token, { voice: "salt_eng_0001" });
    recording = Uint8Array.from(spoken).buffer;
  });

  it("holds a conversation of ten turns, a voice note among them", async () => {
    const { say, tap, record, react } = newPerson();
    const [consent, greeting, welcome] = await say("Good morning!");
    expect(consent).toContain("Reply *STOP* to stop");
    expect(greeting).toContain("Hello Amina!");
    expect(welcome).toContain("Get Help | Set Language | Start Chatting");

    expect(await say("My name is Okello")).toEqual([
      expect.stringContaining('You wrote "My name is Okello"'),
    ]);
    expect(await say("What is my name?")).toEqual([
      expect.stringContaining('before that "My name is Okello"'),
    ]);

    const [languages] = await tap("Set Language", "row 2");
    expect(languages).toContain("Luganda | Acholi | Ateso | Lugbara | Runyankole | English | Swahili");
    expect(await tap("Luganda")).toEqual([expect.stringContaining("Olulimi lwo kati luli Luganda")]);

    expect(await say("mode translate")).toEqual([expect.stringContaining("nkivvuunule mu Luganda")]);
    expect(await say("How are you?")).toEqual(["Oli otya?"]);

    const spoken = await record(await upload(recording));
    expect(spoken.map(wordsOf)).toEqual([
      expect.stringContaining("listening"),
      expect.stringContaining("Thank you"),
      "Webale",
    ]);
    expect(spoken[1]?.body.context?.message_id).toMatch(/^wamid\./);

    expect(await react(spoken[2]?.id ?? "", "👍")).toEqual([
      expect.stringContaining("Excellent | Good | Fair | Poor"),
    ]);
    expect(await tap("Excellent")).toEqual([expect.stringContaining("Webale!")]);
    const [status] = await say("status");
    expect(status).toContain("Mode: Translate");
    expect(status).toContain("Language: Luganda");
  });

  it("replies to a voice note of eleven minutes with its transcript, once that is ready", async () => {
    const person = newPerson();
    await person.say("hello");
    const id = newMessageId();
    const long = Uint8Array.from(makeOggOpus(660 * 50, { preSkip: 0, packetBytes: 2 }));
    const sent = await person.send({ type: "audio", audio: { id: await upload(long.buffer) } }, id);
    expect(sent.map(wordsOf).slice(0, 2)).toEqual([
      expect.stringContaining("listening"),
      expect.stringContaining("11 minutes long"),
    ]);
    const transcripts = async () =>
      (await messagesTo(person.id)).filter(({ body }) => body.context?.message_id === id).map(wordsOf);
    await expect.poll(transcripts, { timeout: 30_000 }).toEqual([expect.stringMatching(/^📝 /)]);
  });

  it.each([
    ["that the platform does not know (or no longer)", async () => "471100000000000", "send it again"],
    ["that is no audio", async () => upload(new TextEncoder().encode("%PDF-1.7").buffer), "could not play"],
    ["that is cut off", async () => upload(recording.slice(0, 40)), "could not play"],
  ])("says so of a recording %s", async (_what, mediaId, words) => {
    const { say, record } = newPerson();
    await say("hello");
    expect((await record(await mediaId())).map(wordsOf)).toEqual([
      expect.stringContaining("listening"),
      expect.stringContaining(words),
    ]);
  });

  it("replies with a voice note too, once voice replies are on", async () => {
    const person = newPerson();
    await person.say("voice on");
    const sent = await person.send(person.textOf("How do you say thank you in Luganda?"));
    expect(sent.map(({ type }) => type)).toEqual(["text", "audio"]);
    expect(sent[1]?.body).toMatchObject({ audio: { id: expect.stringMatching(/^\d+$/) } });
    expect(await person.say("voice off")).toEqual([expect.stringContaining("off")]);
  });
});
