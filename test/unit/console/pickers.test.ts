import { createElement } from "preact";
import { describe, expect, it } from "vitest";
import { AttemptInput } from "../../../functions/console/playground/panel-input.tsx";
import { Recordings } from "../../../functions/console/recordings/list.tsx";
import { render, visit } from "./rendered.ts";

const pages = [
  [
    "the recordings",
    () =>
      render(
        createElement(Recordings, {
          ...visit,
          jobs: [],
          older: undefined,
          detectsLanguages: false,
          distinguishesSpeakers: true,
        }),
      ),
  ],
  ["the playground", () => render(createElement(AttemptInput, { current: "transcribe", values: {} }))],
] as const;

describe("The file picker of", () => {
  it.each(pages)("%s shows the files of phones that have a recording: films too", (_, page) => {
    const [, accept = ""] = / accept="([^"]+)"/.exec(page()) ?? [];
    expect(accept.split(",")).toEqual(
      expect.arrayContaining([
        "audio/*",
        "video/mp4",
        "video/quicktime",
        "video/3gpp",
        "video/webm",
        ".opus",
      ]),
    );
  });
});
