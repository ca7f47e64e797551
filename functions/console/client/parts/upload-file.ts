import { type createApi, type Persistence, persist, Refused } from "./persist.ts";
import { member, textWithin } from "./read.ts";

/** A part of which nothing moves for so long has lost its connection, whatever the browser thinks. */
const silentMilliseconds = 60_000;

/** So often the storage may refuse a part before that counts as its last word. */
const maxRefusals = 5;

/** The upload that was begun last in this browser, and of which file; no names, so that others read nothing from it. */
const memory = {
  key: "upload",
  of: ({ size, lastModified }: File): string => `${size} ${lastModified}`,
  recall(file: File): string | undefined {
    const [id, ...storedParts] = (localStorage.getItem(memory.key) ?? "").split(" ");
    return storedParts.join(" ") === memory.of(file) ? id : undefined;
  },
  keep: (file: File, id: string): void => localStorage.setItem(memory.key, `${id} ${memory.of(file)}`),
  forget: (): void => localStorage.removeItem(memory.key),
};

/** Without a store, as in some private windows, only a reload is not survived. */
const tried = <Result>(use: () => Result): Result | undefined => {
  try {
    return use();
  } catch {
    return undefined;
  }
};

/** Sends a part. `fetch` does not tell how much of a body has left. */
const put = (
  url: string,
  bytes: Blob,
  signal: AbortSignal,
  onProgress: (sent: number) => void,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    let timer = setTimeout(stop, silentMilliseconds);
    request.upload.addEventListener("progress", ({ loaded }) => {
      clearTimeout(timer);
      timer = setTimeout(stop, silentMilliseconds);
      onProgress(loaded);
    });
    request.addEventListener("loadend", () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      // 0 where the connection broke off, or this page did.
      if (request.status > 0) resolve(request.status);
      else reject(signal.aborted ? signal.reason : new Error("The connection broke off."));
    });
    signal.addEventListener("abort", stop);
    request.open("PUT", url);
    request.send(bytes);
  });

/** Uploads in parts, as the page sees them. */
export interface UploadWork extends Persistence {
  readonly api: ReturnType<typeof createApi>;
  /** @param isResumed where some of it had arrived before. */
  onProgress(bytes: number, isResumed: boolean): void;
  /** What to say of a file that has gone from its place, or has changed. */
  readonly unreadable: string;
}

/** How far an upload is: one that was begun before, or a new one. */
const open = async (file: File, { api }: UploadWork) => {
  const known = tried(() => memory.recall(file));
  const found =
    known === undefined
      ? undefined
      : await api("GET", `/uploads/${known}`).catch((error: unknown) => {
          // It has expired, or was somebody else's who has used this browser.
          if (error instanceof Refused) return undefined;
          throw error;
        });
  if (found !== undefined) return found;
  const upload = await api("POST", "/uploads", {
    // Two dots in a row look like a step out of a folder, which is refused.
    file_name: file.name.replaceAll("..", "."),
    content_type: file.type || "application/octet-stream",
    size: file.size,
  });
  tried(() => memory.keep(file, textWithin(upload, "id")));
  return upload;
};

/**
 * Uploads a file in parts, one after the other: on a slow connection that is what loses least when it breaks off.
 *
 * @returns the id by which the API knows it.
 * @throws Refused; what the signal says.
 */
export const uploadFile = async (file: File, work: UploadWork): Promise<string> => {
  const { api, signal, onProgress, unreadable } = work;
  const upload = await open(file, work);
  const id = textWithin(upload, "id");
  const count = Number(member(upload, "part_count"));
  const partSize = Number(member(upload, "part_size"));
  const arrived = new Set<unknown>([member(upload, "arrived") ?? []].flat());
  const isResumed = arrived.size > 0;
  const sizeOf = (number: number): number => Math.min(partSize, file.size - (number - 1) * partSize);
  let before = 0;
  for (let number = 1; number <= count; number += 1) if (arrived.has(number)) before += sizeOf(number);
  onProgress(before, isResumed);
  for (let number = 1; number <= count; number += 1) {
    if (arrived.has(number)) continue;
    const start = (number - 1) * partSize;
    const bytes = file.slice(start, start + partSize);
    let refusals = 0;
    await persist(async () => {
      // Asked for one by one: links of a slow upload would end before their turn.
      const links = await api("POST", `/uploads/${id}/parts`, { numbers: [number] });
      await bytes
        .slice(0, 1)
        .arrayBuffer()
        .catch(() => {
          throw new Refused(unreadable);
        });
      const status = await put(textWithin(links, "parts", 0, "upload_url"), bytes, signal, (sent) =>
        onProgress(before + sent, isResumed),
      );
      if (status < 300) return;
      refusals += 1;
      if (status < 500 && refusals >= maxRefusals) throw new Refused("");
      throw new Error(`The storage answered ${status}.`);
    }, work);
    before += bytes.size;
    onProgress(before, isResumed);
  }
  await api("POST", `/uploads/${id}/complete`);
  return id;
};

/** The upload has become what it was for. */
export const forgetUpload = (): void => {
  tried(memory.forget);
};
