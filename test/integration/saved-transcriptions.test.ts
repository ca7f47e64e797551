import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { transcriptionKeys } from "../../functions/legacy/keys.ts";
import { createSavedTranscriptions } from "../../functions/legacy/saved-transcriptions.ts";
import { startTestTable, type TestTable } from "../support/test-table.ts";

let table: TestTable;
beforeAll(async () => {
  table = await startTestTable();
});
afterAll(() => table.close());

const transcription = {
  userId: 7,
  text: "Wasuze otya nno?",
  language: "lug",
  objectKey: "transcriptions/x.mp3",
};

describe("a saved transcription", () => {
  it("is there under its number, for thirty days", async () => {
    const id = await createSavedTranscriptions(table.open()).add(transcription);
    const item = await table.read(transcriptionKeys.transcription(id));
    expect(item).toMatchObject({
      id,
      user_id: 7,
      text: "Wasuze otya nno?",
      language: "lug",
      object_key: "transcriptions/x.mp3",
    });
    const days = (Number(item?.["expires_at"]) - Date.now() / 1_000) / 86_400;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThan(30.1);
  });

  it("shares its number with no other, also when many are saved at once", async () => {
    const instances = [1, 2, 3].map(() => createSavedTranscriptions(table.open()));
    const ids = await Promise.all(
      Array.from({ length: 30 }, (_, index) => instances[index % 3]?.add(transcription)),
    );
    expect(new Set(ids).size).toBe(30);
    expect(ids.every((id) => Number.isInteger(id))).toBe(true);
  });
});
