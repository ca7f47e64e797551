import { beforeAll, describe, expect, inject, it } from "vitest";
import { newRegistration, sharedAccount } from "../support/client.ts";
import { attack, expectRefused, form, type Hostile, json, multipart } from "../support/hostile.ts";

let token: string;
beforeAll(async () => {
  ({ token } = await sharedAccount());
});

const long = 100_000;
const inHeader = 6_000;

describe.runIf(inject("isLocal"))("a value made to keep a regular expression busy", () => {
  it.each<[string, string, Hostile]>([
    ["a username", "/auth/register", json({ ...newRegistration(), username: `${"a.-_".repeat(long / 4)}!` })],
    [
      "an address's name",
      "/auth/register",
      json({ ...newRegistration(), email: `${"a.".repeat(long / 2)}@` }),
    ],
    ["an address's host", "/auth/forgot-password", json({ email: `a@${"a-.".repeat(long / 3)}1` })],
    ["an address of plus signs", "/auth/forgot-password", json({ email: `${"+".repeat(long)}@a` })],
    [
      "a grant type",
      "/auth/token",
      form({ grant_type: "password".repeat(long / 8), username: "a", password: "b" }),
    ],
    [
      "a content type",
      "/tasks/generate-upload-url",
      json({ file_name: "a", content_type: `a/${"b".repeat(long)}/` }),
    ],
    [
      "a content type's parameters",
      "/tasks/generate-upload-url",
      json({ file_name: "a", content_type: `a/b${"; c=d".repeat(long / 5)};` }),
    ],
    [
      "a content type's blanks",
      "/tasks/generate-upload-url",
      json({ file_name: "a", content_type: `a/b;${" ".repeat(long)}=` }),
    ],
    [
      "a content type's quotes",
      "/tasks/generate-upload-url",
      json({ file_name: "a", content_type: `a/b;c="${"!".repeat(long)}` }),
    ],
    [
      "a file name of escapes",
      "/tasks/generate-upload-url",
      json({ file_name: `%${"25".repeat(long / 2)}2e`, content_type: "a/b" }),
    ],
    [
      "a file name of dots",
      "/tasks/generate-upload-url",
      json({ file_name: `${"._".repeat(long / 2)}x`, content_type: "a/b" }),
    ],
    ["a language", "/tasks/translate", json({ target_language: `${"'".repeat(long)}x`, text: "a" })],
    ["a text to be identified", "/tasks/language_id", json({ text: `${" '".repeat(long / 2)}x` })],
    ["a name in a form", "/tasks/stt_from_gcs", form({ gcs_blob_name: `${"a/".repeat(long / 2)}` })],
    [
      "a number in a form",
      "/tasks/sunflower_simple",
      form({ instruction: "a", temperature: "1".repeat(long) }),
    ],
    ["a stored object", `/tasks/audio/speech/url?storage_object=${"1".repeat(inHeader)}`, {}],
    ["a stored file", `/tasks/modal/tts/refresh-url?file_name=${"0/".repeat(inHeader / 2)}`, {}],
    ["a voice's language", `/tasks/voice/speakers?language=${"-".repeat(inHeader)}`, {}],
    ["a bearer token", "/auth/me", { headers: { Authorization: `Bearer ${"a=".repeat(inHeader / 2)}!` } }],
    ["blanks before a token", "/auth/me", { headers: { Authorization: `Bearer ${" ".repeat(inHeader)}!` } }],
    [
      "a boundary",
      "/tasks/audio/transcriptions",
      {
        ...multipart("a: b"),
        headers: { "Content-Type": `multipart/form-data${"; ".repeat(inHeader / 2)}boundary=` },
      },
    ],
    [
      "a field's name",
      "/tasks/audio/transcriptions",
      multipart(`Content-Disposition: form-data${"; ".repeat(1_900)}name="${"\\".repeat(200)}`),
    ],
    [
      "a field's brackets",
      "/tasks/audio/transcriptions",
      multipart(`Content-Disposition: form-data; name="${"[".repeat(long)}]"`),
    ],
    [
      "a list of identifiers",
      "/tasks/audio/transcriptions",
      multipart('Content-Disposition: form-data; name="file_id"'),
    ],
  ])("as %s is refused", async (_case, path, hostile) => {
    const response = await attack(path, token, hostile);
    expectRefused(response);
  });

  it("as a preference for HTML, or as a request id, changes nothing", async () => {
    const headers = {
      Accept: "text/htm".repeat(inHeader / 8),
      "X-Request-Id": `${"a-".repeat(inHeader / 2)}!`,
    };
    const response = await attack("/auth/verify-email?token=x", token, { headers });
    expectRefused(response);
    expect(response.headers["x-request-id"]).not.toContain("a-a-a-");
  });
});

describe.runIf(inject("isLocal"))("a request that is larger inside than outside", () => {
  const formParts = (count: number) =>
    Buffer.from(
      `${Array.from({ length: count }, (_, number) => `--b\r\nContent-Disposition: form-data; name="f${number}"\r\n\r\nx\r\n`).join("")}--b--\r\n`,
    );

  it.each<[string, string, Hostile]>([
    [
      "1,000 parts",
      "/tasks/audio/transcriptions",
      { headers: { "Content-Type": "multipart/form-data; boundary=b" }, body: formParts(1_000) },
    ],
    [
      "part headers of 32 kB",
      "/tasks/audio/transcriptions",
      multipart(`Content-Disposition: form-data; name="a"\r\nX-Long: ${"x".repeat(32_768)}`),
    ],
    [
      "2,000 headers in a part",
      "/tasks/stt",
      multipart(`Content-Disposition: form-data; name="a"${"\r\nX: y".repeat(2_000)}`),
    ],
    [
      "10,000 fields",
      "/auth/token",
      form(Object.fromEntries(Array.from({ length: 10_000 }, (_, number) => [`f${number}`, "x"]))),
    ],
    ["100,000 levels", "/tasks/translate", json("[".repeat(long) + "]".repeat(long))],
    ["a million messages", "/tasks/chat/completions", json({ messages: Array(1_000_000).fill(0) })],
    ["99,000 wrong messages", "/tasks/chat/completions", json({ messages: Array(99_000).fill(0) })],
    [
      "99,000 wrong parts of messages",
      "/tasks/chat/completions",
      json({ messages: Array(99).fill({ role: "user", content: Array(990).fill(0) }) }),
    ],
    ["a million sectors", "/auth/register", json({ ...newRegistration(), sector: Array(1_000_000).fill(0) })],
    ["300,000 items", "/tasks/audio/speech/batch", json({ items: Array(300_000).fill({}) })],
    [
      "a million members",
      "/tasks/translate",
      json(`{${Array.from({ length: 500_000 }, (_, n) => `"k${n}":0`).join(",")}}`),
    ],
  ])("with %s is refused, in few words", async (_case, path, hostile) => {
    const response = await attack(path, token, hostile);
    expectRefused(response);
    expect(response.body.length).toBeLessThan(100_000);
  });
});
