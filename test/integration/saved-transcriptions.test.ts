import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createSavedTranscriptions,
  type NewTranscription,
} from "../../functions/legacy/saved-transcriptions.ts";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import { transcriptionKeys } from "../../shared/recordings/saved-transcriptions/keys.ts";
import { startTestTable, type TestTable } from "../support/test-table.ts";

let table: TestTable;
beforeAll(async () => {
  table = await startTestTable();
  // Nothing is stored for a missing account.
  await table.openForRequests().put(accountKeys.access(7));
});
afterAll(() => table.close());

const transcription: NewTranscription = {
  userId: 7,
  text: "Wasuze otya nno?",
  language: "lug",
  objectKey: "transcriptions/x.mp3",
};

const daysOf = (item: Readonly<Record<string, unknown>> | undefined): number =>
  (Number(item?.["expires_at"]) - Date.now() / 1_000) / 86_400;

describe("a saved transcription", () => {
  it("is stored under its number, for thirty days", async () => {
    const saved = createSavedTranscriptions(table.openForRequests());
    const id = await saved.begin(transcription.objectKey);
    await saved.save(id, transcription);
    const item = await table.read(transcriptionKeys.transcription(id));
    expect(item).toMatchObject({
      id,
      user_id: 7,
      text: "Wasuze otya nno?",
      language: "lug",
      object_key: "transcriptions/x.mp3",
    });
    expect(daysOf(item)).toBeGreaterThan(29.9);
    expect(daysOf(item)).toBeLessThan(30.1);
  });

  it("shares its number with no other, also when many are saved at once", async () => {
    const instances = [1, 2, 3].map(() => createSavedTranscriptions(table.openForRequests()));
    const ids = await Promise.all(
      Array.from({ length: 30 }, (_, index) => instances[index % 3]?.begin("transcriptions/many.mp3")),
    );
    expect(new Set(ids).size).toBe(30);
    expect(ids.every((id) => Number.isInteger(id))).toBe(true);
  });

  it("is found by its own account, until it is deleted", async () => {
    const saved = createSavedTranscriptions(table.openForRequests());
    const id = await saved.begin("transcriptions/own.mp3");
    expect(await saved.find(id, 7)).toBeUndefined();
    await saved.save(id, { ...transcription, objectKey: "transcriptions/own.mp3" });
    expect([await saved.find(id, 7), await saved.find(id, 8)]).toEqual(["transcriptions/own.mp3", undefined]);
    await saved.delete(id, 7);
    expect(await saved.find(id, 7)).toBeUndefined();
  });
});

describe("a stored recording", () => {
  it("is let go by the last transcription that needs it, and remembered no longer than that", async () => {
    const saved = createSavedTranscriptions(table.openForRequests());
    const objectKey = "transcriptions/shared.mp3";
    const [first, second] = [await saved.begin(objectKey), await saved.begin(objectKey)];
    expect(daysOf(await table.read(transcriptionKeys.recording(objectKey)))).toBeLessThan(30.1);
    expect(await saved.release(first, objectKey)).toBe(false);
    expect(await saved.release(first, objectKey)).toBe(false);
    expect(await saved.release(second, objectKey)).toBe(true);
    expect(await saved.release(second, objectKey)).toBe(true);
    expect(daysOf(await table.read(transcriptionKeys.recording(objectKey)))).toBeGreaterThan(29.9);
  });
});
