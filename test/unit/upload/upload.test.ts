import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { uploadResponse } from "../../../functions/upload/contract.ts";
import { uploadEndpoints } from "../../../functions/upload/endpoints.ts";
import { beginUpload } from "../../../functions/upload/upload-in-parts.ts";
import type { FindBearer } from "../../../shared/accounts/access/verify-bearer.ts";
import { isPathTraversal, safeFileName } from "../../../shared/recordings/uploads/name-upload.ts";
import { send } from "../../support/send.ts";

const setup = () => {
  const store = {
    signUpload: vi.fn(async (key: string) => ({
      url: `https://storage.example.com/${encodeURI(key)}?signature`,
      expiresAt: new Date("2026-11-20T10:30:00Z"),
    })),
  };
  const uploads = { add: vi.fn(async () => undefined) };
  const findBearer = vi.fn<FindBearer>(async (authorization) =>
    authorization === "Bearer good" ? 7 : undefined,
  );
  const post = (body: object, headers: Record<string, string> = {}) =>
    send(uploadEndpoints({ store, uploads, findBearer }), {
      path: "/tasks/generate-upload-url",
      body,
      headers,
    });
  return { store, uploads, findBearer, post };
};
const request = { file_name: "interview.mp3", content_type: "audio/mpeg" };

describe("POST /tasks/generate-upload-url", () => {
  it("responds with a link, without a token", async () => {
    const { post, store, uploads, findBearer } = setup();
    const { status, body } = await post(request);
    expect(status).toBe(200);
    expect(uploadResponse.parse(body)).toEqual(body);
    const objectKey = `uploads/${body.file_id}/interview.mp3`;
    expect(store.signUpload).toHaveBeenCalledWith(objectKey, { contentType: "audio/mpeg" });
    expect(body).toMatchObject({
      upload_url: expect.stringContaining(objectKey),
      expires_at: "2026-11-20T10:30:00.000Z",
    });
    expect(uploads.add).toHaveBeenCalledWith(body.file_id, {
      objectKey,
      contentType: "audio/mpeg",
      userId: undefined,
    });
    expect(findBearer).not.toHaveBeenCalled();
  });

  it.each([1, 104_857_600])("signs the length that the file is said to have: %i", async (size) => {
    const { post, store } = setup();
    expect(await post({ ...request, size })).toMatchObject({ status: 200 });
    expect(store.signUpload).toHaveBeenCalledWith(expect.any(String), { contentType: "audio/mpeg", size });
  });

  it("returns no link that could not be stored", async () => {
    const { post, uploads } = setup();
    uploads.add.mockRejectedValueOnce(new Error("The table does not answer."));
    expect(await post(request)).toMatchObject({ status: 500, body: { error: { code: "internal" } } });
  });

  it("remembers the account of a valid token, and refuses another before a link is signed", async () => {
    const { post, store, uploads } = setup();
    await post(request, { Authorization: "Bearer good" });
    expect(uploads.add).toHaveBeenLastCalledWith(expect.any(String), expect.objectContaining({ userId: 7 }));
    expect(await post(request, { Authorization: "Bearer expired" })).toMatchObject({ status: 401 });
    expect(await post(request, { Authorization: "Basic good" })).toMatchObject({ status: 401 });
    expect(store.signUpload).toHaveBeenCalledOnce();
    expect(uploads.add).toHaveBeenCalledOnce();
  });

  it.each([
    "../../etc/passwd",
    "a/../../b.wav",
    "..",
    "a..b.wav",
    "/etc/passwd",
    "\\windows\\system32",
    "..\\..\\secret.wav",
    "%2e%2e%2fsecret.wav",
    "%2E%2E/secret.wav",
    ".%2e/secret.wav",
    "%252e%252e%252fsecret.wav",
    "%2fetc%2fpasswd",
    "%5cwindows",
  ])("refuses the file name %s", async (fileName) => {
    const { post, store } = setup();
    const response = await post({ ...request, file_name: fileName });
    expect(response).toMatchObject({
      status: 400,
      body: { error: { code: "bad_request", param: "file_name" } },
    });
    expect(response.body.detail).toContain("path traversal");
    expect(store.signUpload).not.toHaveBeenCalled();
  });

  it.each([".", " . ", "%2e", "recordings/.", "recordings\\%2E"])(
    "refuses the file name %j, which names a folder",
    async (fileName) => {
      const { post, store } = setup();
      const response = await post({ ...request, file_name: fileName });
      expect(response).toMatchObject({
        status: 400,
        body: {
          detail: "The file name is not allowed: it names a folder, not a file.",
          error: { code: "bad_request", param: "file_name" },
        },
      });
      expect(store.signUpload).not.toHaveBeenCalled();
    },
  );

  it.each([
    [{ file_name: "" }, "file_name", "string_too_short"],
    [{ file_name: "x".repeat(256) }, "file_name", "string_too_long"],
    [{ file_name: undefined }, "file_name", "missing"],
    [{ file_name: 7 }, "file_name", "string_type"],
    [{ size: 0 }, "size", "greater_than_equal"],
    [{ size: -1 }, "size", "greater_than_equal"],
    [{ size: 524_288_001 }, "size", "less_than_equal"],
    [{ size: 1.5 }, "size", "int_from_float"],
    [{ size: "much" }, "size", "int_parsing"],
    [{ content_type: undefined }, "content_type", "missing"],
    [{ content_type: "" }, "content_type", "string_too_short"],
    [{ content_type: `audio/${"x".repeat(100)}` }, "content_type", "string_too_long"],
    [{ content_type: "mp3" }, "content_type", "value_error"],
    [{ content_type: "audio/" }, "content_type", "value_error"],
    [{ content_type: "audio/mpeg\r\nX-Evil: 1" }, "content_type", "value_error"],
    [{ content_type: "audio/mpég" }, "content_type", "value_error"],
    [{ content_type: "audio/ogg; codecs" }, "content_type", "value_error"],
  ])("names what is wrong with %j", async (change, field, type) => {
    const { post } = setup();
    const { status, body } = await post({ ...request, ...change });
    expect(status).toBe(422);
    expect(body.detail[0]).toMatchObject({ loc: ["body", field], type });
  });

  it.each([
    "audio/wav",
    "audio/x-m4a",
    "image/svg+xml",
    "audio/ogg; codecs=opus",
    'audio/webm;codecs="opus, vorbis"',
    "application/octet-stream",
  ])("takes the content type %s", async (contentType) => {
    const { post } = setup();
    expect(await post({ ...request, content_type: contentType })).toMatchObject({ status: 200 });
  });
});

describe("a file name in an object's key", () => {
  it.each([
    ["interview.mp3", "interview.mp3"],
    ["my interview (1).mp3", "my_interview_1.mp3"],
    ["folder/voice.wav", "folder_voice.wav"],
    ["C:\\voice.wav", "C_voice.wav"],
    ["Eŋŋamba – ekyʼoku5.wav", "Eŋŋamba_ekyʼoku5.wav"],
    ["አማርኛ.ogg", "አማርኛ.ogg"],
    ["a\u0000b\nc.wav", "a_b_c.wav"],
    ["100%25.wav", "100_25.wav"],
    [".hidden", "file.hidden"],
    ["???.wav", "file.wav"],
    ["   ", "file"],
    ["🎙️.wav", "file.wav"],
  ])("%j becomes %s", (name, safe) => {
    expect(safeFileName(name)).toBe(safe);
  });

  it("keeps its extension when it is cut", () => {
    const safe = safeFileName(`${"ŋ".repeat(251)}.wav`);
    expect(safe).toBe(`${"ŋ".repeat(100)}.wav`);
  });

  it("never leaves its folder, breaks a key or grows too long, for any input", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 255 }), (name) => {
        const safe = safeFileName(name);
        expect(safe).toMatch(/^[\p{L}\p{M}\p{N}._-]+$/u);
        expect(safe).not.toMatch(/^\.{1,2}$/);
        expect(Buffer.byteLength(`uploads/9d3c1d0e-7f65-4c1b-9f5a-0c9a1f2b3c4d/${safe}`)).toBeLessThan(1_024);
        if (!isPathTraversal(name)) expect(safe).not.toContain("..");
      }),
    );
  });
});

it("An upload in parts has the content type that was announced", async () => {
  const unused = () => Promise.reject(new Error("Only the beginning is tried."));
  const begin = vi.fn(async () => "multipart");
  const parts = { begin, list: unused, complete: unused, abort: unused };
  const uploads = { addParted: async () => new Date(0), findParted: unused, remove: unused };
  const store = { delete: unused, describe: unused, signPart: unused };
  const upload = { file_name: "council.wav", content_type: "audio/wav", size: 12 };
  const { id } = await beginUpload(upload, 7, { parts, uploads, store });
  expect(begin).toHaveBeenCalledWith(`uploads/${id}/council.wav`, { contentType: "audio/wav" });
});
