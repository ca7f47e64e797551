import { call } from "./client.ts";

/** A mail as the local service shows it. */
export interface LocalMail {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The mails to an address, oldest first. */
export const mailsTo = async (email: string): Promise<LocalMail[]> => {
  const { body } = await call("/_local/mail");
  return body.filter(({ to }: LocalMail) => to.includes(email));
};

/** The texts of the mails to an address, oldest first. */
export const textsTo = async (email: string): Promise<string[]> =>
  (await mailsTo(email)).map(({ text }) => text);

/** The token of the last link to a page. */
export const linkTo = async (email: string, path: string): Promise<string> => {
  const text = (await textsTo(email)).findLast((each) => each.includes(`${path}?token=`)) ?? "";
  const token = /[?&]token=([\w-]+)/.exec(text)?.[1];
  if (token === undefined) throw new Error(`No mail has a link to ${path}.`);
  return token;
};
