// A translation function in a process of its own, for tests that kill it:
// node idempotent-process.ts <endpoint> <table> <account> <model's address> <text> …
// Each text is sent as a request of its own, under itself as its Idempotency-Key.

import { get, type IncomingMessage } from "node:http";
import { text as read } from "node:stream/consumers";
import { translateEndpoints } from "../../functions/translate/endpoints.ts";
import { createLimitCounters, createLimiter } from "../../shared/accounts/limits/limiter.ts";
import { createIdempotencyStore } from "../../shared/http/idempotency/idempotency-store.ts";
import { send } from "../support/send.ts";
import { testItems } from "../support/test-table.ts";
import { uncountedCharacters } from "../support/uncounted-characters.ts";
import { unsureDetector } from "../support/unsure-detector.ts";

/** As long as the translation function may take. */
export const functionMilliseconds = 330_000;

const noStore = () => Promise.reject(new Error("No answer is that large."));

/** Requests a translation like another instance of the function, at a time that may be in the future. */
export const translateOnce = (
  { endpoint, table, userId, model }: Readonly<Record<"endpoint" | "table" | "userId" | "model", string>>,
  text: string,
  now: () => number = Date.now,
) => {
  const items = testItems({ endpoint, name: table });
  const responded = (asking: string) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      get(`${model}/${asking}`, resolve).on("error", reject);
    });
  return send(
    translateEndpoints({
      characters: uncountedCharacters,
      sourceDetector: unsureDetector,
      translator: {
        translate: async ({ text: asking }) => ({
          text: await read(await responded(asking)),
          usage: undefined,
        }),
      },
    }),
    {
      path: "/tasks/translate",
      body: { source_language: "eng", target_language: "lug", text },
      headers: { "Idempotency-Key": text },
      authorizer: { userId, tokenId: "a-token", tokenEpoch: "0" },
      remainingMilliseconds: functionMilliseconds,
    },
    {
      limiter: createLimiter(createLimitCounters(items, 1), { timeoutMilliseconds: 20_000 }),
      idempotencyStore: createIdempotencyStore({
        table: items,
        store: {
          put: noStore,
          delete: noStore,
          stream: () => {
            throw new Error("No answer is that large.");
          },
        },
        now,
      }),
    },
  );
};

if (import.meta.main) {
  const [endpoint = "", table = "", userId = "", model = "", ...texts] = process.argv.slice(2);
  await Promise.all(texts.map((text) => translateOnce({ endpoint, table, userId, model }, text)));
}
