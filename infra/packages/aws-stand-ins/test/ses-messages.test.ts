import MailComposer from "nodemailer/lib/mail-composer";
import { describe, expect, it } from "vitest";
import { addressProblem, formatMailbox, parseAddresses, readRaw } from "../src/ses/send-email.ts";

const compose = async (mail: ConstructorParameters<typeof MailComposer>[0]) =>
  readRaw(await new MailComposer({ from: "a@example.com", to: "b@example.com", ...mail }).compile().build());

describe("A message that nodemailer composes", () => {
  it("has its text and its HTML read back as they were given", async () => {
    const text = "Tukwanirizza!\nClick: https://example.com/auth/verify-email?token=abc=def\n";
    const html = '<p>Tukwanirizza! <a href="https://example.com/?a=1&amp;b=2">Click</a></p>';

    expect(await compose({ subject: "Verify your e-mail address", text, html })).toMatchObject({
      subject: "Verify your e-mail address",
      text,
      html,
    });
  });

  it.each([
    [
      "Ugandan letters",
      "Okukakasa endagiriro ya imeyilo yo: ŋŋaali n’embwa ezitambula mu kibuga ekinene ennyo",
    ],
    ["many wide characters", "你好".repeat(60)],
    ["characters of two code units", "🇺🇬 ".repeat(30).trim()],
    ["one long word", "x".repeat(300)],
    ["many short words", "a word and another ".repeat(30).trim()],
  ])("has a subject of %s read back as it was given", async (_what, subject) => {
    expect((await compose({ subject, text: "x" })).subject).toBe(subject);
  });

  it.each([
    ["mostly ASCII with long lines", `Nkulamusizza ŋ ${"x".repeat(1200)} = ${"y ".repeat(400)}end`],
    ["hardly any ASCII", "你好世界".repeat(400)],
    ["lines that begin with a dot or end with a space", ".first\n..second \nthird\t\nfourth"],
    ["only ASCII", "plain\ntext"],
    ["a line that looks like a delimiter", "above\n--boundary--\nbelow"],
  ])("has a body of %s read back as it was given", async (_what, body) => {
    const read = await compose({ text: body, html: `<pre>${body}</pre>` });

    expect(read.text).toBe(body);
    expect(read.html).toBe(`<pre>${body}</pre>`);
  });

  it("may have attachments, which are not taken for its text", async () => {
    const read = await compose({
      text: "the text",
      html: '<img src="cid:logo@example.com">',
      attachments: [
        { filename: "ŋ.txt", content: "an attachment" },
        { filename: "page.html", content: "<p>attached</p>" },
        { cid: "logo@example.com", filename: "logo.png", content: Buffer.from([1, 2, 3]) },
      ],
    });

    expect(read).toMatchObject({ text: "the text", html: '<img src="cid:logo@example.com">' });
  });

  it("may have no HTML of its own together with an attached page", async () => {
    const attachments = [{ filename: "page.html", content: "<p>attached</p>" }];

    expect(await compose({ text: "the text", attachments })).toMatchObject({ text: "the text", html: "" });
  });

  it("may have no HTML, and may have no text", async () => {
    expect(await compose({ text: "only text" })).toMatchObject({ text: "only text", html: "" });
    expect(await compose({ html: "<p>only HTML</p>" })).toMatchObject({
      text: "",
      html: "<p>only HTML</p>",
    });
  });

  it("has recipients and a sender with names read back", async () => {
    const { senders, recipients } = await compose({
      from: { name: "Сервис языков", address: "service@example.com" },
      to: [
        { name: "Nakato, Rose", address: "rose@example.com" },
        { name: 'Ülo "U" O\'Neil', address: "ulo@exämple.com" },
        "plain@example.com",
      ],
    });

    expect(senders).toEqual([{ name: "Сервис языков", address: "service@example.com" }]);
    expect(recipients).toEqual([
      { name: "Nakato, Rose", address: "rose@example.com" },
      { name: 'Ülo "U" O\'Neil', address: "ulo@xn--exmple-cua.com" },
      { name: "", address: "plain@example.com" },
    ]);
  });
});

describe("An address", () => {
  it.each([
    "a@example.com",
    "first.last+tag@sub.example.co.ug",
    '"quoted local"@example.com',
    "o'neil@example.com",
    "a@localhost",
  ])("%s is accepted", (address) => {
    expect(addressProblem(address)).toBeUndefined();
  });

  it.each([
    ["no-at-sign", "Missing final '@domain'"],
    ["a b@example.com", "Local address contains control or whitespace"],
    ["a@", "Domain contains illegal character"],
    ["a@exam ple.com", "Domain contains illegal character"],
    ["a@-example.com", "Domain contains illegal character"],
    ["a@exämple.com", "Domain contains illegal character"],
    ["@example.com", "Illegal address"],
    ["a..b@example.com", "Illegal address"],
    ["ŋ@example.com", "Illegal address"],
    ["a@b@example.com", "Illegal address"],
  ])("%s is refused", (address, problem) => {
    expect(addressProblem(address)).toBe(problem);
  });

  it("is found behind a name, in quotes too", () => {
    expect(parseAddresses('"Last, First" <a@example.com>')).toEqual([
      { name: "Last, First", address: "a@example.com" },
    ]);
    expect(parseAddresses("<c@example.com>")).toEqual([{ name: "", address: "c@example.com" }]);
  });

  it("without angle brackets stays unchanged, so that its fault is visible", () => {
    expect(parseAddresses(" b c@example.com ")).toEqual([{ name: "", address: "b c@example.com" }]);
  });

  it("is written with its name when it has one", () => {
    expect(formatMailbox({ name: "Rose", address: "a@example.com" })).toBe("Rose <a@example.com>");
    expect(formatMailbox({ name: "", address: "a@example.com" })).toBe("a@example.com");
  });
});
