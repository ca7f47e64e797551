import { describe, expect, it } from "vitest";
import * as z from "zod";
import { jobIdOfMessage, newJobId } from "../../../../shared/recordings/jobs/jobs-repository.ts";

const now = Date.parse("2026-11-22T10:00:00Z");
const uuid = z.uuid({ version: "v7" });

describe("The id of a job", () => {
  it("is a UUID of version 7, another one each time", () => {
    const ids = Array.from({ length: 100 }, () => newJobId(now));
    for (const id of ids) expect(uuid.safeParse(id).success, id).toBe(true);
    expect(new Set(ids).size).toBe(100);
  });

  it("begins with the time, so that ids sort by it", () => {
    const ids = [0, 1, 1_000, 86_400_000].map((later) => newJobId(now + later));
    expect(ids.toSorted()).toEqual(ids);
  });

  it("is the same for each delivery of a voice note, and another one for another note", () => {
    const note = { id: "wamid.1", sender: "256700000001", sentAt: now / 1_000 };
    expect(jobIdOfMessage(note)).toBe(jobIdOfMessage({ ...note }));
    expect(uuid.safeParse(jobIdOfMessage(note)).success).toBe(true);
    const others = [
      { ...note, id: "wamid.2" },
      { ...note, sender: "256700000002" },
      { ...note, sentAt: note.sentAt + 1 },
    ];
    expect(new Set([note, ...others].map(jobIdOfMessage)).size).toBe(4);
  });
});
