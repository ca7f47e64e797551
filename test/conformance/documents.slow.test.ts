import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { createJobOperation, listJobsOperation } from "../../functions/jobs/contract.ts";
import {
  call,
  createAccount,
  expectDeclared,
  expectError,
  request,
  sharedAccount,
  upload as uploadFile,
  whenOver,
} from "../support/client.ts";

let token: string;
beforeAll(async () => {
  ({ token } = await sharedAccount());
});

const upload = (name: string, content: string | Uint8Array): Promise<string> =>
  uploadFile(content, { token, name, type: "application/octet-stream" });

const post = (fields: object) =>
  call("/tasks/jobs", { token, body: { type: "translation", target_language: "lug", ...fields } });

const resultOf = (id: string, query = "") => request(`/tasks/jobs/${id}/result${query}`, { token });

const translate = async (name: string, content: string | Uint8Array, fields: object = {}) => {
  const created = await post({ file_id: await upload(name, content), source_language: "eng", ...fields });
  expectDeclared(createJobOperation, created);
  expect(created.status).toBe(202);
  const job = (await whenOver(created.body.id, token)).body;
  const response = await resultOf(job.id);
  return { created: created.body, job, response, bytes: new Uint8Array(await response.arrayBuffer()) };
};

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

const srt =
  "1\n00:00:01,000 --> 00:00:02,500\nThank you\n\n2\n00:00:03,000 --> 00:00:04,000\n<i>Thank you</i>\n";

describe("the source language of a document", () => {
  it.each([
    ["swa", "notes.txt", "Watoto wanaenda shuleni kila siku.\n\nMvua inanyesha."],
    ["lug", "page.html", "<h1 class=title>Abaana bagenda</h1><p>Enkuba etonnye ekiro kyonna</p>"],
    [null, "notes.txt", "Asante"],
  ])("is the one that its words show, when the request names none: %s", async (code, name, content) => {
    const created = await post({ file_id: await upload(name, content), target_language: "eng" });
    expectDeclared(createJobOperation, created);
    expect(created.body).toMatchObject({ source_language: code });
    expect((await whenOver(created.body.id, token)).body.source_language).toBe(code);
  });
});

describe.runIf(inject("isLocal"))("a translated document", () => {
  it.each([
    ["notes.txt", "Thank you\n\n  Thank you\n", "Webale\n\n  Webale\n", "text/plain"],
    ["page.md", "# Thank you\n\n`code`\n", "# Webale\n\n`code`\n", "text/markdown"],
    ["page.html", "<p id=a>Thank you</p>", "<p id=a>Webale</p>", "text/html"],
    ["talk.srt", srt, srt.replaceAll("Thank you", "Webale"), "application/x-subrip"],
    [
      "talk.vtt",
      "WEBVTT\n\n00:01.000 --> 00:02.500 align:left\nThank you\n",
      "WEBVTT\n\n00:01.000 --> 00:02.500 align:left\nWebale\n",
      "text/vtt",
    ],
    [
      "app.po",
      'msgid ""\nmsgstr "Language: lg\\n"\n\n#: a.c:1\nmsgid "Thank you"\nmsgstr ""\n',
      'msgid ""\nmsgstr "Language: lg\\n"\n\n#: a.c:1\nmsgid "Thank you"\nmsgstr "Webale"\n',
      "text/x-gettext-translation",
    ],
    [
      "app.xlf",
      '<xliff version="1.2"><file original="a" source-language="en"><body><trans-unit id="1"><source>Thank you</source><target/></trans-unit></body></file></xliff>',
      '<xliff version="1.2"><file original="a" source-language="en"><body><trans-unit id="1"><source>Thank you</source><target state="needs-review-translation">Webale</target></trans-unit></body></file></xliff>'.replace(
        "<file",
        '<file target-language="lg"',
      ),
      "application/xliff+xml",
    ],
    [
      "app.json",
      '{ "thanks": "Thank you", "n": 1,\n"x": null }',
      '{ "thanks": "Webale", "n": 1,\n"x": null }',
      "application/json",
    ],
    ["app.arb", '{"@@locale":"en","a":"Thank you"}', '{"@@locale":"lg","a":"Webale"}', "application/json"],
    ["en.yml", "en:\n  a: Thank you\n", "lg:\n  a: Webale\n", "application/yaml"],
    ["app.properties", "a = Thank you\n", "a = Webale\n", "text/x-java-properties"],
    ["app.strings", '"a" = "Thank you";\n', '"a" = "Webale";\n', "text/x-apple-strings"],
    [
      "strings.xml",
      '<resources><string name="a">Thank you</string></resources>',
      '<resources><string name="a">Webale</string></resources>',
      "application/xml",
    ],
    [
      "film.ass",
      "[Script Info]\n\n[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,,,0,0,0,,Thank you\n",
      "[Script Info]\n\n[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,,,0,0,0,,Webale\n",
      "text/x-ssa",
    ],
    ["list.csv", "id,text\n1,Thank you\n", "id,text\n1,Webale\n", "text/csv"],
  ])("has the format of its source: %s", async (name, source, expected, type) => {
    const { created, job, response, bytes } = await translate(name, source);
    expect(created).toMatchObject({ estimate: { characters: 9 }, progress: { done: 0, total: 9 } });
    expect(created.estimate.seconds).toBeGreaterThanOrEqual(1);
    expect(job).toMatchObject({
      type: "translation",
      status: "completed",
      segments_kept: [],
      progress: { done: 9 },
    });
    expect(text(bytes)).toBe(expected);
    expect(response.headers.get("content-type")).toContain(type);
    const [base = "", ending = ""] = name.split(".");
    expect(response.headers.get("content-disposition")).toContain(`filename="${base}.lug.${ending}"`);
  });

  it("can be a DOCX file", async () => {
    const paragraph = "<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>Thank you</w:t></w:r></w:p>";
    const source = zipSync({
      "word/document.xml": strToU8(`<w:document xmlns:w="w"><w:body>${paragraph}</w:body></w:document>`),
      "word/styles.xml": strToU8("<w:styles/>"),
    });
    const { job, bytes } = await translate("leaflet.docx", source);
    expect(job).toMatchObject({ format: "docx", file_name: "leaflet.lug.docx" });
    const files = unzipSync(bytes);
    expect(strFromU8(files["word/document.xml"] ?? new Uint8Array())).toContain(">Webale</w:t>");
    expect(strFromU8(files["word/styles.xml"] ?? new Uint8Array())).toBe("<w:styles/>");
  });

  it("is recognised by its content when its name says nothing", async () => {
    const { job, bytes } = await translate("download", srt);
    expect(job).toMatchObject({ format: "srt", file_name: "download.lug.srt" });
    expect(text(bytes)).toBe(srt.replaceAll("Thank you", "Webale"));
  });

  it("has its columns chosen", async () => {
    const { bytes } = await translate("list.csv", "a,b\nThank you,Thank you\n", { columns: ["b"] });
    expect(text(bytes)).toBe("a,b\nThank you,Webale\n");
  });

  it("counts its characters on the month, and is in the list", async () => {
    const before = await call("/auth/usage", { token });
    const { job } = await translate("notes.txt", "Thank you\n");
    const after = await call("/auth/usage", { token });
    expect(after.body.characters_this_month.used - before.body.characters_this_month.used).toBe(9);
    const list = await call("/tasks/jobs", { token });
    expectDeclared(listJobsOperation, list);
    expect(list.body.jobs.map(({ id }: { id: string }) => id)).toContain(job.id);
  });

  it("has one format only", async () => {
    const { job } = await translate("notes.txt", "Thank you\n");
    const response = await call(`/tasks/jobs/${job.id}/result?format=srt`, { token });
    expectError(response, 400, "bad_request");
  });
});

describe("a document that cannot be translated", () => {
  const file = (name: string, content: string | Uint8Array) => async () =>
    post({ file_id: await upload(name, content) });

  it.each([
    ["no words", file("a.txt", "12\n---\n"), "The document has no words to translate; it was read as text."],
    [
      "bytes that are no text",
      file("a.txt", new Uint8Array([0xff, 0xfe, 0x00])),
      "The document is not encoded in UTF-8.",
    ],
    ["invalid JSON", file("a.json", "{"), "The JSON is invalid"],
    [
      "XLIFF with entities",
      file("a.xliff", '<!DOCTYPE x [<!ENTITY a "b">]><xliff/>'),
      "a document type with declarations",
    ],
    ["a format that it cannot read", file("letter.txt", "{\\rtf1 Thank you}"), "seems to be an RTF file"],
    ["an unknown ending", file("index.rst", "Thank you"), "seems to be a .rst file"],
    ["an invalid DOCX file", file("a.docx", "words"), "The document is not a DOCX file"],
    [
      "a column that it does not have",
      async () => post({ file_id: await upload("a.csv", "a\nWord\n"), columns: ["z"] }),
      "A column of `columns` does not exist.",
    ],
  ])("is refused for %s", async (_what, send, message) => {
    const response = await send();
    expectError(response, 400, "unreadable_document");
    expect(response.body.error.message).toContain(message);
  });

  it("is refused when it is too large, in bytes or in characters", async () => {
    expectError(await file("a.txt", "a ".repeat(5_300_000))(), 413, "file_too_large");
    const lines = Array.from(
      { length: 30_000 },
      (_, index) => `a line with some words and a number ${index}`,
    );
    expectError(await file("a.txt", lines.join("\n"))(), 413, "file_too_large");
  });

  it.each([
    ["99 kB without words is", 99_000, 0],
    ["101 kB without words counts as a request, without characters, when it is", 101_000, 1],
  ])("of %s refused", async (_size, bytes, counted) => {
    const { token: own } = await createAccount();
    const used = async () => {
      const { body } = await call("/auth/usage", { token: own });
      const { today, characters_this_month: characters } = body;
      return { requests: today.used, characters: characters.used };
    };
    const name = "numbers.txt";
    const content = "1 2 3 4 5\n".repeat(bytes / 10);
    const file_id = await uploadFile(content, { token: own, name, type: "application/octet-stream" });
    const before = await used();
    const body = { type: "translation", file_id, target_language: "lug" };
    expectError(await call("/tasks/jobs", { token: own, body }), 400, "unreadable_document");
    expect(await used()).toEqual({ ...before, requests: before.requests + counted });
  });

  it("is refused for a language that is not known", async () => {
    const response = await post({ file_id: await upload("a.txt", "Hello"), target_language: "Klingon" });
    expectError(response, 400, "unsupported_language");
  });

  it("is refused when it expands to far more than its size", async () => {
    const bomb = zipSync({ "word/document.xml": new Uint8Array(80_000_000) });
    const response = await file("bomb.docx", bomb)();
    expectError(response, 400, "unreadable_document");
    expect(response.body.error.message).toContain("unpacks to more than");
  });
});
