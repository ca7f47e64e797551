import { randomUUID } from "node:crypto";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { beforeAll, describe, expect, it } from "vitest";
import {
  beginUploadOperation,
  completeUploadOperation,
  getUploadOperation,
  signPartsOperation,
} from "../../functions/upload/contract.ts";
import {
  call,
  createAccount,
  expectDeclared,
  expectError,
  type JsonResponse,
  sharedAccount,
} from "../support/client.ts";
import { wavHeaderBytes } from "../support/wav.ts";

const partBytes = 5 * 1024 * 1024;
const audioBytes = partBytes + 100_000;
const recording = Buffer.concat([wavHeaderBytes(audioBytes, { stated: true }), Buffer.alloc(audioBytes)]);
const partsOf = [recording.subarray(0, partBytes), recording.subarray(partBytes)] as const;

let token: string;
beforeAll(async () => {
  ({ token } = await sharedAccount());
});

const file = { file_name: "council.wav", content_type: "audio/wav", size: recording.length };
const begin = async (body: unknown = file, bearer = token): Promise<string> => {
  const response = await call("/tasks/uploads", { token: bearer, body });
  expectDeclared(beginUploadOperation, response);
  expect(response.status).toBe(201);
  return response.body.id;
};
const sign = (id: string, numbers: readonly number[], bearer = token): Promise<JsonResponse> =>
  call(`/tasks/uploads/${id}/parts`, { token: bearer, body: { numbers } });
const look = (id: string, bearer = token): Promise<JsonResponse> =>
  call(`/tasks/uploads/${id}`, { token: bearer });
const complete = (id: string, bearer = token): Promise<JsonResponse> =>
  call(`/tasks/uploads/${id}/complete`, { method: "POST", token: bearer });
const remove = (id: string, bearer = token): Promise<JsonResponse> =>
  call(`/tasks/uploads/${id}`, { method: "DELETE", token: bearer });

const linkOf = async (id: string, number: number): Promise<string> =>
  (await sign(id, [number])).body.parts[0].upload_url;
const put = async (url: string, bytes: Uint8Array): Promise<number> =>
  (await fetch(url, { method: "PUT", body: Buffer.from(bytes) })).status;

/** Sends the first half of a part, and hangs up. */
const breakOff = async (url: string, bytes: Buffer): Promise<void> => {
  const { protocol } = new URL(url);
  const request = (protocol === "https:" ? requestHttps : requestHttp)(url, {
    method: "PUT",
    headers: { "Content-Length": bytes.length },
  });
  request.on("error", () => undefined);
  await new Promise((resolve) => request.write(bytes.subarray(0, bytes.length / 2), resolve));
  await new Promise((resolve) => {
    request.once("close", resolve);
    request.destroy();
  });
};

/** An upload of the whole recording, which is still to be completed. */
const send = async (): Promise<string> => {
  const id = await begin();
  for (const [index, bytes] of partsOf.entries()) {
    expect(await put(await linkOf(id, index + 1), bytes)).toBe(200);
  }
  return id;
};

describe("An upload in parts", () => {
  it("continues after a lost connection, and becomes a file that tasks accept", async () => {
    const id = await begin();
    const links = await sign(id, [1, 2]);
    expectDeclared(signPartsOperation, links);
    const [first, second] = links.body.parts;
    expect(first).toMatchObject({ number: 1, start: 0, size: partBytes });
    expect(second).toMatchObject({ number: 2, start: partBytes, size: recording.length - partBytes });

    expect(await put(second.upload_url, partsOf[1])).toBe(200);
    await breakOff(first.upload_url, partsOf[0]);
    const before = await look(id);
    expectDeclared(getUploadOperation, before);
    expect(before.body).toMatchObject({ status: "uploading", arrived: [2], file_id: null, part_count: 2 });

    expect(await put(first.upload_url, partsOf[0])).toBe(200);
    expect((await look(id)).body.arrived).toEqual([1, 2]);
    const done = await complete(id);
    expectDeclared(completeUploadOperation, done);
    expect(done.body).toMatchObject({ file_id: id, size: recording.length });
    expect((await look(id)).body).toMatchObject({ status: "completed", file_id: id, arrived: [1, 2] });

    const form = new FormData();
    form.set("file_id", done.body.file_id);
    form.set("language", "lug");
    const heard = await call("/tasks/audio/transcriptions", { token, body: form });
    expect(heard).toMatchObject({ status: 200, body: { usage: { input_audio_bytes: recording.length } } });
  });

  it("may be completed twice, also at once, with the same response", async () => {
    const id = await send();
    const [one, other] = await Promise.all([complete(id), complete(id)]);
    const later = await complete(id);
    expect(later.status).toBe(200);
    for (const response of [one, other].filter(({ status }) => status === 200)) {
      expect(response.body).toEqual(later.body);
    }
    expect([one, other].some(({ status }) => status === 200)).toBe(true);
  });

  it("is not completed while parts are missing, and says which", async () => {
    const id = await begin();
    expectError(await complete(id), 409, "upload_incomplete");
    await put(await linkOf(id, 1), partsOf[0]);
    const response = await complete(id);
    expectError(response, 409, "upload_incomplete");
    expect(response.body.detail).toContain("not arrived yet: 2.");
  });

  it("takes parts of their own length and no other", async () => {
    const id = await begin();
    const url = await linkOf(id, 2);
    for (const bytes of [partsOf[1].subarray(1), Buffer.concat([partsOf[1], Buffer.alloc(1)])]) {
      expect(await put(url, bytes)).toBe(403);
    }
    expect((await look(id)).body.arrived).toEqual([]);
  });

  it("may have 500 MB, in a hundred parts, and not a byte more", async () => {
    const maxBytes = 500 * 1024 * 1024;
    const response = await call("/tasks/uploads", { token, body: { ...file, size: maxBytes } });
    expect(response).toMatchObject({ status: 201, body: { part_size: partBytes, part_count: 100 } });
    const links = await sign(response.body.id, [100, 1]);
    expect(links.body.parts).toMatchObject([
      { number: 100, start: 99 * partBytes, size: partBytes },
      { number: 1, size: partBytes },
    ]);
    expect((await remove(response.body.id)).status).toBe(204);
    const larger = await call("/tasks/uploads", { token, body: { ...file, size: maxBytes + 1 } });
    expect(larger).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "size"] }] } });
  });

  it("has no parts but its own", async () => {
    const id = await begin();
    const response = await sign(id, [2, 3]);
    expectError(response, 400, "bad_request");
    expect(response.body.error.param).toBe("numbers");
    for (const numbers of [[], [0], [101], ["1"]]) {
      expect((await call(`/tasks/uploads/${id}/parts`, { token, body: { numbers } })).status).toBe(422);
    }
  });

  it("is its account's alone: to others it is as unknown as one that never was", async () => {
    const id = await begin();
    const other = await createAccount();
    for (const [name, bearer] of [
      [id, other.token],
      [randomUUID(), token],
    ] as const) {
      for (const response of [
        await sign(name, [1], bearer),
        await look(name, bearer),
        await complete(name, bearer),
        await remove(name, bearer),
      ]) {
        expectError(response, 404, "not_found");
      }
    }
    expect((await look(id)).status).toBe(200);
  });

  it("is not what a link for a whole file begins", async () => {
    const { body } = await call("/tasks/generate-upload-url", { token, body: file });
    expectError(await look(body.file_id), 404, "not_found");
  });

  it("leaves nothing when it is given up, before it is complete and after", async () => {
    const [unfinished, finished] = [await begin(), await send()];
    const link = await linkOf(unfinished, 1);
    expect((await complete(finished)).status).toBe(200);
    for (const id of [unfinished, finished]) {
      expect((await remove(id)).status).toBe(204);
      expectError(await look(id), 404, "not_found");
      expectError(await remove(id), 404, "not_found");
    }
    expect(await put(link, partsOf[0])).toBe(404);
  });

  it("is started with a token, or with a key for uploads", async () => {
    expectError(await call("/tasks/uploads", { body: file }), 401, "unauthenticated");
    const keyFor = async (scope: string): Promise<string> =>
      (await call("/auth/keys", { token, body: { name: scope, scopes: [scope] } })).body.key;
    expectError(
      await call("/tasks/uploads", { token: await keyFor("translate"), body: file }),
      403,
      "insufficient_scope",
    );
    const key = await keyFor("upload");
    expect((await look(await begin(file, key), key)).status).toBe(200);
  });

  it("refuses a file called ../secret.wav, as links do", async () => {
    const response = await call("/tasks/uploads", { token, body: { ...file, file_name: "../secret.wav" } });
    expectError(response, 400, "bad_request");
  });
});
