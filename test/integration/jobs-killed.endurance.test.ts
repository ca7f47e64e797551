import { describe, expect, it } from "vitest";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { BackendRefusal } from "../../shared/platform/outbound/failures.ts";
import { deleteJob } from "../../shared/recordings/jobs/delete-job.ts";
import { getResult } from "../../shared/recordings/jobs/get-result.ts";
import { endurance } from "../support/endurance.ts";
import { type FakeModel, pieceSeconds, sayPiece } from "../support/job-works.ts";
import { createTestAccount } from "../support/test-table.ts";
import { saidIn, slowModel, useWorks } from "../support/works-over-stand-ins.ts";

/** Workers are killed after the first call to anything outside of them, and then after each of these. */
const every = endurance(8, 1);

const { standIns, worksWith, counted, textOf } = useWorks();
const callback_url = "https://example.org/jobs";
const refused = new AppError("external_service_error", { cause: new BackendRefusal(400) });

describe("a job", () => {
  it("loses nothing, and says nothing twice, wherever its worker is killed", async () => {
    const userId = await createTestAccount(standIns().table, "Admin");
    for (let calls = 1; ; calls += every) {
      const works = worksWith({ slotsPerAccount: 2 });
      const name = await works.post(userId, 3, { callback_url });
      const { wasKilled } = await works.work({ killAfter: calls });
      expect(await textOf(name), `killed after ${calls} calls`).toBe(saidIn("recording", 3));
      expect(await works.jobs.find(name)).toMatchObject({ status: "completed", is_settled: true });
      expect(new Set(works.callbacks.map(({ event }) => event))).toEqual(new Set(["job.completed"]));
      // Only the piece in progress may be transcribed again.
      expect(works.requested.length).toBeLessThanOrEqual(4);
      if (wasKilled) continue;
      expect(calls).toBeGreaterThan(30);
      return;
    }
  });

  it("is refunded and reported once, wherever its worker is killed while it fails or is deleted", async () => {
    const userId = await createTestAccount(standIns().table, "Admin");
    const model: FakeModel = (piece, signal) =>
      piece === "bad 1" ? Promise.reject(refused) : sayPiece(piece, signal);
    let expected = 0;
    for (let calls = 1; ; calls += every) {
      const works = worksWith({ model });
      const failed = await works.post(userId, 3, { recording: "bad", callback_url });
      const deleted = await works.post(userId, 2, { recording: "unwanted", callback_url });
      await deleteJob(deleted, works);
      const { wasKilled } = await works.work({ killAfter: calls });
      expect(await works.jobs.find(failed), `killed after ${calls} calls`).toMatchObject({
        status: "failed",
        is_settled: true,
      });
      expect(await works.jobs.read(deleted)).toBeUndefined();
      const reported = new Set(works.callbacks.map(({ event, jobId }) => `${event} ${jobId}`));
      expect(reported).toEqual(new Set([`job.failed ${failed.jobId}`, `job.cancelled ${deleted.jobId}`]));
      expected += pieceSeconds;
      expect((await counted(userId)).month).toBe(expected);
      if (wasKilled) continue;
      expect(calls).toBeGreaterThan(30);
      return;
    }
  });

  it("loses nothing, and says nothing twice, wherever its worker is killed while its pieces are halved", async () => {
    const userId = await createTestAccount(standIns().table, "Admin");
    for (let calls = 1; ; calls += every) {
      const works = worksWith({ slotsPerAccount: 2, model: slowModel(250) });
      const name = await works.post(userId, 2);
      const { wasKilled } = await works.work({ killAfter: calls });
      expect(await textOf(name), `killed after ${calls} calls`).toBe(
        [0, 1]
          .flatMap((piece) =>
            ["0 to 250", "250 to 500"].map((part) => `said in recording ${piece} from ${part}`),
          )
          .join(" / "),
      );
      expect(await works.jobs.find(name)).toMatchObject({
        status: "completed",
        done_milliseconds: 1_000_000,
      });
      // The first piece runs out of time as a whole, the other one of the slots perhaps; one part may be repeated.
      expect(works.requested.length).toBeLessThanOrEqual(7);
      if (wasKilled) continue;
      expect(calls).toBeGreaterThan(40);
      return;
    }
  });

  it("on a document is the same, and no passage is translated twice, wherever its worker is killed", async () => {
    const userId = await createTestAccount(standIns().table, "Admin");
    const lines = Array.from({ length: 130 }, (_, index) => `sentence ${"abcdefghij"[index % 10]}${index}.`);
    const text = lines.join("\n");
    for (let calls = 1; ; calls += 7 * every) {
      const works = worksWith({ slotsPerAccount: 2 });
      const name = await works.postDocument(userId, text, text.length);
      const { wasKilled } = await works.work({ killAfter: calls });
      const from = { jobs: works.jobs, store: standIns().bucket.store };
      const result = await getResult(name, { partial: false }, from);
      const body = "body" in result && result.body instanceof Uint8Array ? result.body : Buffer.of();
      expect(Buffer.from(body).toString(), `killed after ${calls} calls`).toBe(text.toUpperCase());
      expect(await works.jobs.find(name)).toMatchObject({ status: "completed", is_settled: true });
      // Only those of the piece in progress may be translated again.
      expect(works.requested.length).toBeLessThanOrEqual(130 + 60);
      if (wasKilled) continue;
      expect(calls).toBeGreaterThan(150);
      return;
    }
  });
});
