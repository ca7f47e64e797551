import * as z from "zod";
import type { CookieJar } from "../../support/cookie-jar.ts";
import { read, requireSame, send, waitFor } from "./api.ts";
import { logInWithSecondFactor, sendForm } from "./console-scenarios.ts";
import { job, type StartedJob, showJob, whenCompleted } from "./job-scenarios.ts";
import { type Account, createAccount, type Scenario, type World } from "./scenario.ts";

/** Fewer requests than passages, so at least one piece is translated in part. */
const paragraphs = 130;
const requestsThatPass = 70;

/**
 * The last release translates the label of the tab, and the present one the title of the abbreviation: each passage between has another
 * number, and their characters are as many.
 */
const text = [
  '=== "Another"',
  ...Array.from({ length: paragraphs }, (_, index) => `The field number ${index} is dry.`),
  'It is <abbr title="Careful">dry</abbr>.',
].join("\n\n");

const uploadLink = z.object({ upload_url: z.url(), file_id: z.string() });
const usage = z.object({ characters_this_month: z.object({ used: z.int() }) });

const countedFor = async ({ url }: World, { token }: Account): Promise<number> =>
  (await read(usage, `${url}/auth/usage`, { token })).characters_this_month.used;

/** Starts the translation of a document, of which the model translates a part. */
const startTranslation = async (world: World, { token }: Account, refusal: number): Promise<StartedJob> => {
  world.gates.translation.refuse(refusal, requestsThatPass);
  const headers = { "Content-Type": "text/markdown" };
  const json = { file_name: "letter.md", content_type: headers["Content-Type"], size: text.length };
  const address = `${world.url}/tasks/generate-upload-url`;
  const { upload_url, file_id } = await read(uploadLink, address, { token, json });
  await send(upload_url, { method: "PUT", bytes: Buffer.from(text), headers });
  const fields = { type: "translation", file_id, source_language: "eng", target_language: "lug" };
  const { id } = await read(job, `${world.url}/tasks/jobs`, { token, json: fields });
  return { id, words: [] };
};

/** Requires that all of the document is translated, and that no character was counted twice. */
const requireTranslation = async (
  world: World,
  owner: Account,
  started: StartedJob,
  counted: number,
): Promise<void> => {
  const { progress } = await whenCompleted(world, owner, started);
  requireSame("what is translated", progress.done, progress.total);
  const { bytes } = await send(`${world.url}/tasks/jobs/${started.id}/result`, { token: owner.token });
  const numbers = Array.from(bytes.toString("utf8").matchAll(/number (\d+)/g), ([, number]) => number);
  requireSame("its paragraphs, in order", numbers.join(" "), Object.keys(numbers).join(" "));
  requireSame("how many they are", numbers.length, paragraphs);
  requireSame("the characters that are counted", await countedFor(world, owner), counted);
};

export const halfTranslatedDocument: Scenario = {
  title: "a document that is translated in part, while the model is down",
  prepare: async (world) => {
    const owner = await createAccount(world, "translates");
    const refusedBefore = world.gates.translation.refused();
    const started = await startTranslation(world, owner, 503);
    const counted = await countedFor(world, owner);
    await waitFor("the model refuses the rest", () => {
      return world.gates.translation.refused() > refusedBefore || undefined;
    });
    requireSame("the job's status", (await showJob(world, owner, started)).status, "running");
    return () => requireTranslation(world, owner, started, counted);
  },
};

const jobsPage = "/console/admin/jobs";

const queueAgain = async (
  world: World,
  operator: CookieJar,
  { id: user_id }: Account,
  { id: job_id }: StartedJob,
): Promise<void> =>
  sendForm(world, operator, [`${jobsPage}?list=failed`, jobsPage], {
    ...{ action: "retry", user_id: String(user_id), job_id },
  });

export const failedDocument: Scenario = {
  title: "a document whose translation has failed in part, and that an operator queues again",
  prepare: async (world) => {
    const owner = await createAccount(world, "fails");
    const account = await createAccount(world, "operates");
    await world.operate("account", account.username, "--type", "Admin");
    const operator = await logInWithSecondFactor(world, account);
    const started = await startTranslation(world, owner, 400);
    const counted = await countedFor(world, owner);
    await waitFor("the job has failed", async () => {
      const { status } = await showJob(world, owner, started);
      return status === "failed" || undefined;
    });
    let isQueuedAgain = false;
    return async () => {
      if (!isQueuedAgain) await queueAgain(world, operator, owner, started);
      isQueuedAgain = true;
      await requireTranslation(world, owner, started, counted);
    };
  },
};
