import { createElement } from "preact";
import { describe, expect, it } from "vitest";
import { FirstRequest } from "../../../functions/console/account/first-request.tsx";
import { attemptDefinitions, attemptNames } from "../../../functions/console/playground/attempts.ts";
import { Playground } from "../../../functions/console/playground/view.tsx";
import { TabBar } from "../../../shared/pages/view/components.tsx";
import { render } from "./rendered.ts";

describe("Tabs", () => {
  it("mark the one that is shown, and no other", () => {
    const tabs = ["one", "two"].map((label) => ({ href: `/${label}`, label, isCurrent: label === "two" }));
    const html = render(createElement(TabBar, { label: "Pages", tabs }));
    expect(html.match(/aria-current="[^"]*"[^>]*>[^<]*/g)).toEqual(['aria-current="page">two']);
  });
});

describe("The first request", () => {
  it("is sent with the key", () => {
    const html = render(createElement(FirstRequest, { baseUrl: "https://api.example.com", apiKey: "key-1" }));
    expect(html).toContain("TOKEN=key-1");
    expect(html.replaceAll(/<[^>]*>/g, "")).toContain("Authorization: Bearer $TOKEN");
  });
});

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
