import { describe, expect, it } from "vitest";
import { uploadOperation } from "../../functions/upload/contract.ts";
import { call, expectDeclared, expectError, sharedAccount } from "../support/client.ts";

const request = { file_name: "interview.mp3", content_type: "audio/mpeg" };
const ask = (body: unknown, token?: string) => call("/tasks/generate-upload-url", { body, token });
const put = (url: string, contentType: string) =>
  fetch(url, { method: "PUT", headers: { "Content-Type": contentType }, body: Buffer.from("ID3\u0004") });

describe("POST /tasks/generate-upload-url", () => {
  it("returns a link for uploading a file, without a token", async () => {
    const response = await ask(request);
    expect(response.status).toBe(200);
    expectDeclared(uploadOperation, response);
    const minutes = (Date.parse(response.body.expires_at) - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(29);
    expect(minutes).toBeLessThan(31);
    expect((await put(response.body.upload_url, "audio/mpeg")).status).toBe(200);
  });

  it("returns one with a token too, and never the same file", async () => {
    const { token } = await sharedAccount();
    const [one, other] = await Promise.all([ask(request, token), ask(request, token)]);
    expect([one.status, other.status]).toEqual([200, 200]);
    expect(one.body.file_id).not.toBe(other.body.file_id);
  });

  it("returns a link that accepts exactly the requested size", async () => {
    const { body } = await ask({ ...request, size: 4 });
    const of = (length: number) =>
      fetch(body.upload_url, {
        method: "PUT",
        headers: { "Content-Type": "audio/mpeg" },
        body: Buffer.alloc(length),
      });
    expect([(await of(3)).status, (await of(5)).status, (await of(0)).status]).toEqual([403, 403, 403]);
    expect((await of(4)).status).toBe(200);
  });

  it.each([524_288_001, "4"])("refuses a link for a file of %j bytes", async (size) => {
    const response = await ask({ ...request, size });
    expectDeclared(uploadOperation, response);
    expect(response).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "size"] }] } });
  });

  it("returns a link for a declared size of up to 500 MB", async () => {
    const response = await ask({ ...request, size: 524_288_000 });
    expect(response.status).toBe(200);
    expectDeclared(uploadOperation, response);
  });

  it("returns a link that accepts no other content type, and no other file", async () => {
    const { body } = await ask(request);
    expect((await put(body.upload_url, "text/html")).status).toBe(403);
    const other = new URL(body.upload_url);
    other.pathname = other.pathname.replace("interview.mp3", "other.mp3");
    expect((await put(other.href, "audio/mpeg")).status).toBe(403);
    expect((await fetch(body.upload_url)).status).toBe(403);
  });

  it.each(["Ebirowoozo by’abaana – 2 (ŋŋamba).m4a", "folder/./a.wav", "अ/\\?#%00 +&.wav", "🎙️"])(
    "takes a file called %j",
    async (fileName) => {
      const { status, body } = await ask({ ...request, file_name: fileName });
      expect(status).toBe(200);
      expect((await put(body.upload_url, "audio/mpeg")).status).toBe(200);
    },
  );

  it.each(["../../etc/passwd", "%2e%2e%2fsecret.wav"])("refuses a file called %s", async (fileName) => {
    const response = await ask({ ...request, file_name: fileName });
    expectError(response, 400, "bad_request");
    expect(response.body.detail).toContain("path traversal");
  });

  it("names what is missing", async () => {
    const response = await ask({});
    expectDeclared(uploadOperation, response);
    expect(response).toMatchObject({
      status: 422,
      body: {
        detail: [
          { loc: ["body", "file_name"], type: "missing" },
          { loc: ["body", "content_type"], type: "missing" },
        ],
      },
    });
  });
});
