import * as z from "zod";
import type { Answer } from "./person.ts";

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

const linesOf = ({ type, body }: Answer): string[] => {
  if (type === "text") return textLines(body);
  if (type === "interactive") return menuLines(body);
  return [`(a voice note, media ${audio.parse(body).audio.id})`];
};

/** An answer as a person would read it, in a column of its own. */
export const printAnswer = (answer: Answer): string =>
  linesOf(answer)
    .map((line) => `  | ${line}`)
    .join("\n");
