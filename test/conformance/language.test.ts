import { beforeAll, describe, expect, it } from "vitest";
import { classifyOperation, identifyOperation } from "../../functions/language/contract.ts";
import { call, expectDeclared, sharedAccount } from "../support/client.ts";

let token: string;
beforeAll(async () => {
  ({ token } = await sharedAccount());
});

const identify = (text: unknown) => call("/tasks/language_id", { token, body: { text } });
const classify = (text: unknown) => call("/tasks/classify_language", { token, body: { text } });

const greetings = [
  ["ach", "Apwoyo, itye nining?"],
  ["teo", "Yoga noi, ijai biai?"],
  ["eng", "Good morning, how are you?"],
  ["lug", "Wasuze otya nno, ssebo?"],
  ["lgg", "Mi ngoni? Awa'di fo"],
  ["nyn", "Agandi, oraire ota?"],
];

describe.each([
  ["POST /tasks/language_id", identifyOperation, identify],
  ["POST /tasks/classify_language", classifyOperation, classify],
] as const)("%s", (_route, operation, ask) => {
  it.each(greetings)("knows %s by a greeting", async (language, text) => {
    const response = await ask(text);
    expectDeclared(operation, response);
    expect(response.body).toEqual({ language });
  });

  it.each([
    ["two emoji, which are four units of UTF-16", "😀😀", "string_too_short"],
    ["half a character", "abc\ud800", "string_unicode"],
  ])("refuses %s", async (_case, text, type) => {
    const response = await ask(text);
    expectDeclared(operation, response);
    expect(response).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "text"], type }] } });
  });

  it.each([
    ["200 emoji", "😀".repeat(200)],
    ["spaces", "     "],
    ["other scripts", "Привет, 你好, مرحبا"],
  ])("treats %s like any other text", async (_case, text) => {
    const response = await ask(text);
    expect(response.status).toBe(200);
    expectDeclared(operation, response);
  });
});

describe("POST /tasks/classify_language", () => {
  it.each([
    ["French", "Bonjour, comment allez-vous aujourd'hui ?"],
    ["Swahili", "Habari za asubuhi, umeamka salama leo?"],
    ["digits", "12345 67890"],
  ])("does not pass off %s as one of the six", async (_case, text) => {
    expect((await classify(text)).body).toEqual({ language: "language not detected" });
  });
});
