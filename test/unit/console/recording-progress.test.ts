import { createElement } from "preact";
import { renderToString } from "preact-render-to-string";
import { describe, expect, it } from "vitest";
import { JobProgress } from "../../../functions/console/recordings/recording.tsx";
import { textsOf } from "../../../functions/console/texts/languages.ts";
import { FrameProvider, type PageFrame } from "../../../functions/console/view/frame.ts";

const frame: PageFrame = {
  title: "Recordings",
  texts: textsOf.en,
  language: "en",
  languages: ["en"],
  path: "/console/recordings",
  url: (path) => path,
  username: "amina",
  formToken: "proof",
  stylesheets: ["/console/assets/style.css"],
  scripts: [],
  shell: "plain",
};

describe("The progress of a recording", () => {
  it("says how much of it is transcribed", () => {
    const job = { status: "running", done_milliseconds: 75_000, audio_milliseconds: 3_605_900 } as const;
    const html = renderToString(
      createElement(FrameProvider, { value: frame, children: createElement(JobProgress, { job }) }),
    );
    expect(html).toContain("Transcribed 1:15 of 1:00:05.");
    expect(html).toContain('value="75" max="3605"');
  });
});
