import { describe, expect, it } from "vitest";
import { mailPage, messagesPage } from "../../../infra/local/local-pages.ts";

const mail = {
  to: ["amina@example.com"],
  subject: "Verify <your> address",
  text: "Hello Amina,\n\nhttp://127.0.0.1:3000/auth/verify-email?token=a&b=c.\n<script>alert(1)</script>",
  at: "2026-11-22T09:30:00.000Z",
};

describe("The page of mails", () => {
  it("has links that can be followed, the newest mail first, and none of what a mail brings as markup", () => {
    const { headers, body } = mailPage([mail, { ...mail, subject: "A later one" }], "/_local");
    const html = String(body);
    expect(html).toContain(
      '<a href="http://127.0.0.1:3000/auth/verify-email?token=a&amp;b=c">http://127.0.0.1:3000/auth/verify-email?token=a&amp;b=c</a>.',
    );
    expect(html.indexOf("A later one")).toBeLessThan(html.indexOf("Verify &lt;your&gt; address"));
    expect(html).not.toContain("<script");
    expect(headers?.["Content-Security-Policy"]).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'/,
    );
  });
});

describe("The page of messages", () => {
  it("shows the words of texts and menus", () => {
    const message = { id: "wamid.1", to: "256700000001", at: "2026-11-22T09:30:00.000Z" };
    const html = String(
      messagesPage(
        [
          { ...message, type: "text", body: { text: { body: "Webale & mirembe" } } },
          { ...message, type: "interactive", body: { interactive: { body: { text: "Choose" } } } },
        ],
        "/_local",
      ).body,
    );
    expect(html).toContain("<p>Webale &amp; mirembe</p>");
    expect(html).toContain("<p>Choose</p>");
  });
});
