import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { translateFile } from "../../../functions/jobs/libretranslate/translate-file.ts";
import type { CharacterQuota } from "../../../shared/accounts/limits/character-quota.ts";
import type { Translator } from "../../../shared/models/inference/translation.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";

const status = { used: 0, limit: 500, resetSeconds: 60 };

const setup = (translate: Translator["translate"], maxMilliseconds?: number) => {
  const quota = {
    charge: vi.fn<CharacterQuota["charge"]>(async () => status),
    refund: vi.fn<CharacterQuota["refund"]>(async () => status),
    read: vi.fn<CharacterQuota["read"]>(async () => status),
  };
  const stored = new Map<string, string>();
  const send = (content: string) =>
    translateFile(
      { file: { filename: "notes.txt", content: Buffer.from(content) }, target: "lg" },
      { userId: 7, signal: new AbortController().signal },
      {
        translator: { translate },
        characters: quota,
        uploads: { add: async () => undefined, remove: async () => undefined },
        store: {
          put: async (key, body) => void stored.set(key, Buffer.from(body).toString()),
          delete: async () => undefined,
          signDownload: async (key) => ({ url: `https://links.example/${key}`, expiresAt: new Date() }),
        },
        ...(maxMilliseconds === undefined ? {} : { maxMilliseconds }),
      },
    );
  return { quota, stored, send };
};

describe("A document of a client of LibreTranslate", () => {
  it("is stored, and found by its link", async () => {
    const { send, stored, quota } = setup(async ({ text }) => ({
      text: text.toUpperCase(),
      usage: undefined,
    }));
    const { translatedFileUrl } = await send("one\ntwo\n");
    const [[key = "", text] = []] = stored;
    expect([translatedFileUrl, text]).toEqual([`https://links.example/${key}`, "ONE\nTWO\n"]);
    expect(key).toMatch(/^uploads\/[\w-]+\/notes\.lug\.txt$/);
    expect(quota.charge).toHaveBeenCalledWith(7, 6);
    expect(quota.refund).not.toHaveBeenCalled();
  });

  it("that takes too long is refused with a message about jobs; its calls end, and nothing is counted", async () => {
    let ended = 0;
    const { send, stored, quota } = setup(async (_, { signal }) => {
      await sleep(60_000, undefined, { signal }).finally(() => {
        ended += 1;
      });
      return { text: "late", usage: undefined };
    }, 50);
    const lines = Array.from({ length: 10 }, (_, index) => `line ${"abcdefghij"[index]}`);
    await expect(send(lines.join("\n"))).rejects.toMatchObject({
      code: "file_too_large",
      message: expect.stringContaining("POST /tasks/jobs"),
    });
    await vi.waitFor(() => expect(ended).toBe(4));
    expect(quota.refund).toHaveBeenCalledWith(7, 60);
    expect(stored.size).toBe(0);
  });

  it("fails with the model's error, and counts nothing", async () => {
    const { send, quota } = setup(async () => {
      throw new AppError("service_unavailable");
    });
    await expect(send("one")).rejects.toMatchObject({ code: "service_unavailable" });
    expect(quota.refund).toHaveBeenCalledWith(7, 3);
  });

  it("refunds the passages that the model could not translate", async () => {
    const { send, quota } = setup(async ({ text }) => ({
      text: text === "two" ? "" : "ONE",
      usage: undefined,
    }));
    await send("one\ntwo\n");
    expect(quota.refund).toHaveBeenCalledWith(7, 3);
  });
});
