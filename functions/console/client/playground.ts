import { type AttemptName, isAttemptName } from "../playground/attempts.ts";
import { PlaygroundModel } from "./parts/playground-model.ts";
import { createPlaygroundView, findElements } from "./parts/playground-view.ts";
import { createSender } from "./parts/send.ts";

const start = (elements: NonNullable<ReturnType<typeof findElements>>, name: AttemptName): void => {
  const { form, run } = elements;
  const { token: tokenUrl, visitor: visitorUrl, formToken = "", api = "", stream = "" } = form.dataset;
  const view = createPlaygroundView(elements);
  const canPlayOpus = document.createElement("audio").canPlayType("audio/ogg; codecs=opus") !== "";
  const playground = new PlaygroundModel(name, {
    view,
    send: createSender({ tokenUrl, visitorUrl, formToken }),
    addresses: { api, stream },
    speechFormat: canPlayOpus ? "opus" : "mp3",
  });
  view.bind(playground);
  run.disabled = tokenUrl === undefined && visitorUrl === undefined;
  // A reader may have sent the form before this script had loaded.
  if (name !== "transcribe") return;
  view.clear();
  view.showNote(view.words("hint"));
};

const elements = findElements();
const name = elements?.form.dataset["try"];
if (elements && isAttemptName(name)) start(elements, name);
