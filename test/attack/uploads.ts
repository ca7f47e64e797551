import * as z from "zod";
import { uploadKeyPrefix } from "../../shared/recordings/uploads/keys.ts";
import { ApiClient } from "../support/api-client.ts";
import { audioBytes, wavHeaderBytes } from "../support/wav.ts";
import { type Attack, attacksOf, heldIf, refusedIf, type Target } from "./attack.ts";
import { ask, attacksByVisitor, countOf, newVisitor, read, statusesOf } from "./visitor.ts";

const fileRequested = { file_name: "council.wav", content_type: "audio/wav" };
const uploadLink = z.object({ upload_url: z.url(), file_id: z.uuid() });
const partedUpload = z.object({ id: z.uuid() });
const partLinks = z.object({ parts: z.tuple([z.object({ upload_url: z.url() })], z.unknown()) });

const account = z.object({ id: z.int() });

const statusesAre = (statuses: readonly number[], expected: readonly number[]): boolean =>
  statuses.join(" ") === expected.join(" ");

const sampleRate = 1_000;

/** Uploads a recording of this many seconds. @returns its id for requests. */
export const uploadRecording = async (target: Target, token: string, seconds: number): Promise<string> => {
  const audio = audioBytes(Math.floor(seconds) * sampleRate * 2);
  return uploadFile(
    target,
    token,
    Buffer.concat([wavHeaderBytes(audio.length, { sampleRate, stated: true }), audio]),
  );
};

/** Uploads a file as a recording. @returns its id for requests. */
export const uploadFile = ({ url }: Target, token: string, file: Buffer): Promise<string> =>
  new ApiClient(() => url).upload(file, { token });

/** Begins an upload in parts. @returns its id. */
export const beginParts = async (target: Target, token: string, size: number): Promise<string> =>
  read(await ask(target, "/tasks/uploads", { token, body: { ...fileRequested, size } }), partedUpload).id;

const linkOfPart = async (target: Target, token: string, id: string): Promise<string> =>
  read(await ask(target, `/tasks/uploads/${id}/parts`, { token, body: { numbers: [1] } }), partLinks).parts[0]
    .upload_url;

/** File names that mean something to a header, a path or a terminal. */
const poisonedNames = [
  "a\r\nX-Injected: 1.wav",
  'a"; filename="b.html',
  "a\u0000.wav",
  "..%2f..%2fb.wav",
  "../../b.wav",
  "/etc/passwd",
  "a\u202evaw.exe",
  "<script>alert(1)</script>.wav",
  "a?uploadId=1&partNumber=2#.wav",
  "\u001b[2Ja.wav",
];

/** What can be done with uploads in parts and the names of files: number 14. */
export const uploadAttacks: readonly Attack[] = [
  ...attacksOf({ number: 14 })({
    "another account's upload in parts, read, signed for, completed, deleted and transcribed": async (
      target,
    ) => {
      const [owner, { token }] = [await newVisitor(target), await newVisitor(target)];
      const id = await beginParts(target, owner.token, 10);
      const attempts = [
        await ask(target, `/tasks/uploads/${id}`, { token }),
        await ask(target, `/tasks/uploads/${id}/parts`, { token, body: { numbers: [1] } }),
        await ask(target, `/tasks/uploads/${id}/complete`, { token, method: "POST" }),
        await ask(target, `/tasks/uploads/${id}`, { token, method: "DELETE" }),
        await ask(target, "/tasks/jobs", {
          token,
          body: { type: "transcription", file_id: id, language: "lug" },
        }),
      ];
      const owners = await ask(target, `/tasks/uploads/${id}`, { token: owner.token });
      return refusedIf(
        countOf(attempts, 404) === attempts.length && owners.status === 200,
        `${statusesOf(attempts)}, the owner ${owners.status}`,
      );
    },
  }),
  ...attacksOf({ number: 14, needs: ["table"] })({
    "uploads that start while their account is deleted, and stay behind it": async (target) => {
      const { table } = target;
      if (!table) throw new Error("there is no table to hold");
      const statuses: number[] = [];
      let stayed = 0;
      for (const path of ["/tasks/generate-upload-url", "/tasks/uploads"]) {
        const { token, password } = await newVisitor(target);
        const { id } = read(await ask(target, "/auth/me", { token }), account);
        const held = table.hold("PutItem", uploadKeyPrefix);
        const starting = ask(target, path, { token, body: { ...fileRequested, size: 10 } });
        await Promise.race([held.arrived, starting]);
        const left = await ask(target, "/auth/me", { method: "DELETE", token, body: { password } });
        held.release();
        statuses.push(left.status, (await starting).status);
        stayed += await table.itemsWith(uploadKeyPrefix, `"user_id":{"N":"${id}"}`);
      }
      return heldIf(
        statusesAre(statuses, [204, 401, 204, 401]) && stayed === 0,
        `${statuses.join(" ")}, ${stayed} items stay`,
      );
    },
  }),
  ...attacksByVisitor({ number: 14 })({
    "a part's link used for another part, another upload, and more bytes than it was signed for": async (
      target,
      { token },
    ) => {
      const [id, other] = [await beginParts(target, token, 10), await beginParts(target, token, 10)];
      const link = await linkOfPart(target, token, id);
      const otherLink = await linkOfPart(target, token, other);
      const withQuery = (name: string, value: string): string => {
        const url = new URL(link);
        url.searchParams.set(name, value);
        return url.href;
      };
      const put = (url: string, bytes: number) =>
        ask(target, url, { method: "PUT", body: Buffer.alloc(bytes) });
      const otherId = new URL(otherLink).searchParams.get("uploadId") ?? "";
      const attempts = [
        await put(withQuery("partNumber", "2"), 10),
        await put(withQuery("uploadId", otherId), 10),
        await put(withQuery("X-Amz-Expires", "604800"), 10),
        await put(link.replace(id, other), 10),
        await put(link, 11),
        await put(link, 1_000_000),
      ];
      const arrived = await Promise.all(
        [id, other].map(async (each) => (await ask(target, `/tasks/uploads/${each}`, { token })).text),
      );
      return refusedIf(
        attempts.every(({ status }) => status >= 400 && status < 500) &&
          arrived.every((text) => text.includes('"arrived":[]')),
        statusesOf(attempts),
      );
    },
    "file names that end a header, leave their folder or turn a terminal upside down": async (
      target,
      { token },
    ) => {
      const odd: string[] = [];
      let refused = 0;
      for (const file_name of poisonedNames) {
        const body = { ...fileRequested, file_name, size: 10 };
        const links: string[] = [];
        const whole = await ask(target, "/tasks/generate-upload-url", { token, body });
        if (whole.status === 200) links.push(read(whole, uploadLink).upload_url);
        const started = await ask(target, "/tasks/uploads", { token, body });
        if (started.status === 201) {
          links.push(await linkOfPart(target, token, read(started, partedUpload).id));
        }
        refused += 2 - links.length;
        const isSafe = links.every((link) =>
          /\/uploads\/[0-9a-f-]{36}\/[\p{L}\p{N}._-]+$/u.test(decodeURIComponent(new URL(link).pathname)),
        );
        if (!isSafe || [whole, started].some(({ headers }) => headers.has("x-injected"))) odd.push(file_name);
      }
      return heldIf(
        odd.length === 0,
        odd.length === 0
          ? `${refused} refused, ${poisonedNames.length * 2 - refused} made harmless`
          : odd.map((name) => JSON.stringify(name)).join(" "),
      );
    },
  }),
];
