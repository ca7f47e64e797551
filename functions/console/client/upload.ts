import { createApi, Refused } from "./parts/persist.ts";
import { textWithin } from "./parts/read.ts";
import { createTokenSource } from "./parts/token.ts";
import { forgetUpload, uploadFile } from "./parts/upload-file.ts";

const megabyte = 1_024 * 1_024;

const start = (form: HTMLFormElement): void => {
  const { dataset } = form;
  const words = (key: string): string => dataset[key] ?? "";
  const file = form.querySelector<HTMLInputElement>("#file");
  const language = form.querySelector<HTMLSelectElement>("#language");
  const bar = form.querySelector("progress");
  const state = form.querySelector<HTMLElement>("[data-state]");
  const run = form.querySelector<HTMLButtonElement>("[type=submit]");
  const stop = form.querySelector<HTMLButtonElement>("[data-stop]");
  if (!(file && language && bar && state && run && stop)) return;
  const freshToken = createTokenSource(words("token"), words("formToken"));
  let running: AbortController | undefined;

  const say = (sentence: string, isWrong = false): void => {
    if (state.textContent !== sentence) state.textContent = sentence;
    state.className = isWrong ? "error" : "";
  };

  const showBytes = (done: number, total: number, isResumed: boolean): void => {
    bar.value = done / total;
    const sentence = words(isResumed ? "continuing" : "uploading");
    const inMegabytes = (bytes: number): string => (bytes / megabyte).toFixed(1);
    say(sentence.replace("{done}", inMegabytes(done)).replace("{total}", inMegabytes(total)));
  };

  const transcribe = async (chosen: File, signal: AbortSignal): Promise<void> => {
    const persistence = { signal, onLost: () => say(words("lost")) };
    const api = createApi(words("api"), freshToken, persistence);
    let arrivedBefore: number | undefined;
    const fileId = await uploadFile(chosen, {
      ...persistence,
      api,
      unreadable: words("unreadable"),
      onProgress: (bytes, isResumed) => {
        arrivedBefore ??= bytes;
        showBytes(bytes, chosen.size, isResumed && bytes === arrivedBefore);
      },
    });
    say(words("making"));
    // Under the file's own key: an answer that was lost makes no second job.
    const job = await api(
      "POST",
      "/jobs",
      { type: "transcription", file_id: fileId, language: language.value, timestamps: true },
      { "Idempotency-Key": `${fileId}-${language.value}` },
    );
    forgetUpload();
    location.assign(`${words("page")}/${textWithin(job, "id")}`);
  };

  const work = async (): Promise<void> => {
    const chosen = file.files?.[0];
    if (!chosen) return say(words("noFile"), true);
    if (chosen.size > Number(words("largest"))) return say(words("tooLarge"), true);
    running = new AbortController();
    run.disabled = true;
    stop.hidden = false;
    bar.hidden = false;
    try {
      await transcribe(chosen, running.signal);
    } catch (error) {
      if (running.signal.aborted) say(words("stopped"));
      else say((error instanceof Refused && error.message) || words("failed"), true);
    } finally {
      run.disabled = false;
      stop.hidden = true;
      bar.hidden = true;
    }
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void work();
  });
  stop.addEventListener("click", () => running?.abort());
  form.hidden = false;
  document.querySelector("[data-needs-script]")?.remove();
};

const form = document.querySelector<HTMLFormElement>("form[data-upload]");
if (form) start(form);
