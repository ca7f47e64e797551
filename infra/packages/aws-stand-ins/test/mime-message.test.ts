import MailComposer from "nodemailer/lib/mail-composer";
import { describe, expect, it } from "vitest";
import { addressProblem, formatMailbox, parseAddresses } from "../src/ses/mime/addresses.ts";
import { decodeEncodedWords } from "../src/ses/mime/encoded-words.ts";
import { parseMimeMessage } from "../src/ses/mime/mime-message.ts";

const compose = async (mail: ConstructorParameters<typeof MailComposer>[0]) =>
  parseMimeMessage(
    await new MailComposer({ from: "a@example.com", to: "b@example.com", ...mail }).compile().build(),
  );

const parseLines = (...lines: string[]) => parseMimeMessage(Buffer.from(lines.join("\r\n"), "latin1"));

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

  it("may have no HTML of its own beside an attached page", async () => {
    const attachments = [{ filename: "page.html", content: "<p>attached</p>" }];

    expect(await compose({ text: "the text", attachments })).toMatchObject({ text: "the text", html: "" });
  });

  it("may have no HTML, and may have no text", async () => {
    expect(await compose({ text: "only text" })).toMatchObject({ text: "only text\n", html: "" });
    expect(await compose({ html: "<p>only HTML</p>" })).toMatchObject({
      text: "",
      html: "<p>only HTML</p>\n",
    });
  });

  it("has recipients and a sender with names read back", async () => {
    const { headers } = await compose({
      from: { name: "Сервис языков", address: "service@example.com" },
      to: [
        { name: "Nakato, Rose", address: "rose@example.com" },
        { name: 'Ülo "U" O\'Neil', address: "ulo@exämple.com" },
        "plain@example.com",
      ],
    });

    expect(parseAddresses(headers.get("from") ?? "")).toEqual([
      { name: "Сервис языков", address: "service@example.com" },
    ]);
    expect(parseAddresses(headers.get("to") ?? "")).toEqual([
      { name: "Nakato, Rose", address: "rose@example.com" },
      { name: 'Ülo "U" O\'Neil', address: "ulo@xn--exmple-cua.com" },
      { name: "", address: "plain@example.com" },
    ]);
  });
});

describe("A message of another sender", () => {
  it("may be in a charset of its own", () => {
    const read = parseLines(
      "Subject: =?iso-8859-1?Q?Caf=E9?=",
      "Content-Type: text/plain; charset=iso-8859-1",
      "Content-Transfer-Encoding: 8bit",
      "",
      "Caf\u00e9",
    );

    expect(read).toMatchObject({ subject: "Café", text: "Café" });
  });

  it("may have no headers that describe its text", () => {
    expect(parseLines("From: a@example.com", "", "just text")).toMatchObject({
      subject: "",
      text: "just text",
    });
  });

  it("may use bare line feeds, a preamble and an epilogue, and a quoted boundary with spaces", () => {
    const message = [
      'Content-Type: Multipart/Alternative; Boundary="my boundary"',
      "",
      "For readers without MIME.",
      "--my boundary",
      "",
      "the text",
      "--my boundary  ",
      "content-type: TEXT/HTML",
      "",
      "<p>the HTML</p>",
      "--my boundary--",
      "the epilogue",
    ].join("\n");

    expect(parseMimeMessage(Buffer.from(message))).toMatchObject({
      text: "the text",
      html: "<p>the HTML</p>",
    });
  });

  it("may have got white space at the ends of its lines on the way", () => {
    const read = parseLines(
      "Content-Transfer-Encoding: quoted-printable",
      "",
      "one=20  ",
      "two \t",
      "three= ",
      " four",
    );

    expect(read.text).toBe("one \ntwo\nthree four");
  });

  it("that was cut short still gives the parts it has", () => {
    const read = parseLines("Content-Type: multipart/mixed; boundary=b", "", "--b", "", "the text");

    expect(read.text).toBe("the text");
  });

  it("may fold its headers and may write UTF-8 in them", () => {
    const folded = Buffer.from("Subject: Wasuze otya\r\n nnyabo ŋ\r\n\r\nx", "utf8");

    expect(parseMimeMessage(folded).subject).toBe("Wasuze otya nnyabo ŋ");
  });
});

describe("An encoded word", () => {
  it("is joined to its neighbours without the space between them, even in the middle of a character", () => {
    const [left, right] = [Buffer.from("ŋ").subarray(0, 1), Buffer.from("ŋ").subarray(1)];
    const words = [left, right].map((bytes) => `=?utf-8?B?${bytes.toString("base64")}?=`);

    expect(decodeEncodedWords(`before ${words.join("\r\n ")} after`)).toBe("before ŋ after");
  });

  it("may name another charset than its neighbour, and a language", () => {
    expect(decodeEncodedWords("=?utf-8*lg?Q?=C5=8B_?= =?iso-8859-1?q?=E9?=")).toBe("ŋ é");
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

  it("is found among names, quotes, comments and empty entries", () => {
    expect(
      parseAddresses('"Last, First" <a@example.com>, , b@example.com (the second), <c@example.com>'),
    ).toEqual([
      { name: "Last, First", address: "a@example.com" },
      { name: "", address: "b@example.com" },
      { name: "", address: "c@example.com" },
    ]);
  });

  it("is written with its name when it has one", () => {
    expect(formatMailbox({ name: "Rose", address: "a@example.com" })).toBe("Rose <a@example.com>");
    expect(formatMailbox({ name: "", address: "a@example.com" })).toBe("a@example.com");
  });
});
