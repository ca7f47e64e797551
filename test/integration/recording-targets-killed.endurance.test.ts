import { beforeAll, describe, expect, it } from "vitest";
import type { TranscriptTarget } from "../../shared/recordings/jobs/target.ts";
import { endurance } from "../support/endurance.ts";
import { resultsOver, saySegments } from "../support/job-results.ts";
import { speechOfAudio, tone } from "../support/test-audio.ts";
import { createTestAccount } from "../support/test-table.ts";
import { useWorks } from "../support/works-over-stand-ins.ts";

/** Workers are killed after the first call to anything outside of them, and then after each of these. */
const every = endurance(14, 1);

const { standIns, worksWith: works } = useWorks();
let results: ReturnType<typeof resultsOver>;
beforeAll(() => {
  results = resultsOver(standIns().bucket.store);
});

const callback_url = "https://example.org/jobs";
const targets: TranscriptTarget[] = [
  { language: "eng", format: "srt" },
  { language: "ach", format: "audio" },
];

const worksWith = (slotsPerAccount: number) =>
  works({
    model: saySegments,
    speak: async () => speechOfAudio(tone(0.2)),
    slotsPerAccount,
  });

/** The length and the first packets of a file; its serial number and checksums are random. */
const withoutSerial = (file: Buffer): string =>
  `${file.length} ${file.subarray(file.indexOf("OpusTags"), file.indexOf("OpusTags") + 40).toString("hex")}`;

describe("a recording with targets", () => {
  it("is the same, wherever its worker is killed", { timeout: 600_000 }, async () => {
    const userId = await createTestAccount(standIns().table, "Admin");
    let expected: { english: string; speech: string; packets: string } | undefined;
    for (let calls = 1; ; calls += every) {
      const works = worksWith(2);
      const name = await works.post(userId, 1, { callback_url, targets, characters: 5_000 });
      const { wasKilled } = await works.work({ killAfter: calls });
      const audio = await results.fileOf(works, name, { language: "ach", format: "audio" });
      const found = {
        english: (await results.fileOf(works, name, { language: "eng", format: "srt" })).toString(),
        speech: JSON.stringify((await results.jsonOf(works, name, { language: "ach" })).segments),
        packets: withoutSerial(audio),
      };
      expected ??= found;
      expect(found, `killed after ${calls} calls`).toEqual(expected);
      expect(await works.jobs.find(name)).toMatchObject({ status: "completed", is_settled: true });
      expect(new Set(works.callbacks.map(({ event }) => event))).toEqual(new Set(["job.completed"]));
      // Only what was in progress may be translated or spoken again.
      expect(works.requested.length).toBeLessThanOrEqual(1 + 6 + 4);
      expect(works.spoken.length).toBeLessThanOrEqual(3 + 3);
      if (wasKilled) continue;
      expect(calls).toBeGreaterThan(80);
      return;
    }
  });
});

describe("targets that are added to a completed recording", () => {
  it("are added once, and all of them, wherever the worker is killed", { timeout: 600_000 }, async () => {
    const userId = await createTestAccount(standIns().table, "Admin");
    for (let calls = 1; ; calls += every) {
      const works = worksWith(1);
      const name = await works.post(userId, 1, { callback_url });
      await works.work();
      await results.add(works, name, targets);
      const { wasKilled } = await works.work({ killAfter: calls });
      expect(await works.jobs.find(name), `killed after ${calls} calls`).toMatchObject({
        status: "completed",
        is_settled: true,
      });
      expect((await results.jsonOf(works, name, { language: "ach" })).segments?.[0]?.speech?.fits).toBe(true);
      expect(new Set(works.callbacks.map(({ earlierEnds }) => earlierEnds))).toEqual(new Set([undefined, 1]));
      if (wasKilled) continue;
      expect(calls).toBeGreaterThan(40);
      return;
    }
  });
});
