import * as z from "zod";
import { audioBytes, wavFile } from "../support/wav.ts";
import { type Attack, attacksOf, heldIf, refusedIf, type Target } from "./attack.ts";
import { orderOf } from "./model-server.ts";
import { uploadFile } from "./uploads.ts";
import {
  ask,
  attacksByVisitor,
  countOf,
  mailedToken,
  newVisitor,
  quotaOf,
  read,
  statusesOf,
} from "./visitor.ts";

const savedTranscription = z.object({ audio_url: z.string(), audio_transcription_id: z.int() });

/** The attackers' own limit, of a free account, in a minute. */
const freePerMinute = 50;

const fromStore = "/tasks/stt_from_gcs";

/** Uploads a recording, as a client of version 1 does. @returns the name of its storage object. */
const uploadRecording = async (target: Target, token: string): Promise<string> => {
  const file = wavFile(audioBytes(1_000_000), { stated: true });
  return `uploads/${await uploadFile(target, token, file)}/council.wav`;
};

/** What an attack makes others pay for, and values that are larger or odder than any: numbers 9, 10, 11 and a part of 12. */
export const costAttacks: readonly Attack[] = [
  ...attacksByVisitor({ number: 9, needs: ["table"] })({
    "200 requests of one account while its counters are throttled": async (target, { token }) => {
      const statuses: number[] = [];
      target.failCounters(true);
      try {
        for (let round = 0; round < 50; round += 1) {
          const sent = Array.from({ length: 4 }, () =>
            ask(target, "/tasks/language_id", { token, body: { text: "Oli otya ssebo?" } }),
          );
          statuses.push(...(await Promise.all(sent)).map(({ status }) => status));
        }
      } finally {
        target.failCounters(false);
      }
      const admitted = statuses.filter((status) => status === 200).length;
      const after = await ask(target, "/tasks/language_id", { token, body: { text: "Oli otya ssebo?" } });
      return heldIf(
        admitted === 0 &&
          statuses.every((status) => status === 503 || status === 429) &&
          after.status === 200,
        `${admitted} of ${statuses.length} admitted uncounted; ${after.status} once the table counts again`,
      );
    },
    "200 parallel requests with a key whose limit is spent, while its counters are throttled": async (
      target,
      { token },
    ) => {
      const body = { name: "small", monthly_limit: 2 };
      const { key } = read(await ask(target, "/auth/keys", { token, body }), z.object({ key: z.string() }));
      const identify = () =>
        ask(target, "/tasks/language_id", { token: key, body: { text: "Oli otya ssebo?" } });
      const before = [await identify(), await identify(), await identify()];
      target.failCounters(true);
      const sent = await Promise.all(Array.from({ length: 200 }, identify)).finally(() =>
        target.failCounters(false),
      );
      return refusedIf(
        statusesOf(before) === "200 200 429" && countOf(sent, 429) === sent.length,
        `${statusesOf(before)} in order, then ${countOf(sent, 200)} of ${sent.length} admitted`,
      );
    },
  }),
  ...attacksByVisitor({ number: 9 })({
    "200 parallel requests of one account": async (target, { token }) => {
      const text = "Oli otya ssebo?";
      const sent = await Promise.all(
        Array.from({ length: 200 }, () => ask(target, "/tasks/language_id", { token, body: { text } })),
      );
      const { used } = await quotaOf(target, token).catch(() => ({ used: freePerMinute }));
      const admitted = countOf(sent, 200);
      return heldIf(
        admitted <= freePerMinute && used >= admitted,
        `${admitted} of ${sent.length} admitted, ${used} counted`,
      );
    },
  }),
  ...attacksByVisitor({ number: 10 })({
    "one upload transcribed five times by the old route": async (target, { token }) => {
      const name = await uploadRecording(target, token);
      const copies = new Set<string>();
      for (let time = 0; time < 5; time += 1) {
        const body = new URLSearchParams({ gcs_blob_name: name });
        copies.add(read(await ask(target, fromStore, { token, body }), savedTranscription).audio_url);
      }
      return heldIf(copies.size === 1, `5 transcriptions, ${copies.size} copies`);
    },
    "a batch of 16 texts that counts as one task": async (target, { token }) => {
      const items = Array.from({ length: 16 }, () => ({ text: "Oli otya?" }));
      const { status } = await ask(target, "/tasks/audio/speech/batch", { token, body: { items } });
      const { used } = await quotaOf(target, token);
      return heldIf(used === 16, `${status}, quota spent ${used}`);
    },
  }),
  ...attacksByVisitor({ number: 10, needs: ["mails"] })({
    "an account with an unverified address and the whole quota": async (target, { token, email }) => {
      const before = await quotaOf(target, token);
      await ask(target, "/auth/verify-email", { body: { token: await mailedToken(target, email) } });
      const after = await quotaOf(target, token);
      return heldIf(
        (before.limit ?? 0) * 10 <= (after.limit ?? 0),
        `${before.limit} tasks a day before the address is verified, ${after.limit} after`,
      );
    },
  }),
  ...attacksByVisitor({ number: 11 })({
    "5 MB as the name of a voice, which comes back twice": async (target, { token }) => {
      const body = { text: "Oli otya?", voice: "a".repeat(5_000_000) };
      const { status, text } = await ask(target, "/tasks/audio/speech", { token, body });
      return refusedIf(
        (status === 413 || status === 422) && text.length < 2_000,
        `${status}, a response of ${text.length} bytes`,
      );
    },
    "60 kB as the name of a language": async (target, { token }) => {
      const body = { text: "Oli otya?", language: "a".repeat(60_000) };
      const { status, text } = await ask(target, "/tasks/audio/speech", { token, body });
      return refusedIf(
        status === 422 && text.length < 2_000,
        `${status}, a response of ${text.length} bytes`,
      );
    },
    "900 kB in the descriptions of tools, next to a short conversation": async (target, { token }) => {
      const tool = { type: "function", function: { name: "a", description: "a".repeat(90_000) } };
      const body = { messages: [{ role: "user", content: "Oli otya?" }], tools: Array(10).fill(tool) };
      const { status, text } = await ask(target, "/v1/chat/completions", { token, body });
      return refusedIf(status >= 400 && status < 500 && text.length < 2_000, `${status}`);
    },
    "a schema of 5,000 references, and one of 5,000 levels, for a model's server to resolve": async (
      target,
      { token },
    ) => {
      const wide = JSON.stringify({ anyOf: Array.from({ length: 5_000 }, () => ({ $ref: "#/$defs/a" })) });
      const deep = `${'{"not":'.repeat(5_000)}{}${"}".repeat(5_000)}`;
      const messages = [{ role: "user", content: "Oli otya?" }];
      const responses = [];
      for (const schema of [wide, deep]) {
        const tools = [{ type: "function", function: { name: "a", parameters: "schema" } }];
        const json_schema = { name: "a", schema: "schema" };
        for (const more of [{ tools }, { response_format: { type: "json_schema", json_schema } }]) {
          const body = JSON.stringify({ messages, ...more }).replace(
            '"schema":"schema"',
            `"schema":${schema}`,
          );
          responses.push(
            await ask(target, "/v1/chat/completions", {
              token,
              body: body.replace('"parameters":"schema"', `"parameters":${schema}`),
            }),
          );
        }
      }
      return refusedIf(
        responses.every(({ status, text }) => status >= 400 && status < 500 && text.length < 2_000),
        statusesOf(responses),
      );
    },
    "a word where a whole number belongs": async (target, { token }) => {
      const body = { text: "Oli otya?", seed: "seven" };
      const { status, text } = await ask(target, "/tasks/audio/speech", { token, body });
      const type = /"type":"(\w+)"/.exec(text)?.[1];
      return refusedIf(status === 422 && type === "int_parsing", `${status} ${type}`);
    },
  }),
  ...["blanks around the last word", "other choices", "negative counts"].map(
    (behaviour): Attack => ({
      number: 11,
      name: `a model's stream with ${behaviour}`,
      needs: ["models"],
      attempt: async (target) => {
        const { token } = await newVisitor(target);
        const messages = [{ role: "user", content: orderOf(behaviour) }];
        const body = { model: "lang-9b", stream: true, messages };
        const { status, text } = await ask(target, "/tasks/chat/completions", { token, body });
        const faults = [/"error"/, /marabou/, /_tokens":-/].filter((fault) => fault.test(text)).length;
        return heldIf(
          status === 200 && faults === 0 && text.includes("Oli otya?") && text.endsWith("data: [DONE]\n\n"),
          `${status}, ${faults} faults in the stream`,
        );
      },
    }),
  ),
  ...attacksByVisitor({ number: 11, needs: ["models"] })({
    "endless audio for one short text": async (target, { token }) => {
      const sentBefore = target.audioSent();
      const body = { text: `${orderOf("endless")} Oli otya?` };
      const { status, milliseconds } = await ask(target, "/tasks/audio/speech", { token, body });
      const megabytes = (target.audioSent() - sentBefore) / 1e6;
      return heldIf(
        status >= 500 && megabytes < 60,
        `${status} after ${(milliseconds / 1_000).toFixed(1)} s and ${megabytes.toFixed(1)} MB of audio`,
      );
    },
  }),
  ...attacksOf({ number: 12 })({
    "names of stored recordings that reveal bucket or account, and what their owner cannot delete": async (
      target,
    ) => {
      const [owner, other] = [await newVisitor(target), await newVisitor(target)];
      const body = new URLSearchParams({ gcs_blob_name: await uploadRecording(target, owner.token) });
      const saved = read(await ask(target, fromStore, { token: owner.token, body }), savedTranscription);
      const remove = (token: string) =>
        ask(target, `/tasks/stt/${saved.audio_transcription_id}`, { method: "DELETE", token });
      const [byOther, byOwner] = [await remove(other.token), await remove(owner.token)];
      const reveals = !/^transcriptions\/[0-9a-f]{32}\.\w+$/.test(saved.audio_url);
      return heldIf(
        !reveals && byOther.status === 404 && byOwner.status === 200,
        `${reveals ? "reveals more than a random name" : "a random name"}, deleted by another ${byOther.status}, by its owner ${byOwner.status}`,
      );
    },
  }),
];
