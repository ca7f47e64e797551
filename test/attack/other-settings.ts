import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { listenOnLoopback } from "../support/loopback-server.ts";
import { type Attack, attacksOf, heldIf, type Outcome, type Target } from "./attack.ts";
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

/** What one account does to others, and what continues after its end: a part of number 14. */
export const otherSettingsAttacks: readonly Attack[] = attacksOf({ number: 14, needs: ["operator"] })({
  "callbacks to receivers that stay silent, while another account waits for its own": withSettings(
    { CALLBACKS_ALLOW_LOOPBACK: "1", WORKER_CONCURRENCY: "callback=4" },
    stopCallbacksOfOthers,
  ),
  "an endless stream of an account that is disabled meanwhile": withSettings(
    { CHAT_TIMEOUT_MS: "55000" },
    streamWhileDisabled,
  ),
});
