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
