import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import { uploadKeys } from "../../shared/recordings/uploads/keys.ts";
import {
  createUploadsRepository,
  type UploadsRepository,
} from "../../shared/recordings/uploads/uploads-repository.ts";
import { createTestAccount, startTestTable, type TestTable } from "../support/test-table.ts";

let table: TestTable;
let uploads: UploadsRepository;
beforeAll(async () => {
  table = await startTestTable();
  uploads = createUploadsRepository(table.openForRequests());
});
afterAll(() => table.close());
afterEach(() => {
  vi.useRealTimers();
});

const upload = { objectKey: "uploads/1/a.mp3", contentType: "audio/mpeg", userId: undefined };
const hours = (count: number) => count * 60 * 60 * 1_000;

describe("an upload", () => {
  it("requested without a token can be used by anyone who knows its id", async () => {
    await uploads.add("anybody", upload);
    expect(await uploads.find("anybody", 7)).toEqual(upload);
    expect(await uploads.find("anybody", 8)).toEqual(upload);
  });

  it("requested with a token can only be used by that account", async () => {
    const userId = await createTestAccount(table.open());
    const own = { ...upload, userId };
    await uploads.add("own", own);
    expect(await uploads.find("own", userId)).toEqual(own);
    expect(await uploads.find("own", userId + 1)).toBeUndefined();
  });

  it("that was requested during the deletion of its account is refused, and nothing of it stays", async () => {
    const userId = await createTestAccount(table.open());
    await table.open().update({
      Key: accountKeys.access(userId),
      UpdateExpression: "SET deletion_began = :now",
      ExpressionAttributeValues: { ":now": new Date().toISOString() },
    });
    for (const owner of [userId, 4_000_000]) {
      const late = uploads.add("late", { ...upload, userId: owner });
      await expect(late).rejects.toMatchObject({ code: "unauthenticated" });
      expect(await table.read(uploadKeys.upload("late"))).toBeUndefined();
      const { PK: partition } = accountKeys.owned(owner, "");
      expect(await table.open().query({ partition })).toEqual([]);
    }
  });

  it("does not exist when no link was requested", async () => {
    expect(await uploads.find("unknown", 7)).toBeUndefined();
  });

  it("can be used for a day", async () => {
    await uploads.add("yesterday", upload);
    const item = await table.read(uploadKeys.upload("yesterday"));
    expect(Number(item?.["expires_at"]) * 1_000 - Date.now()).toBeLessThanOrEqual(hours(24));
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + hours(23.9) });
    expect(await uploads.find("yesterday", 7)).toBeDefined();
    vi.setSystemTime(Date.now() + hours(0.2));
    expect(await uploads.find("yesterday", 7)).toBeUndefined();
  });
});
