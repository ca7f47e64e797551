import { describe, expect, it } from "vitest";
import { wordingOf, writeMail } from "../../../functions/mail/write-mail.ts";
import { mailRequest } from "../../../shared/accounts/mail/mail-request.ts";

const recipient = { email: "amina@example.com", username: "amina" };
const address = "https://api.example.org";

/** The mail of a request without a secret, as the function sends it. */
const mailOf = (request: Parameters<typeof wordingOf>[0]) => {
  const wording = wordingOf(request);
  expect(wording.link?.purpose).toBeUndefined();
  return writeMail(wording, recipient, `${address}${wording.link?.path}`);
};

describe("The mail about the end of version 1", () => {
  it("names the day, the routes and the guide", () => {
    const routes = ["POST /tasks/stt", "POST /tasks/summarise"];
    const mail = mailOf({ kind: "routes-end", userId: 7, sunset: "2027-12-01", routes });
    expect(mail.subject).toBe("Routes that you call end on 2027-12-01");
    for (const part of [...routes, "2027-12-01", `${address}/docs/guides/from-v1`]) {
      expect(mail.text).toContain(part);
      expect(mail.html).toContain(part);
    }
  });
});

describe("The mail about a request for higher limits", () => {
  it.each([
    ["accepted", "your plan is now Premium"],
    ["declined", "cannot accept it now"],
  ] as const)("says that it was %s, with the operator's note", (decision, sentence) => {
    const mail = mailOf({ kind: "tier-decided", userId: 7, decision, note: "Write to <us> again." });
    expect(mail.text).toContain(sentence);
    expect(mail.text).toContain("Write to <us> again.");
    expect(mail.html).toContain("Write to &lt;us&gt; again.");
    expect(mail.text).toContain(`${address}/console/usage`);
  });

  it("has no empty paragraph without a note", () => {
    const mail = mailOf({ kind: "tier-decided", userId: 7, decision: "declined", note: "" });
    expect(mail.html).not.toContain("<p></p>");
  });
});

describe("The mails about a second factor", () => {
  it.each([
    ["second-factor-removed", "Your second factor was removed", "An operator of this service has removed"],
    ["recovery-codes-replaced", "Your recovery codes were replaced", "The earlier ones no longer work."],
  ] as const)("say that it was %s, and what to do if it was not the owner", (kind, subject, sentence) => {
    const request = mailRequest.parse({ kind, userId: 7 });
    const mail = writeMail(wordingOf(request), recipient);
    expect(mail.subject).toBe(subject);
    expect(mail.text).toContain(sentence);
    expect(mail.text).toContain("change your password at once");
  });

  it("are written for requests that an earlier version has queued", () => {
    for (const kind of ["second-factor-on", "second-factor-off"] as const) {
      const queued = mailRequest.parse(JSON.parse(`{"kind":"${kind}","userId":7}`));
      expect(writeMail(wordingOf(queued), recipient).text).toContain("needs");
    }
    const used = mailRequest.parse(JSON.parse('{"kind":"recovery-code-used","userId":7,"codesLeft":3}'));
    expect(writeMail(wordingOf(used), recipient).text).toContain("You have 3 left.");
  });
});
