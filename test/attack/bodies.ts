import { gzipSync } from "node:zlib";
import { makeChunkTables, makeIndexedMp4 } from "../fixtures/audio/make-mp4.ts";
import { Random } from "../fixtures/audio/random.ts";
import { encodeForm, formFile } from "../support/multipart.ts";
import { wavFile } from "../support/wav.ts";
import { type Attack, attacksOf, heldIf, type Outcome, refusedIf, type Target } from "./attack.ts";
import { uploadFile } from "./uploads.ts";
import {
  type AttackResponse,
  ask,
  attacksByVisitor,
  comparison,
  fastest,
  quotaOf,
  ratioOf,
} from "./visitor.ts";

const megabyte = 1024 * 1024;

/** As large as API Gateway lets through. */
const maxBodyBytes = Math.floor(5.8 * megabyte);

/** The bound on the time of an expensive request, compared with one of the same size; it was 40 and more. */
const maxTimesAsLong = 8;

const register = (target: Target, body: string): Promise<AttackResponse> =>
  ask(target, "/auth/register", { body });

/** Sends a body to a route without a token, and a plain text of the same length. */
const withoutToken =
  (write: (bytes: number) => string) =>
  async (target: Target): Promise<Outcome> => {
    const plain = JSON.stringify({ username: "a".repeat(maxBodyBytes - 20) });
    await register(target, "{}");
    const ordinary = await fastest(() => register(target, plain));
    const attacked = await fastest(() => register(target, write(maxBodyBytes)));
    const isRefused = attacked.status >= 400 && attacked.status < 500;
    return refusedIf(
      isRefused && ratioOf(attacked, ordinary) <= maxTimesAsLong,
      comparison(attacked, ordinary, "a text of that size"),
    );
  };

const smallBytes = 60_000;
const identify = (target: Target, token: string, body: string | object): Promise<AttackResponse> =>
  ask(target, "/tasks/language_id", { token, body });

const remaining = ({ headers }: AttackResponse): number =>
  Number(headers.get("x-ratelimit-remaining-requests"));

const chatLength = 200_001;

const transcribe = async (target: Target, token: string, file: Buffer): Promise<AttackResponse> => {
  const { body, headers } = await encodeForm({ audio: formFile(file), language: "lug" });
  return ask(target, "/tasks/audio/transcriptions", { token, headers, body });
};

const transcribeUpload = async (target: Target, token: string, fileId: string): Promise<AttackResponse> => {
  const { body, headers } = await encodeForm({ file_id: fileId, language: "lug" });
  return ask(target, "/tasks/audio/transcriptions", { token, headers, body });
};

/** An MP4 whose chunks hold nothing: a reader that goes through them one by one takes seconds for a million. */
const emptyChunks = (chunks: number): Buffer =>
  makeIndexedMp4({
    durations: [[1, 20]],
    samplesPerChunk: [[1, 0]],
    chunks: new Uint32Array(chunks),
    sizes: 1,
    data: Buffer.alloc(64),
  });

const silence = (bytes: number): Buffer => wavFile(Buffer.alloc(bytes), { stated: true });

/** Bodies that cost more to read than to send: numbers 1 and 2. */
export const bodyAttacks: readonly Attack[] = [
  ...attacksOf({ number: 1 })({
    "5.8 MB of a list that never ends, without a token": withoutToken(
      (bytes) => `[${"1,".repeat(bytes / 2)}`,
    ),
    "5.8 MB of opening brackets, without a token": withoutToken((bytes) => "[".repeat(bytes)),
    "5.8 MB of an object inside of objects, without a token": withoutToken((bytes) =>
      '{"a":'.repeat(bytes / 5),
    ),
  }),
  ...attacksByVisitor({ number: 1 })({
    "60 kB of a list that never ends, with a token: not expensive, counted in the minute, no quota": async (
      target,
      { token },
    ) => {
      const ordinary = await fastest(() => identify(target, token, { text: "Oli otya ssebo? ".repeat(300) }));
      const before = await quotaOf(target, token);
      const first = await identify(target, token, `[${"1,".repeat(smallBytes / 2)}`);
      const attacked = await fastest(() => identify(target, token, `[${"1,".repeat(smallBytes / 2)}`));
      const last = await identify(target, token, "[".repeat(smallBytes));
      const spent = (await quotaOf(target, token)).used - before.used;
      // A new minute may have started.
      const counted = remaining(first) - remaining(last);
      return refusedIf(
        attacked.status === 422 &&
          last.status === 422 &&
          ratioOf(attacked, ordinary) <= maxTimesAsLong &&
          spent === 0 &&
          (counted === 4 || counted < 0),
        `${comparison(attacked, ordinary, "a text of 5,000 characters")}, quota spent ${spent}, counted ${counted} of 4`,
      );
    },
    "60 MB of blanks, packed to 60 kB": async (target, { token }) => {
      const ordinary = await fastest(() => identify(target, token, { text: "a".repeat(smallBytes) }));
      const body = gzipSync(Buffer.alloc(60 * megabyte, " "));
      const headers = { "Content-Type": "application/json", "Content-Encoding": "gzip" };
      const attacked = await fastest(() => ask(target, "/tasks/language_id", { token, headers, body }));
      return refusedIf(
        attacked.status === 413 && ratioOf(attacked, ordinary) <= maxTimesAsLong,
        comparison(attacked, ordinary, "60 kB of text"),
      );
    },
    "a conversation of more than 200,000 characters": async (target, { token }) => {
      const messages = [{ role: "user", content: "a".repeat(chatLength) }];
      const body = { model: "lang-9b", messages };
      const attacked = await ask(target, "/tasks/chat/completions", { token, body });
      const { used } = await quotaOf(target, token);
      return refusedIf(
        (attacked.status === 422 || attacked.status === 413) && used === 0,
        `${attacked.status}, quota spent ${used}`,
      );
    },
  }),
  ...attacksByVisitor({ number: 2 })({
    "4 MB of an MP4 whose million chunks hold nothing": async (target, { token }) => {
      const ordinary = await fastest(() => transcribe(target, token, silence(4 * megabyte)));
      const before = await quotaOf(target, token);
      const attacked = await transcribe(target, token, emptyChunks(megabyte));
      const spent = (await quotaOf(target, token)).used - before.used;
      return refusedIf(
        attacked.status === 400 && ratioOf(attacked, ordinary) <= maxTimesAsLong && spent === 1,
        `${comparison(attacked, ordinary, "4 MB of audio")}, quota spent ${spent}`,
      );
    },
    "twenty MP4 files whose tables contradict each other": async (target, { token }) => {
      const ordinary = await fastest(() => transcribe(target, token, silence(megabyte)));
      let slowest = ordinary;
      for (let seed = 1; seed <= 20; seed += 1) {
        const response = await transcribe(target, token, makeChunkTables(new Random(seed), 100_000));
        if (response.status >= 500) return heldIf(false, `${response.status} for seed ${seed}`);
        if (response.milliseconds > slowest.milliseconds) slowest = response;
      }
      return heldIf(
        ratioOf(slowest, ordinary) <= 4 * maxTimesAsLong,
        `the slowest ${comparison(slowest, ordinary, "1 MB of audio")}`,
      );
    },
  }),
  ...attacksByVisitor({ number: 2, isLong: true })({
    "98 MB of an MP4 whose 25 million chunks hold nothing": async (target, { token }) => {
      const plain = await uploadFile(target, token, silence(98_000_000));
      const ordinary = await fastest(() => transcribeUpload(target, token, plain), 2);
      const crafted = await uploadFile(target, token, emptyChunks(24_500_000));
      const before = await quotaOf(target, token);
      const attacked = await transcribeUpload(target, token, crafted);
      const spent = (await quotaOf(target, token)).used - before.used;
      return refusedIf(
        attacked.status === 400 && ratioOf(attacked, ordinary) <= 2 * maxTimesAsLong && spent === 1,
        `${comparison(attacked, ordinary, "98 MB of audio")}, quota spent ${spent}`,
      );
    },
  }),
];
