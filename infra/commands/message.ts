/**
 * Plays a person on the messaging platform: sends the local service a message, and prints the answers as they come.
 *
 * Usage: npm run message -- "text" [--from <id>] [--name <name>]
 *        npm run message -- --voice <file>        a voice note
 *        npm run message -- --choose <title>      taps a row or button of a menu
 *        npm run message -- --react <emoji>       reacts to the last answer
 */
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { parseArgs } from "node:util";
import { localPlatformSecrets } from "../local/messaging/platform-secrets.ts";
import { findRunningService } from "../local/service/service-file.ts";
import { readLocalSettings } from "../local/service/settings.ts";
import { answersTo, lastAnswerId, type Person, sendMessage, uploadRecording } from "./messaging/person.ts";
import { printAnswer } from "./messaging/print-answer.ts";

const usage =
  'Usage: npm run message -- "text" | --voice <file> | --choose <title> | --react <emoji> [--from <id>] [--name <name>]';

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
  if (said.length !== 1) throw new Error(usage);
  return { ...values, text };
};

type Arguments = ReturnType<typeof readArguments>;

/** What the person sends, in the platform's words. */
const contentOf = async ({ text, voice, choose, react }: Arguments, person: Person): Promise<object> => {
  if (voice !== undefined) {
    const contentType = audioTypes[extname(voice).toLowerCase()] ?? "application/octet-stream";
    const id = await uploadRecording(person, contentType, await readFile(voice));
    return { type: "audio", audio: { id, mime_type: contentType, voice: true } };
  }
  if (choose !== undefined) {
    return {
      type: "interactive",
      interactive: { type: "list_reply", list_reply: { id: "chosen-by-title", title: choose } },
    };
  }
  if (react !== undefined) {
    const answered = await lastAnswerId(person);
    if (answered === undefined) throw new Error("There is no answer yet to react to.");
    return { type: "reaction", reaction: { message_id: answered, emoji: react } };
  }
  return { type: "text", text: { body: text } };
};

try {
  const wanted = readArguments(process.argv.slice(2));
  const running = await findRunningService(readLocalSettings(process.env).dataDirectory);
  if (!running) throw new Error("The service is not running; start it with npm start.");
  const person = {
    id: wanted.from,
    name: wanted.name,
    serviceUrl: running.url,
    appSecret: localPlatformSecrets(process.env).app_secret,
  };
  const answers = answersTo(person, async () => sendMessage(person, await contentOf(wanted, person)));
  for await (const answer of answers) process.stdout.write(`${printAnswer(answer)}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
