import { type ComponentChildren, createElement } from "preact";
import { renderToString } from "preact-render-to-string";
import { describe, expect, it } from "vitest";
import { StackedChart, topOf } from "../../../functions/console/account/stacked-chart.tsx";
import { CodeBlock } from "../../../shared/pages/view/code.tsx";
import { Secret } from "../../../shared/pages/view/components.tsx";
import { Field, Form } from "../../../shared/pages/view/forms.tsx";
import type { PageFrame } from "../../../shared/pages/view/frame.ts";
import { Layout } from "../../../shared/pages/view/layout.tsx";
import { frame } from "./rendered.ts";

const render = (children: ComponentChildren, changes: Partial<PageFrame> = {}): string =>
  renderToString(
    createElement(Layout, { frame: { ...frame, path: "/console/tokens", ...changes }, children }),
  );

describe("A page", () => {
  it("links to its own site only, below the stage's prefix", () => {
    const html = render(createElement("p", null, "Hello"));
    const links = Array.from(html.matchAll(/(?:href|src|action)="([^"]*)"/g), ([, link = ""]) => link);
    expect(links.length).toBeGreaterThan(8);
    expect(links.filter((link) => !/^(?:\/prod\/|#|data:image)/.test(link))).toEqual([]);
    expect(html).not.toMatch(/\sstyle=|<style|\son\w+=/);
  });

  it("says where in the navigation it is, and logs out by a form with the token", () => {
    const html = render(createElement("p", null));
    expect(html.match(/aria-current/g)).toHaveLength(1);
    expect(html).toContain('href="/prod/console/tokens" aria-current="page"');
    expect(html).toMatch(
      /action="\/prod\/console\/log-out"><input type="hidden" name="form_token" value="proof"/,
    );
    expect(render(createElement("p", null), { username: undefined })).not.toContain("log-out");
  });
});

describe("A form", () => {
  const name = { name: "name", label: "Name", hint: "Any <name>", problem: "Enter your {field}." };

  it("shows an error next to its field, keeps the input, and lists the problems above", () => {
    const html = render(
      createElement(
        Form,
        { to: "/console/tokens", submit: "Make", problems: { name: name.problem } },
        createElement(Field, { ...name, value: '"><script>' }),
      ),
    );
    expect(html).toContain('<label for="name">Name');
    expect(html).toContain('aria-describedby="name-hint name-problem" aria-invalid="true"');
    expect(html).toMatch(/<p class="error" id="name-problem"><svg.*?<\/svg>Enter your name\.<\/p>/s);
    expect(html).toContain('<a href="#name">Name</a>: Enter your name.');
    expect(html).toContain('value="&quot;>&lt;script>"');
    expect(html).toContain("Any &lt;name>");
    expect(html).toContain('name="form_token" value="proof"');
    expect(html).not.toMatch(/<input (?!type="hidden")[^>]*name="form_token"/);
  });

  it("never sends a password back", () => {
    const html = render(createElement(Field, { ...name, type: "password", value: "seven storks" }));
    expect(html).not.toContain("seven storks");
    expect(html).toContain('type="password"');
  });
});

describe("A chart", () => {
  const days = [
    [0, 0],
    [3, 0],
    [30, 10],
    [0, 1],
  ];
  const bars = days.map((values, index) => ({ label: `2026-11-0${index + 1}`, values }));
  const chart = (more: Partial<Parameters<typeof StackedChart>[0]> = {}): string =>
    render(
      createElement(StackedChart, {
        label: "Requests",
        summary: "44 requests",
        series: ["Translate", "Speak"],
        bars,
        ...more,
      }),
    );
  /** The narrow drawing alone; the wide one has the same bars. */
  const drawnIn = (html: string): string => /<svg class="narrow".*?<\/svg>/s.exec(html)?.[0] ?? "";
  const heightsIn = (html: string): number[] =>
    Array.from(drawnIn(html).matchAll(/<rect class="chart[^>]* height="([\d.]+)"/g), ([, height]) =>
      Number(height),
    );

  it("stacks the parts of each bar in proportion, with its total above", () => {
    const html = chart();
    const [three = 0, thirty = 0, ten = 0, one = 0] = heightsIn(html);
    expect(thirty / ten).toBeCloseTo(3, 1);
    expect(thirty / three).toBeCloseTo(10, 0);
    expect(one).toBeGreaterThan(0);
    expect(html).toContain("<title>2026-11-03: 40</title>");
    expect(html).toContain('role="img" aria-label="44 requests"');
    expect(drawnIn(html)).toMatch(/class="value"[^>]*>40</);
    expect(drawnIn(html)).toMatch(/class="zero"/);
  });

  it("shows what is little, and ends at a round number", () => {
    const little = chart({
      bars: [
        { label: "a", values: [1] },
        { label: "b", values: [90_000] },
      ],
    });
    expect(heightsIn(little)[0]).toBe(1);
    expect([0, 1, 2, 3, 10, 11, 49, 51, 1_000, 1_001].map(topOf)).toEqual([
      1, 1, 2, 5, 10, 20, 50, 100, 1_000, 2_000,
    ]);
    expect(chart({ bars: [] })).not.toContain("NaN");
  });
});

describe("Text for copying", () => {
  it("can be selected without JavaScript, and has a button that waits for it", () => {
    const html = render(createElement(Secret, { label: "Key", value: "lai_abc" }));
    expect(html).toContain('<code class="notranslate">lai_abc</code>');
    expect(html).toMatch(/<button type="button"[^>]* data-copy[^>]* hidden/);
    expect(render(createElement(CodeBlock, { label: "curl", code: "curl 'a' <b" }))).toContain(
      `<code><span class="line">curl <span class="s">'a'</span> &lt;b\n</span></code>`,
    );
  });
});
