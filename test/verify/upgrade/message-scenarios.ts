import { createHmac, randomBytes } from "node:crypto";
import * as z from "zod";
import bounce from "../../../events/mail-feedback/bounce.json" with { type: "json" };
import { recordWords } from "../../support/spoken-words.ts";
import { read, requireSame, send, waitFor } from "./api.ts";
import { createAccount, logIn, mailedSecret, mailedSecrets, type Scenario, type World } from "./scenario.ts";

/** The local service expects this secret by default. */
const appSecret = "local-app-secret";

/** Delivers a message to the webhook, as the messaging platform does. */
const deliver = async ({ url }: World, from: string, content: object, userId?: string): Promise<void> => {
  const message = {
    from,
    ...(userId !== undefined && { from_user_id: userId }),
    id: `wamid.${randomBytes(24).toString("base64")}`,
    timestamp: String(Math.floor(Date.now() / 1_000)),
    ...content,
  };
  const value = {
    messaging_product: "whatsapp",
    metadata: { display_phone_number: "256700000000", phone_number_id: "100000000000001" },
    contacts: [{ profile: { name: "Amina Nakato" }, wa_id: from }],
    messages: [message],
  };
  const body = Buffer.from(
    JSON.stringify({
      object: "whatsapp_business_account",
      entry: [{ id: "1", changes: [{ field: "messages", value }] }],
    }),
  );
  const signature = createHmac("sha256", appSecret).update(body).digest("hex");
  await read(z.object({ status: z.literal("success") }), `${url}/tasks/webhook`, {
    bytes: body,
    headers: { "Content-Type": "application/json", "X-Hub-Signature-256": `sha256=${signature}` },
  });
};

const textMessage = (body: string) => ({ type: "text", text: { body } });

const sentMessages = z.array(
  z.object({ to: z.string(), body: z.looseObject({ text: z.object({ body: z.string() }).optional() }) }),
);

/** The texts that were sent to a person, without menus, once all queues are empty. */
const repliesTo = async (world: World, ...identifiers: readonly string[]): Promise<string[]> =>
  (await whenIdle(sentMessages, world)).flatMap(({ to, body }) =>
    identifiers.includes(to) && body.text ? [body.text.body] : [],
  );

/** The messages that were sent, once all queues are empty. */
const whenIdle = <Content>(schema: z.ZodType<Content>, { url }: World): Promise<Content> =>
  waitFor("all queues are empty", async () => {
    const { headers, bytes } = await send(`${url}/_local/messages`);
    const isIdle = headers.get("x-queue-idle") === "true";
    return isIdle ? schema.parse(JSON.parse(bytes.toString("utf8"))) : undefined;
  });

const phoneNumber = ({ maker }: World, number: number): string =>
  `2567000000${maker === "release" ? 1 : 2}${number}`;

const question = "How are you?";

/** Replies without the sentence on privacy, which a later release sends a person first. */
const withoutNotice = (replies: readonly string[]): string[] =>
  replies.filter((reply) => !reply.includes("/privacy"));

const conversation: Scenario = {
  title: "the settings of a person on the messaging platform",
  prepare: async (world) => {
    const person = phoneNumber(world, 1);
    const ask = async (text: string): Promise<string[]> => {
      const before = (await repliesTo(world, person)).length;
      await deliver(world, person, textMessage(text));
      return (await repliesTo(world, person)).slice(before);
    };
    await ask("set language acholi");
    await ask("mode translate");
    const stored = await ask(question);
    requireSame("whether there is a reply", stored.length, 1);
    return async () => requireSame("the reply", withoutNotice(await ask(question)), stored);
  },
};

/** What was stored under a phone number is found after the platform has started to send a user id with it. */
const identified: Scenario = {
  title: "the settings, and STOP, of people whose phone numbers get a user id",
  prepare: async (world) => {
    const [person, stopped] = [phoneNumber(world, 4), phoneNumber(world, 5)];
    const userIdOf = (phone: string): string => `UG.${phone}`;
    const ask = async (phone: string, text: string, userId?: string): Promise<string[]> => {
      const identifiers = [phone, userIdOf(phone)];
      const before = (await repliesTo(world, ...identifiers)).length;
      await deliver(world, phone, textMessage(text), userId);
      return (await repliesTo(world, ...identifiers)).slice(before);
    };
    await ask(person, "set language acholi");
    await ask(person, "mode translate");
    const stored = await ask(person, question);
    requireSame("whether there is a reply", stored.length, 1);
    await ask(stopped, "STOP");
    return async () => {
      const reply = withoutNotice(await ask(person, question, userIdOf(person)));
      requireSame("the reply", reply, stored);
      requireSame("replies after STOP", await ask(stopped, question, userIdOf(stopped)), []);
    };
  },
};

export const queuedMessage: Scenario = {
  title: "a message that the model has not replied to yet",
  prepare: async (world) => {
    const person = phoneNumber(world, 2);
    const { chat } = world.gates;
    chat.shut();
    await deliver(world, person, textMessage(question));
    await waitFor("the chat model gets the message", () => chat.held.size > 0 || undefined);
    let replies: readonly string[] | undefined;
    return async () => {
      const seen = withoutNotice(await repliesTo(world, person));
      requireSame("replies", seen.length, 1);
      replies ??= seen;
      requireSame("the reply", seen, replies);
    };
  },
};

const mailText = z.object({ Content: z.object({ Raw: z.object({ Data: z.base64() }) }) });

export const queuedMail: Scenario = {
  title: "mails that are not sent yet",
  prepare: async (world) => {
    const { url, gates } = world;
    gates.mail.shut();
    const { username, email } = await createAccount(world, "unmailed");
    await send(`${url}/auth/forgot-password`, { json: { email } });
    await waitFor("both mails are on their way", () => {
      const texts = [...gates.mail.held].map((body) => {
        const { Data } = mailText.parse(JSON.parse(body.toString("utf8"))).Content.Raw;
        return Buffer.from(Data, "base64").toString("utf8");
      });
      return texts.filter((text) => text.includes(email)).length === 2 || undefined;
    });
    const newPassword = `nine cranes ${randomBytes(6).toString("hex")}`;
    let isReset = false;
    return async () => {
      const reset = await mailedSecret(world, email, "/reset-password");
      if (!isReset) {
        await send(`${url}/auth/reset-password`, { json: { token: reset, new_password: newPassword } });
      }
      isReset = true;
      await send(`${url}/auth/me`, { token: await logIn(world, username, newPassword) });
      for (const path of ["/reset-password", "/auth/verify-email"]) {
        await mailedSecret(world, email, path);
        requireSame(`mails that lead to ${path}`, (await mailedSecrets(world, email, path)).length, 1);
      }
    };
  },
};

const returnedMail: Scenario = {
  title: "an address that gets no mail because one bounced",
  prepare: async (world) => {
    const { url } = world;
    const { email } = await createAccount(world, "unreachable");
    await mailedSecret(world, email, "/auth/verify-email");
    const event = JSON.stringify(bounce).replaceAll("amina@example.com", email);
    await send(`${url}/_local/functions/mail-feedback/invocations`, { json: JSON.parse(event) });
    return async () => {
      await send(`${url}/auth/forgot-password`, { json: { email } });
      await whenIdle(z.unknown(), world);
      requireSame("mails", (await mailedSecrets(world, email, "/reset-password")).length, 0);
    };
  },
};

/** The model still has two pieces of it when the build is stopped. */
export const longVoiceNote: Scenario = {
  title: "a voice note of twelve minutes, which the assistant has a job transcribe",
  prepare: async (world) => {
    const person = phoneNumber(world, 3);
    const { transcription } = world.gates;
    const { wav, words } = recordWords(world.voice, 720, 21);
    const { id } = await read(z.object({ id: z.string() }), `${world.url}/_local/media`, {
      bytes: wav,
      headers: { "Content-Type": "audio/wav" },
    });
    transcription.shut();
    await deliver(world, person, { type: "audio", audio: { id, mime_type: "audio/wav", voice: true } });
    await waitFor("its pieces are with the model", () => transcription.held.size === 2 || undefined);
    return async () => {
      const said = (await repliesTo(world, person)).join(" ").replaceAll(/\s+/g, " ");
      for (const part of [words.slice(0, 40), words.slice(-40)]) {
        requireSame("how often a part of the transcript was sent", said.split(part.join(" ")).length - 1, 1);
      }
    };
  },
};

export const messageScenarios: readonly Scenario[] = [conversation, identified, returnedMail];
