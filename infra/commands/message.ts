/** `npm run message`: sends the local service a message as a person on the messaging platform, and prints the replies. */
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod";
import { runCommandLine, UsageError, unreadableFile } from "../command-line.ts";
import { findRunningService } from "../local/running-service.ts";
import { readLocalSettings } from "../local/settings.ts";
import {
  lastReplyId,
  type Person,
  type PersonReply,
  repliesTo,
  sendMessage,
  uploadRecording,
} from "./person.ts";

const usage =
  'Usage: npm run message -- "text" [--from <id>] [--name <name>]\n' +
  "       npm run message -- --voice <file>        a voice note\n" +
  "       npm run message -- --choose <title>      taps a row or button of a menu\n" +
  "       npm run message -- --react <emoji>       reacts to the last reply\n\n" +
  "Sends the messaging assistant of the local service a message from a person, and prints the replies as they come.";

const audioTypes: Readonly<Record<string, string>> = {
  ".ogg": "audio/ogg; codecs=opus",
  ".opus": "audio/ogg; codecs=opus",
  ".mp3": "audio/mpeg",
  ".m4a": "audio/mp4",
  ".mp4": "audio/mp4",
  ".aac": "audio/aac",
  ".amr": "audio/amr",
  ".wav": "audio/wav",
};

const readArguments = (args: string[]) => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      voice: { type: "string" },
      choose: { type: "string" },
      react: { type: "string" },
      from: { type: "string", default: "256700000001" },
      name: { type: "string", default: "Amina Nakato" },
    },
  });
  const text = positionals.length > 0 ? positionals.join(" ") : undefined;
  const said = [text, values.voice, values.choose, values.react].filter((value) => value !== undefined);
  if (said.length !== 1) throw new UsageError("Send one message: a text, --voice, --choose or --react.");
  return { ...values, text };
};

type Arguments = ReturnType<typeof readArguments>;

/** The message in the platform's format. */
const contentOf = async ({ text, voice, choose, react }: Arguments, person: Person): Promise<object> => {
  if (voice !== undefined) {
    const contentType = audioTypes[extname(voice).toLowerCase()] ?? "application/octet-stream";
    const bytes = await readFile(voice).catch((error: unknown) => {
      throw unreadableFile("recording", voice, error);
    });
    const id = await uploadRecording(person, contentType, bytes);
    return { type: "audio", audio: { id, mime_type: contentType, voice: true } };
  }
  if (choose !== undefined) {
    return {
      type: "interactive",
      interactive: { type: "list_reply", list_reply: { id: "chosen-by-title", title: choose } },
    };
  }
  if (react !== undefined) {
    const lastId = await lastReplyId(person);
    if (lastId === undefined) throw new Error("There is no reply to react to yet.");
    return { type: "reaction", reaction: { message_id: lastId, emoji: react } };
  }
  return { type: "text", text: { body: text } };
};

const text = z.object({
  text: z.object({ body: z.string() }),
  context: z.object({ message_id: z.string() }).optional(),
});

const row = z.object({ title: z.string(), description: z.string().optional() });

const interactive = z.object({
  interactive: z.object({
    header: z.object({ text: z.string() }).optional(),
    body: z.object({ text: z.string() }),
    footer: z.object({ text: z.string() }).optional(),
    action: z.object({
      button: z.string().optional(),
      sections: z.array(z.object({ rows: z.array(row) })).default([]),
      buttons: z.array(z.object({ reply: z.object({ title: z.string() }) })).default([]),
    }),
  }),
});

const audio = z.object({ audio: z.object({ id: z.string() }) });

const document = z.object({
  document: z.object({ id: z.string(), filename: z.string(), caption: z.string() }),
  context: z.object({ message_id: z.string() }).optional(),
});

const textLines = (body: unknown): string[] => {
  const { text: content, context } = text.parse(body);
  return [...(context ? ["(quoting your message)"] : []), ...content.body.split("\n")];
};

const menuLines = (body: unknown): string[] => {
  const { header, body: main, footer, action } = interactive.parse(body).interactive;
  const titles = [
    ...action.sections.flatMap(({ rows }) =>
      rows.map(({ title, description }) => (description ? `${title}: ${description}` : title)),
    ),
    ...action.buttons.map(({ reply }) => reply.title),
  ];
  return [
    ...(header ? [`== ${header.text} ==`] : []),
    ...main.text.split("\n"),
    ...titles.map((title) => `  [ ${title} ]`),
    ...(footer ? [`(${footer.text})`] : []),
  ];
};

const linesOf = ({ type, body }: PersonReply): string[] => {
  if (type === "text") return textLines(body);
  if (type === "interactive") return menuLines(body);
  if (type === "document") {
    const { document: file, context } = document.parse(body);
    return [
      ...(context ? ["(quoting your message)"] : []),
      file.caption,
      `(a file, ${file.filename}, media ${file.id})`,
    ];
  }
  if (type === "template") return ["(a template message with a file)"];
  return [`(a voice note, media ${audio.parse(body).audio.id})`];
};

/** A reply as text, indented. */
const printReply = (reply: PersonReply): string =>
  linesOf(reply)
    .map((line) => `  | ${line}`)
    .join("\n");

await runCommandLine(usage, async (args) => {
  const wanted = readArguments(args);
  const { DATA_DIR: dataDirectory, MESSAGING_APP_SECRET: appSecret } = readLocalSettings(process.env);
  const running = await findRunningService(dataDirectory);
  if (!running) throw new Error("The service is not running; start it with npm start.");
  const person = {
    id: wanted.from,
    name: wanted.name,
    serviceUrl: running.url,
    appSecret,
  };
  const replies = repliesTo(person, async () => sendMessage(person, await contentOf(wanted, person)));
  for await (const reply of replies) process.stdout.write(`${printReply(reply)}\n`);
});
