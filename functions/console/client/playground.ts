import {
  type AttemptName,
  attemptDefinitions,
  type ChatTurn,
  isAttemptName,
} from "../playground/attempts.ts";
import { codeSamples, type SampleRequest } from "../samples/code-samples.ts";
import { eventsOf, parsed, sentenceOf, textWithin } from "./parts/read.ts";
import { canRecord, type MicrophoneRecording, startRecording } from "./parts/record.ts";
import { createSender } from "./parts/send.ts";

const find = <Kind extends HTMLElement>(selector: string, kind: new () => Kind): Kind | undefined => {
  const found = document.querySelector(selector);
  return found instanceof kind ? found : undefined;
};

/** What the service takes in one request. */
const maxFileBytes = Math.floor(4.4 * 1024 * 1024);

const start = (
  form: HTMLFormElement,
  run: HTMLButtonElement,
  result: HTMLElement,
  name: AttemptName,
): void => {
  const { dataset } = form;
  const words = (key: string): string => dataset[key] ?? "";
  const addresses = { api: words("api"), stream: words("stream") };
  const send = createSender({
    tokenUrl: dataset["token"],
    visitorUrl: dataset["visitor"],
    formToken: words("formToken"),
  });
  const stop = find("[data-stop]", HTMLButtonElement);
  const again = find("[data-new]", HTMLButtonElement);
  const textField = find("#text", HTMLTextAreaElement);
  const fileField = find("#audio", HTMLInputElement);
  let conversation: ChatTurn[] = [];
  let recorded: File | undefined;
  let running: AbortController | undefined;

  const fileToSend = (): File | undefined => recorded ?? fileField?.files?.[0];

  const describe = (): SampleRequest => {
    const definition = attemptDefinitions[name];
    const values: Record<string, string> = { ...definition.values };
    for (const [key, value] of new FormData(form)) if (typeof value === "string") values[key] = value;
    if (name === "speak") {
      const opus = document.createElement("audio").canPlayType("audio/ogg; codecs=opus");
      values["format"] = opus === "" ? "mp3" : "opus";
    }
    const file = fileToSend();
    if (file) values["audio"] = file.name;
    return definition.request(values, addresses, conversation);
  };

  const showSamples = (request: SampleRequest): void => {
    for (const [language, code] of Object.entries(codeSamples(request))) {
      const block = document.querySelector(`[data-sample="${language}"] code`);
      if (block) block.textContent = code;
    }
  };

  const add = <Tag extends keyof HTMLElementTagNameMap>(
    tag: Tag,
    text = "",
    className = "",
  ): HTMLElementTagNameMap[Tag] => {
    const element = document.createElement(tag);
    element.textContent = text;
    if (className !== "") element.className = className;
    result.append(element);
    return element;
  };

  const complain = (sentence: string, status = 0): void => {
    add("p", sentence || words("failed"), "error");
    const signUp = dataset["signUp"];
    if (status !== 429 || signUp === undefined) return;
    const link = add("a", words("signUpLabel"), "quiet");
    link.href = signUp;
  };

  const hear = (audio: Blob, fileName: string, target = result): void => {
    const player = document.createElement("audio");
    player.controls = true;
    player.src = URL.createObjectURL(audio);
    const link = document.createElement("a");
    link.textContent = words("save");
    link.href = player.src;
    link.download = fileName;
    target.replaceChildren(player, link);
  };

  const chat = async (body: ReadableStream<Uint8Array>): Promise<void> => {
    const turn = { role: "assistant", content: "" } as const;
    const shown = add("p", "", "card");
    let content = "";
    try {
      for await (const data of eventsOf(body)) {
        const event = parsed(data);
        const sentence = sentenceOf(event);
        if (sentence !== "") complain(sentence);
        content += textWithin(event, "choices", 0, "delta", "content");
        shown.textContent = content;
      }
    } finally {
      // What was said until somebody stopped it is part of the conversation.
      if (content === "") shown.remove();
      else conversation = [...conversation, { ...turn, content }];
      if (again) again.hidden = false;
    }
  };

  const show = async (response: Response): Promise<void> => {
    if (name === "chat" && response.body) return chat(response.body);
    if (name === "speak")
      return hear(
        await response.blob(),
        `speech.${response.headers.get("content-type")?.includes("ogg") ? "opus" : "mp3"}`,
      );
    const body = parsed(await response.text());
    if (name === "identify") {
      const code = textWithin(body, "language");
      add("p", words(`nameOf${code.charAt(0).toUpperCase()}${code.slice(1)}`) || words("unknown"), "card");
      return;
    }
    const said = textWithin(body, "output", "translated_text") || textWithin(body, "text");
    add("p", said || words("silence"), "card");
  };

  const ask = async (): Promise<void> => {
    const request = describe();
    showSamples(request);
    const file = fileToSend();
    if (name !== "chat" || conversation.length === 0) result.replaceChildren();
    if (name === "transcribe" && !file) return complain(words("noFile"));
    if (file && file.size > maxFileBytes) return complain(words("tooLarge"));
    if (name === "chat" && textField) {
      add("p", textField.value);
      conversation = [...conversation, { role: "user", content: textField.value }];
      textField.value = "";
    }
    running = new AbortController();
    const { signal } = running;
    run.disabled = true;
    if (stop) stop.hidden = false;
    result.setAttribute("aria-busy", "true");
    try {
      const response = await send(name, request, file, signal);
      if (response.ok) await show(response);
      else complain(sentenceOf(parsed(await response.text())), response.status);
    } catch {
      if (signal.aborted) add("p", words("stopped"), "soft");
      else complain(words("unreachable"));
    } finally {
      result.removeAttribute("aria-busy");
      run.disabled = false;
      if (stop) stop.hidden = true;
    }
  };

  const record = (button: HTMLButtonElement): void => {
    const label = button.textContent;
    let recording: MicrophoneRecording | undefined;
    button.addEventListener("click", () => {
      if (recording) return recording.stop();
      void startRecording()
        .then(async (response) => {
          recording = response;
          button.textContent = words("stopRecording");
          recorded = await response.file;
          recording = undefined;
          button.textContent = label;
          hear(recorded, recorded.name, find("[data-recorded]", HTMLElement));
          showSamples(describe());
        })
        .catch(() => complain(words("noMicrophone")));
    });
    button.hidden = false;
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void ask();
  });
  form.addEventListener("input", () => showSamples(describe()));
  fileField?.addEventListener("change", () => {
    recorded = undefined;
    showSamples(describe());
  });
  stop?.addEventListener("click", () => running?.abort());
  again?.addEventListener("click", () => {
    conversation = [];
    result.replaceChildren();
    again.hidden = true;
  });
  const recorder = find("[data-record]", HTMLButtonElement);
  if (recorder && canRecord()) record(recorder);
  // Without this script the button shows the code of what was written; with it, it does it.
  run.textContent = words("runLabel");
  result.replaceChildren();
  add("p", words("hint"), "soft");
  run.disabled = dataset["token"] === undefined && dataset["visitor"] === undefined;
  showSamples(describe());
};

const form = find("form[data-try]", HTMLFormElement);
const run = find("[data-run]", HTMLButtonElement);
const result = find("[data-result]", HTMLElement);
const name = form?.dataset["try"];
if (form && run && result && isAttemptName(name)) start(form, run, result, name);
