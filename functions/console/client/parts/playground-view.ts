import { codeSamples } from "../../samples/code-samples.ts";
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

/** Makes a button start and stop recordings. */
const bindRecorder = (
  button: HTMLButtonElement,
  words: PlaygroundView["words"],
  onEnd: (recorded: File) => void,
  onProblem: () => void,
): void => {
  const label = button.textContent;
  let recording: MicrophoneRecording | undefined;
  const record = async (): Promise<void> => {
    recording = await startRecording();
    button.textContent = words("stopRecording");
    const recorded = await recording.file;
    recording = undefined;
    button.textContent = label;
    onEnd(recorded);
  };
  button.addEventListener("click", () => {
    if (recording) recording.stop();
    else void record().catch(onProblem);
  });
  button.hidden = false;
};

/** The playground in the page. */
export const createPlaygroundView = ({ form, run, result }: NonNullable<ReturnType<typeof findElements>>) => {
  const { dataset } = form;
  const stop = find("[data-stop]", HTMLButtonElement);
  const again = find("[data-new]", HTMLButtonElement);
  const textField = find("#text", HTMLTextAreaElement);
  const fileField = find("#audio", HTMLInputElement);
  let recorded: File | undefined;

  const words = (key: string): string => dataset[key] ?? "";

  const add = <Tag extends "p" | "a">(tag: Tag, text: string, className = ""): HTMLElementTagNameMap[Tag] => {
    const element = document.createElement(tag);
    element.textContent = text;
    if (className !== "") element.className = className;
    result.append(element);
    return element;
  };

  const showError = (sentence: string, status = 0): void => {
    add("p", sentence || words("failed"), "error");
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
      add("p", message);
      if (textField) textField.value = "";
      return message;
    },
    showCode: (request) => {
      for (const [language, code] of Object.entries(codeSamples(request))) {
        const block = document.querySelector(`[data-sample="${language}"] code`);
        if (block) block.textContent = code;
      }
    },
    showResult: (text) => add("p", text, "card"),
    showNote: (text) => add("p", text, "soft"),
    startReply: () => {
      const element = add("p", "", "card");
      return {
        update: (text) => {
          element.textContent = text;
        },
        remove: () => element.remove(),
      };
    },
    playAudio: (audio, fileName) => result.replaceChildren(...playerFor(audio, fileName, words("save"))),
    clear: () => result.replaceChildren(),
    setRunning: (isRunning) => {
      result.setAttribute("aria-busy", String(isRunning));
      run.disabled = isRunning;
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
