import { strToU8, zipSync } from "fflate";
import * as z from "zod";
import { type Attack, heldIf, type Outcome, refusedIf, type Target } from "./attack.ts";
import { ask, newVisitor, quotaOf, read, statusesOf } from "./visitor.ts";

const uploadLink = z.object({ upload_url: z.string(), file_id: z.string() });

/** Uploads a document. @returns its id for requests. */
const uploadDocument = async (
  target: Target,
  token: string,
  file_name: string,
  content: Uint8Array,
): Promise<string> => {
  const content_type = "application/octet-stream";
  const body = { file_name, content_type, size: content.length };
  const link = read(await ask(target, "/tasks/generate-upload-url", { token, body }), uploadLink);
  const headers = { "Content-Type": content_type };
  const put = await ask(target, link.upload_url, { method: "PUT", headers, body: Buffer.from(content) });
  if (put.status !== 200) throw new Error(`the upload returned ${put.status}`);
  return link.file_id;
};

const translateDocument = async (target: Target, token: string, name: string, content: Uint8Array) => {
  const file_id = await uploadDocument(target, token, name, content);
  return ask(target, "/tasks/jobs", {
    token,
    body: { type: "translation", file_id, target_language: "lug" },
  });
};

const wordDocument = (text: string): Uint8Array =>
  zipSync({
    "word/document.xml": strToU8(
      `<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`,
    ),
  });

const nineMegabytes = "Good morning. ".repeat(700_000);

const endless: readonly (readonly [what: string, name: string, content: () => Uint8Array])[] = [
  [
    "18 kB of DOCX that are six million short sentences",
    "a.docx",
    () => wordDocument("a. ".repeat(6_000_000)),
  ],
  ["9.8 MB of text without the end of a line", "a.txt", () => strToU8(nineMegabytes)],
  ["a text of JSON with 9.8 MB", "a.json", () => strToU8(JSON.stringify([nineMegabytes]))],
  [
    "a megabyte of short sentences in one passage",
    "a.html",
    () => strToU8(`<p>${"Ok. ".repeat(250_000)}</p>`),
  ],
];

/** The function must have refused the document itself: one that ended did not respond, or responded as a broken server. */
const sendEndless = async (target: Target, name: string, content: Uint8Array): Promise<Outcome> => {
  const { token } = await newVisitor(target);
  const { status, text } = await translateDocument(target, token, name, content);
  const error = /"code":"(\w+)"/.exec(text)?.[1];
  return refusedIf(status === 413 || status === 400, `${status} ${error}`);
};

const readForNothing = async (target: Target): Promise<Outcome> => {
  const { token } = await newVisitor(target);
  const before = (await quotaOf(target, token)).used;
  const document = strToU8("1 2 3\n".repeat(20_000));
  const responses = [];
  for (let time = 0; time < 3; time += 1) {
    responses.push(await translateDocument(target, token, "a.txt", document));
  }
  const counted = (await quotaOf(target, token)).used - before;
  return heldIf(counted === 3, `${statusesOf(responses)}, ${counted} of 3 counted`);
};

const handle = z.object({ document_id: z.string(), document_key: z.string() });

/** The dialect's documents have a key each; neither it nor an account's own credential is enough. */
const readDocumentOfAnother = async (target: Target): Promise<Outcome> => {
  const [owner, thief] = [await newVisitor(target), await newVisitor(target)];
  const form = new FormData();
  form.append("file", new Blob(["Good morning"]), "a.txt");
  form.append("target_lang", "LUG");
  const created = await ask(target, "/deepl/v2/document", { token: owner.token, body: form });
  const { document_id: id, document_key } = read(created, handle);
  const path = `/deepl/v2/document/${id}`;
  const attempts = [
    await ask(target, path, { token: thief.token, body: { document_key } }),
    await ask(target, `${path}/result`, { token: thief.token, body: { document_key } }),
    await ask(target, path, { token: owner.token, body: { document_key: "0".repeat(32) } }),
    await ask(target, `${path}/result`, { body: { document_key } }),
  ];
  const own = await ask(target, path, { token: owner.token, body: { document_key } });
  return refusedIf(
    /^404 404 404 40[13]$/.test(statusesOf(attempts)) && own.status === 200,
    `${statusesOf(attempts)}, its owner ${own.status}`,
  );
};

const keyOfProgram = z.object({ key: z.string() });

/** Tools run operations: a key that may not use the operation may not use its tool, and a refused call translates nothing. */
const callToolsWithoutScope = async (target: Target): Promise<Outcome> => {
  const { token } = await newVisitor(target);
  const body = { name: "chat only", scopes: ["chat"] };
  const { key } = read(await ask(target, "/auth/keys", { token, body }), keyOfProgram);
  const call = (as: string) =>
    ask(target, "/mcp", {
      token: as,
      headers: { Accept: "application/json, text/event-stream" },
      body: {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "translate", arguments: { text: "Good morning", target_language: "lug" } },
      },
    });
  const [refused, unknown, own] = [await call(key), await call(`${key}x`), await call(token)];
  const holds =
    refused.text.includes('"isError":true') &&
    refused.text.includes("insufficient_scope") &&
    unknown.status === 401;
  return refusedIf(
    holds && own.status === 200 && !own.text.includes('"isError":true'),
    `${refused.status} ${/insufficient_scope/.exec(refused.text)?.[0] ?? "translated"}, another key ${unknown.status}`,
  );
};

/** Documents, dialects and tools of agents: number 21. */
export const documentAttacks: readonly Attack[] = [
  ...endless.map(
    ([what, name, content]): Attack => ({
      number: 21,
      name: what,
      isLong: true,
      attempt: (target) => sendEndless(target, name, content()),
    }),
  ),
  {
    number: 21,
    name: "large documents without words, which are read for nothing",
    attempt: readForNothing,
  },
  {
    number: 21,
    name: "a document of another account, read through the dialect of DeepL",
    attempt: readDocumentOfAnother,
  },
  {
    number: 21,
    name: "a tool of agents, called with a key that may not use its operation",
    needs: ["models"],
    attempt: callToolsWithoutScope,
  },
];
