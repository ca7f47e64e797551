import { codeSamples } from "../../../../shared/pages/samples/code-samples.ts";
import { clockOf } from "../../recordings/clock.ts";
import type { PlaygroundModel, PlaygroundView } from "./playground-model.ts";
import { canRecord, type MicrophoneRecording, startRecording } from "./record.ts";

const find = <Kind extends HTMLElement>(selector: string, kind: new () => Kind): Kind | undefined => {
  const found = document.querySelector(selector);
  return found instanceof kind ? found : undefined;
};

/** The elements of the page without which there is no playground; `undefined` when one is missing. */
export const findElements = () => {
  const form = find("form[data-try]", HTMLFormElement);
  const run = find("[data-run]", HTMLButtonElement);
  const result = find("[data-result]", HTMLElement);
  return form && run && result ? { form, run, result } : undefined;
};

/** Audio with controls and a link to save it. */
const playerFor = (
  audio: Blob,
  fileName: string,
  saveLabel: string,
): [HTMLAudioElement, HTMLAnchorElement] => {
  const player = document.createElement("audio");
  player.controls = true;
  player.src = URL.createObjectURL(audio);
  const link = document.createElement("a");
  link.textContent = saveLabel;
  link.href = player.src;
  link.download = fileName;
  return [player, link];
};

/** Shows how long a recording is and how loud. @returns a function that ends it. */
const showMicrophone = (recording: MicrophoneRecording): (() => void) => {
  const meter = find("[data-level]", HTMLMeterElement);
  const timer = find("[data-timer]", HTMLElement);
  const start = Date.now();
  const update = (): void => {
    if (meter) meter.value = recording.level();
    if (timer) timer.textContent = clockOf((Date.now() - start) / 1_000);
  };
  const setHidden = (isHidden: boolean): void => {
    if (meter) meter.hidden = isHidden;
    if (timer) timer.hidden = isHidden;
  };
  update();
  setHidden(false);
  const interval = setInterval(update, 100);
  return () => {
    clearInterval(interval);
    setHidden(true);
  };
};

/** Makes a button start and stop recordings. */
const bindRecorder = (
  button: HTMLButtonElement,
  words: PlaygroundView["words"],
  onEnd: (recorded: File) => void,
  onProblem: () => void,
): void => {
  const label = button.querySelector("span") ?? button;
  const start = label.textContent;
  let recording: MicrophoneRecording | undefined;
  const record = async (): Promise<void> => {
    recording = await startRecording();
    label.textContent = words("stopRecording");
    const end = showMicrophone(recording);
    const recorded = await recording.file;
    end();
    recording = undefined;
    label.textContent = start;
    onEnd(recorded);
  };
  button.addEventListener("click", () => {
    if (recording) recording.stop();
    else void record().catch(onProblem);
  });
  button.hidden = false;
};

/** Plays speech, and moves the bars of the button meanwhile. */
const playOn = (button: HTMLElement, audio: Blob): void => {
  const player = new Audio(URL.createObjectURL(audio));
  const setPlaying = (isPlaying: boolean) => () => button.classList.toggle("playing", isPlaying);
  player.addEventListener("playing", setPlaying(true));
  player.addEventListener("ended", setPlaying(false));
  player.addEventListener("error", setPlaying(false));
  void player.play().catch(setPlaying(false));
};

/** The playground in the page. */
export const createPlaygroundView = ({ form, run, result }: NonNullable<ReturnType<typeof findElements>>) => {
  const { dataset } = form;
  const runLabel = run.textContent;
  const stop = find("[data-stop]", HTMLButtonElement);
  const again = find("[data-new]", HTMLButtonElement);
  const textField = find("#text", HTMLTextAreaElement);
  const fileField = find("#audio", HTMLInputElement);
  const after = find("[data-after]", HTMLElement);
  const listen = find("[data-listen]", HTMLButtonElement);
  let recorded: File | undefined;
  let spoken = { text: "", voice: "" };

  const words = (key: string): string => dataset[key] ?? "";

  const add = <Tag extends "p" | "a">(tag: Tag, text: string, className = ""): HTMLElementTagNameMap[Tag] => {
    const element = document.createElement(tag);
    element.textContent = text;
    if (className !== "") element.className = className;
    result.append(element);
    return element;
  };

  const showError = (sentence: string, status = 0): void => {
    add("p", sentence || words("failed"), "error").setAttribute("role", "alert");
    const signUp = dataset["signUp"];
    if (status === 429 && signUp !== undefined)
      add("a", words("signUpLabel"), "button secondary").href = signUp;
  };

  const view: PlaygroundView = {
    words,
    showError,
    values: () =>
      Object.fromEntries(
        [...new FormData(form)].flatMap(([key, value]) => (typeof value === "string" ? [[key, value]] : [])),
      ),
    file: () => recorded ?? fileField?.files?.[0],
    moveMessage: () => {
      const message = textField?.value ?? "";
      add("p", message, "turn own");
      if (textField) textField.value = "";
      return message;
    },
    showCode: (request) => {
      for (const [language, code] of Object.entries(codeSamples(request))) {
        const block = document.querySelector(`[data-sample="${language}"] code`);
        if (block && block.textContent?.trimEnd() !== code) block.textContent = code;
      }
    },
    showResult: (text, voice) => {
      add("p", text, "answer");
      spoken = { text, voice: voice ?? "" };
      if (listen) listen.hidden = voice === undefined;
      if (after) after.hidden = false;
    },
    voiceOf: (language) => {
      const voices = words("voices").split(" ");
      const index = voices.indexOf(language);
      return index < 0 ? undefined : voices[index + 1];
    },
    listenTo: (audio) => {
      if (listen) playOn(listen, audio);
    },
    swapLanguages: () => {
      const [source, target] = ["source", "target"].map((name) => find(`#${name}`, HTMLSelectElement));
      if (!source || !target || source.value === "") return;
      [source.value, target.value] = [target.value, source.value];
      const shown = result.querySelector(".answer")?.textContent;
      if (shown && textField) textField.value = shown;
      view.clear();
    },
    showNote: (text) => add("p", text, "soft"),
    startReply: () => {
      const element = add("p", "", "turn");
      return {
        update: (text) => {
          element.textContent = text;
        },
        remove: () => element.remove(),
      };
    },
    playAudio: (audio, fileName) => result.replaceChildren(...playerFor(audio, fileName, words("save"))),
    clear: () => {
      result.replaceChildren();
      if (after) after.hidden = true;
    },
    setRunning: (isRunning) => {
      result.setAttribute("aria-busy", String(isRunning));
      run.disabled = isRunning;
      run.textContent = isRunning ? words("busy") : runLabel;
      if (stop) stop.hidden = !isRunning;
    },
    setNewConversation: (isOffered) => {
      if (again) again.hidden = !isOffered;
    },
  };

  /** Connects the controls of the page. */
  const bind = (playground: PlaygroundModel): void => {
    const showCode = (): void => playground.showCode();
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void playground.run();
    });
    form.addEventListener("input", showCode);
    find("[data-swap]", HTMLButtonElement)?.addEventListener("click", (event) => {
      event.preventDefault();
      playground.swap();
    });
    listen?.addEventListener("click", () => void playground.listen(spoken.text, spoken.voice));
    fileField?.addEventListener("change", () => {
      recorded = undefined;
      showCode();
    });
    stop?.addEventListener("click", () => playground.stop());
    again?.addEventListener("click", () => playground.startOver());
    const keep = (file: File): void => {
      recorded = file;
      find("[data-recorded]", HTMLElement)?.replaceChildren(...playerFor(file, file.name, words("save")));
      showCode();
    };
    const recorder = find("[data-record]", HTMLButtonElement);
    if (recorder && canRecord()) bindRecorder(recorder, words, keep, () => showError(words("noMicrophone")));
  };

  return { ...view, bind };
};
