import { randomUUID } from "node:crypto";
import { createServer } from "node:net";
import { hostname } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { type Attack, attacksOf, heldIf, refusedIf, type Target } from "./attack.ts";
import { beginParts, uploadRecording } from "./uploads.ts";
import {
  type AttackResponse,
  ask,
  attacksByVisitor,
  countOf,
  mailedToken,
  newVisitor,
  read,
  statusesOf,
} from "./visitor.ts";

const createdJob = z.object({ id: z.string() });
const refusal = z.object({ detail: z.string() });
const usedAudio = z.object({ recordings_this_month: z.object({ used: z.number(), limit: z.number() }) });
const shownJob = z.object({
  callback: z.object({
    status: z.string(),
    deliveries: z.array(z.object({ status_code: z.int().optional(), error: z.string().optional() })),
  }),
});

const makeJob = (
  target: Target,
  token: string,
  fileId: string,
  choices: object = {},
): Promise<AttackResponse> =>
  ask(target, "/tasks/jobs", {
    token,
    body: { type: "transcription", file_id: fileId, language: "lug", ...choices },
  });

const audioOf = async (target: Target, token: string) =>
  read(await ask(target, "/auth/usage", { token }), usedAudio).recordings_this_month;

/** Ways of writing an address that is not of the public internet, or that is not what it seems. */
const innerAddresses = [
  "https://127.0.0.1/",
  "https://127.1/",
  "https://2130706433/",
  "https://0x7f.1/",
  "https://0177.0.0.1/",
  "https://127.0.0.1./",
  "https://127。0。0。1/",
  "https://①②⑦.⓪.⓪.①/",
  "https://0/",
  "https://10.0.0.1/",
  "https://172.16.0.1/",
  "https://192.168.1.1/",
  "https://100.64.0.1/",
  "https://169.254.169.254/latest/meta-data/",
  "https://169.254.170.2/v2/credentials",
  "https://[::1]/",
  "https://[::]/",
  "https://[::127.0.0.1]/",
  "https://[::a9fe:a9fe]/",
  "https://[::ffff:169.254.169.254]/",
  "https://[64:ff9b::a9fe:a9fe]/",
  "https://[2002:a9fe:a9fe::]/",
  "https://[fd00:ec2::254]/",
  "https://[fe80::1]/",
  "https://localhost/",
  "https://localhost./",
  "https://localhost../",
  "https://api.localhost/",
  "https://metadata.google.internal/",
  "https://example.org@169.254.169.254/",
  "https://169.254.169.254#@example.org/",
  "https://169.254.169.254\\@example.org/",
  "https://169.254\t.169.254/",
  "http://example.org/",
  "file:///etc/passwd",
  "gopher://127.0.0.1:6379/_FLUSHALL",
];

/** Waits until a callback was attempted. @returns what the job shows about it then. */
const firstDelivery = async (target: Target, token: string, id: string) => {
  for (let attempts = 0; attempts < 100; attempts += 1) {
    const { callback } = read(await ask(target, `/tasks/jobs/${id}`, { token }), shownJob);
    if (callback.deliveries.length > 0) return callback;
    // An account may ask fifty times a minute.
    await pause(1_500);
  }
  throw new Error("the callback was never tried");
};

/** What can be done with jobs and their callbacks: number 14. */
export const jobAttacks: readonly Attack[] = [
  ...attacksByVisitor({ number: 14 })({
    "callbacks into the service's own network, in every way of writing its addresses": async (
      target,
      { token },
    ) => {
      const responses: AttackResponse[] = [];
      for (const callback_url of innerAddresses) {
        responses.push(await makeJob(target, token, randomUUID(), { callback_url }));
      }
      const taken = innerAddresses.filter((_, index) => responses[index]?.status !== 422);
      return refusedIf(
        taken.length === 0,
        taken.length === 0 ? `${responses.length} refused` : `taken: ${taken.join(" ")}`,
      );
    },
    "twelve jobs at once of which the month has room for three": async (target, { token }) => {
      const { limit } = await audioOf(target, token);
      const fileId = await uploadRecording(target, token, limit / 3);
      const responses = await Promise.all(Array.from({ length: 12 }, () => makeJob(target, token, fileId)));
      const { used } = await audioOf(target, token);
      const taken = countOf(responses, 202);
      return heldIf(
        taken > 0 && taken <= 3 && used <= limit && responses.every(({ status }) => status < 500),
        `${taken} accepted, ${countOf(responses, 429)} refused; ${used} of ${limit} seconds`,
      );
    },
    "a job that is deleted ten times at once, to get its seconds back more than once": async (
      target,
      { token },
    ) => {
      const { limit } = await audioOf(target, token);
      const seconds = Math.floor(limit / 3);
      const fileId = await uploadRecording(target, token, seconds);
      const [stored, deleted] = [await makeJob(target, token, fileId), await makeJob(target, token, fileId)];
      read(stored, createdJob);
      const { id } = read(deleted, createdJob);
      const removals = await Promise.all(
        Array.from({ length: 10 }, () => ask(target, `/tasks/jobs/${id}`, { token, method: "DELETE" })),
      );
      const { used } = await audioOf(target, token);
      return heldIf(
        used >= seconds && removals.every(({ status }) => status === 204 || status === 404),
        `${countOf(removals, 204)} deleted it, ${used} seconds stay counted, ${seconds} of the other job`,
      );
    },
    "ids of jobs and uploads, guessed from those before": async (target, { token }) => {
      const fileId = await uploadRecording(target, token, 1);
      const jobs = await Promise.all(Array.from({ length: 10 }, () => makeJob(target, token, fileId)));
      const uploads = await Promise.all(Array.from({ length: 10 }, () => beginParts(target, token, 10)));
      const jobIds = jobs.map((response) => read(response, createdJob).id);
      // What is random of them: of UUID version 7 what follows the time and the version.
      const tails = [...jobIds, ...uploads]
        .map((id) => BigInt(`0x${id.slice(20).replaceAll("-", "")}`))
        .toSorted((one, other) => (one < other ? -1 : 1));
      const near = tails.filter((tail, index) => index > 0 && tail - (tails[index - 1] ?? 0n) < 2n ** 24n);
      const versions = uploads.every((id) => id[14] === "4") && jobIds.every((id) => id[14] === "7");
      return heldIf(versions && near.length === 0, `${tails.length} ids, ${near.length} near to another one`);
    },
  }),
  ...attacksOf({ number: 14 })({
    "a callback to a name that leads to the machine of the service": async (target) => {
      let connections = 0;
      const listener = createServer((socket) => {
        connections += 1;
        socket.destroy();
      });
      await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
      try {
        const address = listener.address();
        const port = typeof address === "object" ? address?.port : undefined;
        const { token } = await newVisitor(target);
        const callback_url = `https://${hostname()}:${port}/`;
        const response = await makeJob(target, token, await uploadRecording(target, token, 1), {
          callback_url,
        });
        if (response.status === 422) return refusedIf(true, "422");
        const callback = await firstDelivery(target, token, read(response, createdJob).id);
        const said = callback.deliveries.map((delivery) => delivery.error ?? delivery.status_code).join(" ");
        return refusedIf(
          connections === 0 && callback.deliveries.every((delivery) => delivery.status_code === undefined),
          `${connections} connections; ${said}`,
        );
      } finally {
        listener.close();
      }
    },
    "another account's job, read, fetched and deleted by someone who knows its id": async (target) => {
      const [owner, stranger] = [await newVisitor(target), await newVisitor(target)];
      const fileId = await uploadRecording(target, owner.token, 1);
      const { id } = read(await makeJob(target, owner.token, fileId), createdJob);
      const { token } = stranger;
      const attempts = [
        await ask(target, `/tasks/jobs/${id}`, { token }),
        await ask(target, `/tasks/jobs/${id}/result?partial=true`, { token }),
        await ask(target, `/tasks/jobs/${id}`, { token, method: "DELETE" }),
        await makeJob(target, token, fileId),
      ];
      const list = await ask(target, `/tasks/jobs?cursor=${id.replace(/.$/, "g")}`, { token });
      const invented = await ask(target, `/tasks/jobs/${randomUUID()}`, { token });
      const owners = await ask(target, `/tasks/jobs/${id}`, { token: owner.token });
      const sentenceOf = (response: AttackResponse) => read(response, refusal).detail;
      return refusedIf(
        countOf(attempts, 404) === attempts.length &&
          attempts.slice(0, 3).every((tried) => sentenceOf(tried) === sentenceOf(invented)) &&
          !list.text.includes(id) &&
          owners.status === 200,
        `${statusesOf(attempts)}, the owner ${owners.status}`,
      );
    },
  }),
  ...attacksByVisitor({ number: 14, needs: ["models", "mails", "operator"] })({
    "a long recording of an account that is disabled meanwhile": async (
      target,
      { token, username, email },
    ) => {
      await ask(target, "/auth/verify-email", { body: { token: await mailedToken(target, email) } });
      // More pieces than an account has slots.
      const fileId = await uploadRecording(target, token, 3_600);
      const held = target.holdTranscriptions();
      read(await makeJob(target, token, fileId), createdJob);
      for (let waits = 0; held.calls() === 0 && waits < 100; waits += 1) await pause(100);
      await target.disable(username);
      const before = held.calls();
      held.release();
      // The next piece would start at once.
      await pause(5_000);
      return heldIf(
        before > 0 && held.calls() === before,
        `${before} pieces before, ${held.calls() - before} after the account was disabled`,
      );
    },
  }),
];
