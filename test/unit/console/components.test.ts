import { createElement } from "preact";
import { describe, expect, it } from "vitest";
import { attemptDefinitions, attemptNames } from "../../../functions/console/playground/attempts.ts";
import { Playground } from "../../../functions/console/playground/view.tsx";
import { render } from "./rendered.ts";

describe("The form of the playground", () => {
  it.each([
    ["translate", ["source", "target", "text"]],
    ["chat", ["text"]],
    ["speak", ["voice", "text"]],
    ["transcribe", ["language", "audio"]],
    ["identify", ["text"]],
  ] as const)("for %s has the fields %j", (current, fields) => {
    const { values } = attemptDefinitions[current];
    const addresses = { api: "https://api.example.com", stream: "https://stream.example.com" };
    const props = { current, values, addresses, access: { kind: "account" } } as const;
    const html = render(createElement(Playground, props));
    const names = Array.from(html.matchAll(/<(?:select|textarea|input type="file")\b[^>]*>/g), ([tag]) => tag)
      .map((tag) => /\bname="([^"]*)"/.exec(tag)?.[1])
      .concat(html.includes('type="file"') ? "audio" : []);
    expect(attemptNames).toContain(current);
    expect(new Set(names)).toEqual(new Set(fields));
  });
});
