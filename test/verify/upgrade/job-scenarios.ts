import { Webhook } from "standardwebhooks";
import * as z from "zod";
import { recordWords } from "../../support/spoken-words.ts";
import { read, requireSame, send, waitFor } from "./api.ts";
import { putFile, requestUpload } from "./recording-scenarios.ts";
import { type Account, createAccount, type Scenario, type World } from "./scenario.ts";

export const job = z.looseObject({
  id: z.string(),
  status: z.string(),
  progress: z.object({ done: z.number(), total: z.number() }),
  error: z.unknown(),
  callback: z
    .object({ status: z.string(), deliveries: z.array(z.object({ status_code: z.int().optional() })) })
    .nullish(),
});
const result = z.object({ text: z.string(), segments: z.array(z.unknown()) });
const secret = z.object({ secret: z.string() });

export interface StartedJob {
  readonly id: string;
  readonly words: readonly string[];
}

/** Requires the same values in all fields of the version that shows fewer: a later one only adds fields. */
const requireSameFields = (shown: object, stored: object): void => {
  const fieldsIn = (one: object, other: object) =>
    Object.fromEntries(Object.entries(one).filter(([name]) => name in other));
  const common = fieldsIn(shown, stored);
  const fewer = Math.min(Object.keys(shown).length, Object.keys(stored).length);
  requireSame("the number of fields in both", Object.keys(common).length, fewer);
  requireSame("the job", common, fieldsIn(stored, shown));
};

/** Uploads a recording of this length and starts a job for it. */
const startJob = async (
  world: World,
  owner: Account,
  {
    seconds,
    seed,
    callback,
  }: { readonly seconds: number; readonly seed: number; readonly callback?: string },
): Promise<StartedJob> => {
  const { wav, words } = recordWords(world.voice, seconds, seed);
  const { upload_url, file_id } = await requestUpload(world, owner, wav.length);
  await putFile(upload_url, wav);
  const { id } = await read(job, `${world.url}/tasks/jobs`, {
    token: owner.token,
    json: {
      type: "transcription",
      file_id,
      language: "eng",
      timestamps: true,
      ...(callback ? { callback_url: world.callbacks.url + callback } : {}),
    },
  });
  return { id, words };
};

export const showJob = ({ url }: World, { token }: Account, { id }: StartedJob) =>
  read(job, `${url}/tasks/jobs/${id}`, { token });

export const whenCompleted = (world: World, owner: Account, started: StartedJob) =>
  waitFor(`job ${started.id} is completed`, async () => {
    const shown = await showJob(world, owner, started);
    if (shown.status === "completed") return shown;
    requireSame("the job's error", shown.error, null);
    return undefined;
  });

const requireWords = async ({ url }: World, { token }: Account, { id, words }: StartedJob): Promise<void> => {
  const { text } = await read(result, `${url}/tasks/jobs/${id}/result`, { token });
  requireSame("the transcript", text, words.join(" "));
};

const finishedJob: Scenario = {
  title: "a job that is completed, and its result",
  prepare: async (world) => {
    const owner = await createAccount(world, "waited");
    const started = await startJob(world, owner, { seconds: 20, seed: 11 });
    const stored = await whenCompleted(world, owner, started);
    await requireWords(world, owner, started);
    const address = `${world.url}/tasks/jobs`;
    const { token } = owner;
    const results = () =>
      Promise.all(
        ["json", "srt"].map(async (format) =>
          (await send(`${address}/${started.id}/result?format=${format}`, { token })).bytes.toString("utf8"),
        ),
      );
    const transcripts = await results();
    return async () => {
      requireSameFields(await showJob(world, owner, started), stored);
      requireSame("its results", await results(), transcripts);
      const { jobs } = await read(z.object({ jobs: z.array(job) }), address, { token });
      requireSame(
        "the list of jobs",
        jobs.map(({ id }) => id),
        [started.id],
      );
    };
  },
};

/** Replaces the webhook secret. @returns both secrets, which sign callbacks for a day. */
const secretsOf = async ({ url }: World, { token }: Account): Promise<string[]> => {
  const address = `${url}/auth/webhook-secret`;
  const first = await read(secret, address, { token });
  return [first.secret, (await read(secret, address, { method: "POST", token })).secret];
};

/** Requires that a callback is taken once, and is signed with all of the secrets. */
const requireCallback = async (world: World, path: string, secrets: readonly string[]): Promise<void> => {
  const isTaken = () => world.callbacks.received.filter((each) => each.path === path && each.isTaken);
  const first = await waitFor(`the callback to ${path} comes`, () => isTaken()[0]);
  for (const signedWith of secrets) {
    const event = new Webhook(signedWith).verify(first.body, { ...first.headers });
    requireSame("the event", z.looseObject({ type: z.string() }).parse(event).type, "job.completed");
  }
  requireSame("how often it was taken", isTaken().length, 1);
};

export const pendingCallback: Scenario = {
  title: "a callback whose receiver has refused it once",
  prepare: async (world) => {
    const owner = await createAccount(world, "refuses");
    const secrets = await secretsOf(world, owner);
    const path = `/${owner.username}`;
    world.callbacks.refuses = true;
    const started = await startJob(world, owner, { seconds: 20, seed: 12, callback: path });
    await waitFor("the refusal is noted", async () => {
      const { callback } = await showJob(world, owner, started);
      return callback?.deliveries[0]?.status_code === 503 || undefined;
    });
    return async () => {
      await requireCallback(world, path, secrets);
      const delivered = await waitFor("the delivery is noted", async () => {
        const { callback } = await showJob(world, owner, started);
        return callback?.status === "delivered" ? callback : undefined;
      });
      const statuses = delivered.deliveries.map(({ status_code }) => status_code);
      requireSame("the last attempt", statuses.pop(), 204);
      requireSame("attempts before it", [...new Set(statuses)], [503]);
    };
  },
};

/** The model gets this many pieces of one account at a time. */
const piecesAtOnce = 3;

/**
 * A voice note keeps the other workers busy by then, so the first message of the second job stays in the queue. The gate of the
 * transcription model stays shut until the check has read the progress of the first job.
 */
export const runningJobs: Scenario = {
  title: "a job with pieces that are transcribed, with the model, and waiting; a job that no worker has read",
  prepare: async (world) => {
    const owner = await createAccount(world, "waits");
    const secrets = await secretsOf(world, owner);
    const path = `/${owner.username}`;
    const { transcription } = world.gates;
    const heldBefore = transcription.held.size;
    transcription.shut(1);
    const running = await startJob(world, owner, { seconds: 2_400, seed: 13, callback: path });
    const { progress } = await waitFor("one piece is transcribed, and three are with the model", async () => {
      const shown = await showJob(world, owner, running);
      const isHalfDone = shown.status === "running" && shown.progress.done > 0;
      return isHalfDone && transcription.held.size === heldBefore + piecesAtOnce ? shown : undefined;
    });
    const other = await createAccount(world, "waits-longer");
    const queued = await startJob(world, other, { seconds: 20, seed: 14 });
    requireSame("the second job's status", (await showJob(world, other, queued)).status, "queued");
    let isFirstCheck = true;
    return async () => {
      const shown = await showJob(world, owner, running).finally(() => transcription.open());
      if (isFirstCheck) requireSame("the first job's progress", shown.progress, progress);
      isFirstCheck = false;
      for (const [account, started] of [
        [owner, running],
        [other, queued],
      ] as const) {
        await whenCompleted(world, account, started);
        await requireWords(world, account, started);
      }
      await requireCallback(world, path, secrets);
    };
  },
};

export const jobScenarios: readonly Scenario[] = [finishedJob];
