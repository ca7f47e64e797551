import { describe, expect, it } from "vitest";
import type { LocalPage } from "../../../infra/local/local-page.ts";
import { renderLocalPage } from "../../../infra/local/pages/render-page.tsx";
import { agoIn } from "../../../infra/local/pages/times.ts";

const now = Date.parse("2026-11-22T09:33:10.000Z");

const render = (page: LocalPage): string =>
  renderLocalPage(page, { base: "/prod", stylesheets: ["/prod/style.css"], scripts: [], style: "", now });

const mail = {
  to: ["amina@example.com"],
  subject: "Verify <your> address",
  text: "Hello Amina,\n\nhttp://127.0.0.1:3000/auth/verify-email?token=a&b=c.\n<script>alert(1)</script>",
  at: "2026-11-22T09:30:00.000Z",
};

describe("The page of mails", () => {
  it("has links that can be followed, the newest mail first, and none of what a mail brings as markup", () => {
    const html = render({ kind: "mail", mails: [mail, { ...mail, subject: "A later one" }] });
    expect(html).toContain(
      '<a href="http://127.0.0.1:3000/auth/verify-email?token=a&amp;b=c">http://127.0.0.1:3000/auth/verify-email?token=a&amp;b=c</a>.',
    );
    expect(html.indexOf("A later one")).toBeLessThan(html.indexOf("Verify &lt;your> address"));
    expect(html).not.toContain("<script");
    expect(html).toContain('<time datetime="2026-11-22T09:30:00.000Z">3 minutes ago (');
  });

  it("says what to do when there are none", () => {
    expect(render({ kind: "mail", mails: [] })).toContain("Sign up in the console");
  });
});

describe("The page of messages", () => {
  it("shows the words of texts and menus, and everything else as JSON", () => {
    const message = { id: "wamid.1", to: "256700000001", at: "2026-11-22T09:30:00.000Z" };
    const html = render({
      kind: "messages",
      messages: [
        { ...message, type: "text", body: { text: { body: "Webale & mirembe" } } },
        { ...message, type: "interactive", body: { interactive: { body: { text: "Choose" } } } },
        { ...message, type: "audio", body: { audio: { id: "7" } } },
      ],
    });
    expect(html).toContain("<p>Webale &amp; mirembe</p>");
    expect(html).toContain("<p>Choose</p>");
    expect(html).toContain("&quot;audio&quot;");
  });
});

describe("The page of components", () => {
  it("has every colour, and no identifier twice", () => {
    const html = render({ kind: "components", colours: ["paper", "chart-1"] });
    expect(html).toContain('class="swatch chart-1"');
    const ids = Array.from(html.matchAll(/ id="([^"]+)"/g), ([, id = ""]) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });
});

describe("A time", () => {
  it.each([
    ["2026-11-22T09:33:10.900Z", "now"],
    ["2026-11-22T09:33:09.000Z", "1 second ago"],
    ["2026-11-22T09:32:10.000Z", "1 minute ago"],
    ["2026-11-22T07:33:10.000Z", "2 hours ago"],
    ["2026-11-21T09:33:10.000Z", "yesterday"],
    ["2026-11-01T09:33:10.000Z", "21 days ago"],
  ])("is said as people say it: %s", (at, words) => {
    expect(agoIn(at, now)).toBe(words);
  });
});
