import { describe, expect, it, vi } from "vitest";
import { uploadFile } from "../../../functions/console/client/parts/upload-file.ts";

describe("An upload that is continued", () => {
  it("counts what has arrived, the shorter last part too", async () => {
    const upload = { id: "u1", part_count: 3, part_size: 5, arrived: [1, 2, 3] };
    const api = vi.fn(async (_method: string, _path: string) => upload);
    const onProgress = vi.fn();
    const work = {
      api,
      onProgress,
      onLost: vi.fn(),
      unreadable: "It was moved.",
      signal: new AbortController().signal,
    };
    const file = new File(["twelve bytes"], "interview.wav", { type: "audio/wav" });
    expect(await uploadFile(file, work)).toBe("u1");
    expect(onProgress.mock.calls).toEqual([[12, true]]);
    expect(api.mock.calls.map(([method, path]) => `${method} ${path}`)).toEqual([
      "POST /uploads",
      "POST /uploads/u1/complete",
    ]);
  });
});
