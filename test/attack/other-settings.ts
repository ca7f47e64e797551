import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { listenOnLoopback } from "../support/loopback-server.ts";
import { type Attack, heldIf, type Outcome, refusedIf, type Target } from "./attack.ts";
import { startAttackedService } from "./attacked-service.ts";
import { orderOf } from "./model-server.ts";
import { uploadRecording } from "./uploads.ts";
import { ask, newVisitor, read } from "./visitor.ts";

/** Runs an attack on a service of its own, because the settings that it needs would weaken others. */
const withSettings =
  (variables: Readonly<Record<string, string>>, attempt: Attack["attempt"]) => async (): Promise<Outcome> => {
    const service = await startAttackedService(variables);
    try {
      return await attempt(service.target);
    } finally {
      await service.stop();
    }
  };

/** Two more than the workers. */
const silentCallbacks = 6;
/** Less than a callback waits for its receiver. */
const maxWaitMilliseconds = 8_000;

/** Sends a callback for a new recording of a second. */
const requestCallback = async (target: Target, token: string, fileId: string, callback_url: string) => {
  const body = { type: "transcription", file_id: fileId, language: "lug", callback_url };
  read(await ask(target, "/tasks/jobs", { token, body }), z.object({ id: z.string() }));
};

const until = async (condition: () => boolean, milliseconds: number): Promise<number> => {
  const startedAt = performance.now();
  while (!condition() && performance.now() - startedAt < milliseconds) await pause(50);
  return performance.now() - startedAt;
};

const stopCallbacksOfOthers = async (target: Target): Promise<Outcome> => {
  const received = { silent: 0, other: 0 };
  const receiver = await listenOnLoopback(
    createServer((request, response) => {
      if (request.url === "/silent") {
        received.silent += 1;
        return;
      }
      received.other += 1;
      response.writeHead(204).end();
    }),
  );
  try {
    const [{ token }, other] = [await newVisitor(target), await newVisitor(target)];
    const [fileId, others] = [
      await uploadRecording(target, token, 1),
      await uploadRecording(target, other.token, 1),
    ];
    for (let count = 0; count < silentCallbacks; count += 1) {
      await requestCallback(target, token, fileId, `${receiver.url}/silent`);
    }
    await until(() => received.silent >= 3, 30_000);
    await requestCallback(target, other.token, others, `${receiver.url}/other`);
    const waited = await until(() => received.other > 0, 60_000);
    return heldIf(
      received.silent > 0 && received.other === 1 && waited < maxWaitMilliseconds,
      `${received.silent} silent at a time, the other account's after ${(waited / 1_000).toFixed(1)} s`,
    );
  } finally {
    await receiver.close();
  }
};

const streamWhileDisabled = async (target: Target): Promise<Outcome> => {
  const { token, username } = await newVisitor(target);
  const content = orderOf("never stops speaking");
  const body = { model: "lang-9b", stream: true, messages: [{ role: "user", content }] };
  const startedAt = performance.now();
  const streaming = ask(target, "/v1/chat/completions", { token, body });
  await pause(1_000);
  await target.disable(username);
  const disabledAt = performance.now();
  const { status, text } = await streaming;
  const lasted = performance.now() - disabledAt;
  return heldIf(
    status === 200 && text.includes("again") && lasted > 0 && lasted < 12_000,
    `${status}, ended ${(lasted / 1_000).toFixed(1)} s after the account was disabled, ${((disabledAt - startedAt) / 1_000).toFixed(1)} s after its start`,
  );
};

const chatsKey = "the key of chat";

/** Sends a translation to a server at another origin, which must not get the key of chat. */
const takeChatsKey = async (): Promise<Outcome> => {
  const keys: unknown[] = [];
  const other = await listenOnLoopback(
    createServer((request, response) => {
      keys.push(request.headers.authorization);
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ choices: [{ message: { content: "Wasuze otya" } }] }));
    }),
  );
  const variables = { CHAT_API_KEY: chatsKey, TRANSLATION_BASE_URL: `${other.url}/v1` };
  try {
    const service = await startAttackedService(variables).catch((error: unknown) => String(error));
    if (typeof service === "string") {
      const isNamed = service.includes("TRANSLATION_API_KEY");
      return refusedIf(isNamed, isNamed ? "the stage does not start" : service.slice(0, 200));
    }
    try {
      const { token } = await newVisitor(service.target);
      const body = { text: "Good morning", source_language: "eng", target_language: "lug" };
      const { status } = await ask(service.target, "/tasks/translate", { token, body });
      const isTaken = keys.includes(`Bearer ${chatsKey}`);
      return refusedIf(!isTaken, `${status}, ${isTaken ? "with" : "without"} the key`);
    } finally {
      await service.stop();
    }
  } finally {
    await other.close();
  }
};

const shownJob = z.object({
  callback: z.object({ deliveries: z.array(z.object({ status_code: z.int().nullish() })) }).nullish(),
});

/** Lets the service call itself: what is only for its developer, its own API, its storage. */
const callTheService = async (target: Target): Promise<Outcome> => {
  const { token } = await newVisitor(target);
  const fileId = await uploadRecording(target, token, 1);
  const body = { file_name: "a.wav", content_type: "audio/wav" };
  const link = await ask(target, "/tasks/generate-upload-url", { token, body });
  const storage = new URL(read(link, z.object({ upload_url: z.string() })).upload_url).origin;
  const functions = `${target.url.replace("127.0.0.1", "localhost")}/_local/functions/erasure/invocations`;
  const found: string[] = [];
  for (const callback_url of [functions, `${target.url}/health`, `${storage}/`]) {
    const request = { type: "transcription", file_id: fileId, language: "lug", callback_url };
    const created = await ask(target, "/tasks/jobs", { token, body: request });
    if (created.status === 422) continue;
    const { id } = read(created, z.object({ id: z.string() }));
    let status: number | null | undefined;
    const look = async (): Promise<boolean> => {
      const { callback } = read(await ask(target, `/tasks/jobs/${id}`, { token }), shownJob);
      status = callback?.deliveries[0]?.status_code;
      return status !== undefined && status !== null;
    };
    for (let time = 0; time < 100 && !(await look()); time += 1) await pause(200);
    found.push(`${new URL(callback_url).pathname} called with ${status}`);
  }
  return refusedIf(found.length === 0, found.length === 0 ? "3 of 3 refused with 422" : found.join(", "));
};

/** What one account does to others, and what continues after its end: a part of number 14. What settings give away: number 22. */
export const otherSettingsAttacks: readonly Attack[] = [
  {
    number: 22,
    name: "the key of chat, taken by a server of translation at another origin",
    needs: ["operator"],
    attempt: takeChatsKey,
  },
  {
    number: 22,
    name: "callbacks to this machine, which call the service itself",
    needs: ["operator"],
    attempt: withSettings({ CALLBACKS_ALLOW_LOOPBACK: "1" }, callTheService),
  },
  {
    number: 14,
    name: "callbacks to receivers that stay silent, while another account waits for its own",
    needs: ["operator"],
    attempt: withSettings(
      { CALLBACKS_ALLOW_LOOPBACK: "1", WORKER_CONCURRENCY: "callback=4" },
      stopCallbacksOfOthers,
    ),
  },
  {
    number: 14,
    name: "an endless stream of an account that is disabled meanwhile",
    needs: ["operator"],
    attempt: withSettings({ CHAT_TIMEOUT_MS: "55000" }, streamWhileDisabled),
  },
];
