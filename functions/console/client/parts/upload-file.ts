import { member, textWithin } from "../../../../shared/pages/client/parts/read-response.ts";
import { type createApi, type Persistence, persist, Refused } from "./persist.ts";

/** A part without progress for this long has lost its connection, even if the browser has not noticed. */
const silenceMilliseconds = 60_000;

/** How many times the storage may refuse a part before the upload fails. */
const maxRefusals = 5;

/** The last upload of this browser, with the size and time of its file. It contains no name, for privacy. */
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

/** Some private windows have no storage; an upload then does not survive a reload. */
const ifStored = <Result>(use: () => Result): Result | undefined => {
  try {
    return use();
  } catch {
    return undefined;
  }
};

/** Sends a part. `fetch` does not report the progress of a request. */
const put = (
  url: string,
  bytes: Blob,
  signal: AbortSignal,
  onProgress: (sent: number) => void,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    let timer = setTimeout(stop, silenceMilliseconds);
    request.upload.addEventListener("progress", ({ loaded }) => {
      clearTimeout(timer);
      timer = setTimeout(stop, silenceMilliseconds);
      onProgress(loaded);
    });
    request.addEventListener("loadend", () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      // 0 when the connection was lost or this page aborted the request.
      if (request.status > 0) resolve(request.status);
      else reject(signal.aborted ? signal.reason : new Error("The connection was lost."));
    });
    signal.addEventListener("abort", stop);
    request.open("PUT", url);
    request.send(bytes);
  });

/** An upload as the page follows it. */
export interface UploadWork extends Persistence {
  readonly api: ReturnType<typeof createApi>;
  /** @param isResumed when parts had arrived before. */
  onProgress(bytes: number, isResumed: boolean): void;
  /** The message for a file that was moved or changed. */
  readonly unreadable: string;
}

/** Finds the unfinished upload of this file, or starts a new one. */
const open = async (file: File, { api }: UploadWork) => {
  const known = ifStored(() => memory.recall(file));
  const found =
    known === undefined
      ? undefined
      : await api("GET", `/uploads/${known}`).catch((error: unknown) => {
          // It has expired, or belongs to another account that used this browser.
          if (error instanceof Refused) return undefined;
          throw error;
        });
  if (found !== undefined) return found;
  const created = await api("POST", "/uploads", {
    // The API refuses two dots in a row, as they could leave a folder.
    file_name: file.name.replaceAll("..", "."),
    content_type: file.type || "application/octet-stream",
    size: file.size,
  });
  ifStored(() => memory.keep(file, textWithin(created, "id")));
  return created;
};

/**
 * Uploads a file in parts, one after the other, so a slow connection loses little when it breaks.
 *
 * @returns the ID of the upload.
 * @throws Refused; the reason of the signal.
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
      // One link at a time: on a slow connection, links requested together would expire.
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
      throw new Error(`The storage returned ${status}.`);
    }, work);
    before += bytes.size;
    onProgress(before, isResumed);
  }
  await api("POST", `/uploads/${id}/complete`);
  return id;
};

/** To be called when the upload has been used. */
export const forgetUpload = (): void => {
  ifStored(memory.forget);
};
