import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { accountPoliciesWith } from "../../shared/accounts/limits/policies.ts";
import { createDeliveryLog } from "../../shared/recordings/callbacks/deliveries.ts";
import { createJobsRepository, type NewJob, newJobId } from "../../shared/recordings/jobs/jobs-repository.ts";
import { type JobName, jobObjects } from "../../shared/recordings/jobs/keys.ts";
import { call } from "../support/client.ts";
import type { SeenPage } from "../support/form-visitor.ts";
import { textsTo } from "../support/local-mails.ts";
import { actsOn, type LoggedIn, localAccounts, logInAs, readableOf, tokenOf } from "../support/operators.ts";
import { openStoredData, type StoredData } from "../support/stored-data.ts";

const jobsPath = "/console/admin/jobs";
const deliveriesPath = "/console/admin/deliveries";

describe.runIf(inject("isLocal"))("What operators see of work", () => {
  let operator: LoggedIn;
  let stored: StoredData;

  beforeAll(async () => {
    operator = await logInAs("Admin");
    stored = await openStoredData();
  });

  /** A document that waits for its translation. */
  const createJob = async (userId: number, callback_url?: string): Promise<JobName> => {
    const name = { userId, jobId: newJobId(Date.now()) };
    await stored.putObject(jobObjects.recording(name), "Good morning.\n");
    const job: NewJob = {
      type: "translation",
      source_language: "eng",
      target_language: "lug",
      format: "text",
      characters: 13,
      file_id: "9d3c5f0e-8f0b-4f4e-9f0e-2f1d3c4b5a69",
      object_key: "uploads/leaflet.txt",
      object_version: "1",
      callback_url,
    };
    await createJobsRepository(stored.table).create(name, job, accountPoliciesWith(1));
    return name;
  };

  /** Opens a list until it names something. */
  const openUntil = async (path: string, text: string): Promise<SeenPage> => {
    for (;;) {
      const seen = await operator.visitor.open(path);
      if (seen.html.includes(text)) return seen;
      await sleep(200);
    }
  };

  const send = (seen: SeenPage, typed: Record<string, string>) =>
    operator.visitor.send(seen, seen.path.replace(/\?.*$/, ""), typed);

  it("has jobs of every account, which they cancel", async () => {
    const owner = await logInAs();
    const name = await createJob(owner.id);
    const seen = await operator.visitor.open(jobsPath);
    expect(readableOf(seen)).toContain(`Translation ${name.jobId} ${owner.username} Queued 0%`);
    const cancelled = await send(seen, { action: "cancel", job_id: name.jobId, user_id: String(owner.id) });
    expect(cancelled.html).toContain("The job is cancelled.");
    const { body } = await call(`/tasks/jobs/${name.jobId}`, { token: await tokenOf(owner) });
    expect(body).toMatchObject({ status: "cancelled", error: { message: "An operator cancelled the job." } });
    const again = await send(cancelled.html.includes("<table") ? cancelled : seen, {
      ...{ action: "cancel", job_id: name.jobId, user_id: String(owner.id) },
    });
    expect(again.html).toContain("The job had already ended.");
    expect(await actsOn(operator, owner)).toEqual([expect.stringContaining("Cancelled a job")]);
  });

  it("has failed jobs with the reason, which they try again", async () => {
    const owner = await logInAs();
    const accounts = await localAccounts();
    await accounts.setDisabled(owner.id, true);
    const name = await createJob(owner.id);
    await stored.enqueueJob({ kind: "plan", ...name });
    const failed = await openUntil(`${jobsPath}?list=failed`, name.jobId);
    expect(readableOf(failed)).toContain("The account is disabled.");
    await accounts.setDisabled(owner.id, false);
    const jobs = createJobsRepository(stored.table);
    while (!(await jobs.read(name))?.is_settled) await sleep(100);
    const fields = { action: "retry", job_id: name.jobId, user_id: String(owner.id) };
    const retried = await send(failed, fields);
    expect(retried.html).toContain("The job is queued again.");
    while ((await jobs.read(name))?.status !== "completed") await sleep(200);
    expect((await operator.visitor.open(`${jobsPath}?list=failed`)).html).not.toContain(name.jobId);
    const refused = await send(failed, fields);
    expect(refused.status).toBe(400);
    expect(refused.html).toContain("The job has not failed");
    expect(await actsOn(operator, owner)).toEqual([expect.stringContaining("Queued a failed job again")]);
  });

  it("has mails that gave up, without their addresses, which they try again", async () => {
    const email = "hidden-address@example.com";
    await stored.giveUpMail({ kind: "reset-password", email });
    const seen = await openUntil(deliveriesPath, "reset-password");
    expect(seen.html).not.toContain(email);
    const retried = await send(seen, { action: "retry-message", queue: "mail" });
    expect(retried.html).toContain("The message is queued again.");
    expect(retried.html).toContain("No failed messages");
    const gone = await send(seen, { action: "retry-message", queue: "mail" });
    expect(gone.html).toContain("The message no longer exists.");
    const log = readableOf(await operator.visitor.open("/console/admin/audit"));
    expect(log).toContain("Queued a message again");
  });

  it("has webhooks that failed, which they send once more", async () => {
    const owner = await logInAs();
    const name = await createJob(owner.id, "https://127.0.0.1:9/never");
    const log = createDeliveryLog(stored.table);
    const ended = { url: "https://127.0.0.1:9/never", event: "job.completed" } as const;
    await stored.enqueueJob({ kind: "plan", ...name });
    const jobs = createJobsRepository(stored.table);
    while ((await jobs.read(name))?.status !== "completed") await sleep(200);
    await log.add(owner.id, name.jobId, { at: new Date().toISOString(), status_code: 410 }, "failed", ended);
    const seen = await openUntil(deliveriesPath, name.jobId);
    expect(readableOf(seen)).toMatch(new RegExp(`${name.jobId} ${owner.username} \\d+ .*? 410`));
    const retried = await send(seen, {
      ...{ action: "retry-callback", job_id: name.jobId, user_id: String(owner.id) },
    });
    expect(retried.html).toContain("The webhook is queued again.");
    expect((await log.read(owner.id, name.jobId)).status).not.toBe("delivered");
    expect(await actsOn(operator, owner)).toEqual([expect.stringContaining("Queued a webhook again")]);
    await log.add(
      owner.id,
      name.jobId,
      { at: new Date().toISOString(), status_code: 204 },
      "delivered",
      ended,
    );
    expect((await operator.visitor.open(deliveriesPath)).html).not.toContain(name.jobId);
  });

  it("has requests for a higher plan, which they decide with a code; a mail says so", async () => {
    const owner = await logInAs();
    const purpose = "A clinic in Gulu translates its leaflets.";
    const asking = await owner.visitor.open("/console/tier");
    await owner.visitor.send(asking, "/console/tier", { purpose, amount: "2,000 requests a day" });
    const list = await operator.visitor.open("/console/admin/requests");
    expect(readableOf(list)).toContain(`${owner.username} Open ${purpose} 2,000 requests a day`);
    const path = `/console/admin/accounts/${owner.id}`;
    expect(list.html).toContain(`${path}?act=decide`);
    const decide = await operator.visitor.open(`${path}?act=decide`);
    expect(readableOf(decide)).toContain(purpose);
    const typed = { action: "decide", decision: "accepted", note: "Webale." };
    const refused = await operator.visitor.send(decide, path, { ...typed, password: operator.password });
    expect([refused.status, (await (await localAccounts()).find({ id: owner.id }))?.account_type]).toEqual([
      422,
      "Free",
    ]);
    const decided = await operator.visitor.send(decide, path, { ...typed, password: operator.nextCode() });
    expect(decided.html).toContain("The decision is saved");
    expect(readableOf(await owner.visitor.open("/console/tier"))).toContain("Accepted");
    const again = await operator.visitor.send(decide, path, { ...typed, password: operator.nextCode() });
    expect(again.html).toContain("This request is no longer open.");
    expect(await actsOn(operator, owner)).toEqual([
      expect.stringContaining("Accepted a request for a higher plan"),
    ]);
    await expect
      .poll(async () =>
        (await textsTo(owner.email)).some((text) => text.includes("your plan is now Premium")),
      )
      .toBe(true);
  });

  it("is the usage of all accounts in a month, which they download with a code", async () => {
    const owner = await logInAs();
    const body = { source_language: "eng", target_language: "lug", text: "Good morning" };
    expect((await call("/tasks/translate", { token: await tokenOf(owner), body })).status).toBe(200);
    const usagePath = "/console/admin/usage";
    // The part of the report that starts with this account: other tests create hundreds of busier ones.
    const before = owner.id - 1;
    const seen = await openUntil(`${usagePath}?from=${before}`, `>${owner.username}<`);
    const text = readableOf(seen);
    for (const part of ["By day", "By operation", "By account", "/tasks/translate"])
      expect(text).toContain(part);
    const month = new Date().toISOString().slice(0, 7);
    const wrong = await send(seen, { action: "export", password: operator.password });
    expect(wrong.status).toBe(422);
    expect(wrong.html).not.toContain("text/csv");
    const file = await send(wrong, { action: "export", password: operator.nextCode() });
    expect(file.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(file.headers.get("content-disposition")).toBe(
      `attachment; filename="usage-${month}-after-${before}.csv"`,
    );
    expect(file.html).toMatch(/^date,account,method,path,key,requests/);
    expect(file.html).toMatch(new RegExp(`^${month}-\\d\\d,${owner.id},POST,/tasks/translate,,1,`, "m"));
    expect(file.html).not.toContain(owner.username);
    expect(readableOf(await operator.visitor.open(`${usagePath}?month=2025-12`))).toContain(
      "No usage in this month",
    );
    const log = readableOf(await operator.visitor.open("/console/admin/audit"));
    expect(log).toContain(`Downloaded usage ${operator.username} 127.0.0.0/24 ${month}`);
  });

  it("is each model's server: whether it responds, and its calls in the last hour", async () => {
    const token = await tokenOf(await logInAs());
    const body = { source_language: "eng", target_language: "lug", text: "Good morning" };
    const rowOf = async (): Promise<string> => {
      // The counts are written with the next call of the same process.
      await call("/tasks/translate", { token, body });
      const text = readableOf(await operator.visitor.open("/console/admin/models"));
      return /Translation 127.*?(?:Closed|Opened)/.exec(text)?.[0] ?? "";
    };
    let row = await rowOf();
    expect(row).toMatch(/^Translation 127\.0\.0\.1:\d+ Yes, in \d+ ms /);
    while (row.includes("None")) row = await rowOf();
    expect(row).toMatch(/ms \d+ [\d.]+ ?% [\d,]+ ms Closed$/);
  });
});
