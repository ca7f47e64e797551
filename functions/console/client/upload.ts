import { parsed, textWithin } from "../../../shared/pages/client/parts/read-response.ts";
import { createTokenSource, type TokenSource } from "../../../shared/pages/client/parts/token.ts";
import { createApi, type Persistence, Refused } from "./parts/persist.ts";
import { forgetUpload, uploadFile } from "./parts/upload-file.ts";

const megabyte = 1_024 * 1_024;

/** The fields of a job that the page fixes. */
const jsonObject = (text: string): object => {
  const value = parsed(text);
  return typeof value === "object" && value !== null ? value : {};
};

/** The entries of a list that is written with commas. */
const listed = (text: string): string[] =>
  text
    .split(/[,\n]/u)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");

/** A number that is the same for the same text. */
const checksum = (text: string): number =>
  [...text].reduce((sum, letter) => (31 * sum + (letter.codePointAt(0) ?? 0)) % 2_147_483_647, 0);

/** The form of the page; `undefined` when an element is missing. */
const findForm = () => {
  const form = document.querySelector<HTMLFormElement>("form[data-upload]");
  const file = form?.querySelector<HTMLInputElement>("#file");
  const bar = form?.querySelector("progress");
  const state = form?.querySelector<HTMLElement>("[data-state]");
  const run = form?.querySelector<HTMLButtonElement>("[type=submit]");
  const stop = form?.querySelector<HTMLButtonElement>("[data-stop]");
  return form && file && bar && state && run && stop ? { form, file, bar, state, run, stop } : undefined;
};

/** Uploads the chosen file and creates a job for it. */
class Upload {
  readonly #elements: NonNullable<ReturnType<typeof findForm>>;
  readonly #freshToken: TokenSource;
  #running: AbortController | undefined;

  constructor(elements: NonNullable<ReturnType<typeof findForm>>) {
    this.#elements = elements;
    this.#freshToken = createTokenSource(this.#words("token"), this.#words("formToken"));
  }

  stop(): void {
    this.#running?.abort();
  }

  async run(): Promise<void> {
    const file = this.#elements.file.files?.[0];
    if (!file) return this.#say(this.#words("noFile"), true);
    if (file.size > Number(this.#words("largest"))) return this.#say(this.#words("tooLarge"), true);
    const { target, language } = this.#chosen();
    if (target !== undefined && language === undefined) return this.#say(this.#words("needsLanguage"), true);
    this.#running = new AbortController();
    const { signal } = this.#running;
    this.#setRunning(true);
    try {
      await this.#createJob(file, signal);
    } catch (error) {
      if (signal.aborted) this.#say(this.#words("stopped"));
      else this.#say((error instanceof Refused && error.message) || this.#words("failed"), true);
    } finally {
      this.#setRunning(false);
    }
  }

  async #createJob(file: File, signal: AbortSignal): Promise<void> {
    const persistence = { signal, onLost: () => this.#say(this.#words("lost")) };
    const api = createApi(this.#words("api"), this.#freshToken, persistence);
    const fileId = await this.#upload(file, api, persistence);
    this.#say(this.#words("starting"));
    const { target, speakers, keywords, ...chosen } = this.#chosen();
    const body = {
      ...{ ...jsonObject(this.#words("creates")), ...chosen, file_id: fileId },
      ...(speakers === undefined ? {} : { speakers: true }),
      ...(keywords === undefined ? {} : { keywords: listed(keywords) }),
      ...(target === undefined ? {} : { targets: [{ language: target, format: "srt" }] }),
    };
    // If the response is lost, the next attempt creates no second job.
    const key = `${fileId}-${checksum(JSON.stringify(body))}`;
    const job = await api("POST", "/jobs", body, { "Idempotency-Key": key });
    forgetUpload();
    location.assign(this.#words("page").replace("{id}", textWithin(job, "id")));
  }

  #upload(file: File, api: ReturnType<typeof createApi>, persistence: Persistence): Promise<string> {
    let arrivedBefore: number | undefined;
    return uploadFile(file, {
      ...persistence,
      api,
      unreadable: this.#words("unreadable"),
      onProgress: (bytes, isResumed) => {
        arrivedBefore ??= bytes;
        this.#showBytes(bytes, file.size, isResumed && bytes === arrivedBefore);
      },
    });
  }

  /** The fields of the form, other than its file, that are not empty. */
  #chosen(): Readonly<Record<string, string>> {
    const fields = [...new FormData(this.#elements.form)].flatMap(([name, value]) =>
      typeof value === "string" && value !== "" ? [[name, value] as const] : [],
    );
    return Object.fromEntries(fields);
  }

  #words(key: string): string {
    return this.#elements.form.dataset[key] ?? "";
  }

  #say(sentence: string, isWrong = false): void {
    const { state } = this.#elements;
    if (state.textContent !== sentence) state.textContent = sentence;
    state.className = isWrong ? "error" : "";
  }

  #showBytes(done: number, total: number, isResumed: boolean): void {
    this.#elements.bar.value = done / total;
    const inMegabytes = (bytes: number): string => (bytes / megabyte).toFixed(1);
    const sentence = this.#words(isResumed ? "continuing" : "uploading");
    this.#say(sentence.replace("{done}", inMegabytes(done)).replace("{total}", inMegabytes(total)));
  }

  #setRunning(isRunning: boolean): void {
    const { run, stop, bar } = this.#elements;
    run.disabled = isRunning;
    stop.hidden = !isRunning;
    bar.hidden = !isRunning;
  }
}

const elements = findForm();
if (elements) {
  const upload = new Upload(elements);
  elements.form.addEventListener("submit", (event) => {
    event.preventDefault();
    void upload.run();
  });
  elements.stop.addEventListener("click", () => upload.stop());
  elements.run.disabled = false;
}
