import { afterEach, expect, it, vi } from "vitest";
import { followAudio } from "../../../functions/console/client/parts/follow-audio.ts";

afterEach(() => vi.unstubAllGlobals());

class PageElement extends EventTarget {
  readonly dataset: Readonly<Record<string, string>>;
  readonly isSaid: boolean;
  constructor(start: string, isSaid: boolean) {
    super();
    this.dataset = { start };
    this.isSaid = isSaid;
  }
  closest(): unknown {
    return this.isSaid ? this : null;
  }
}

it.each([
  ["what was said then", "#t75", 75],
  ["another place of the page", "#main", 0],
  ["the page", "", 0],
])("The audio starts where the address leads: to %s", (_where, hash, seconds) => {
  const elements: Record<string, unknown> = {
    t75: new PageElement("75", true),
    main: new PageElement("9", false),
  };
  vi.stubGlobal("HTMLElement", PageElement);
  vi.stubGlobal("location", { hash });
  vi.stubGlobal("document", {
    addEventListener: () => undefined,
    getElementById: (id: string) => elements[id] ?? null,
    querySelector: () => null,
  });
  const audio = Object.assign(new EventTarget(), { currentTime: 0 });
  followAudio(audio as HTMLAudioElement);
  expect(audio.currentTime).toBe(seconds);
});
