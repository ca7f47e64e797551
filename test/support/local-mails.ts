import { call } from "./client.ts";

/** The texts of the mails to an address, oldest first. */
export const mailsTo = async (email: string): Promise<string[]> => {
  const { body } = await call("/_local/mail");
  return body
    .filter(({ to }: { readonly to: readonly string[] }) => to.includes(email))
    .map(({ text }: { readonly text: string }) => text);
};

/** The token of the last link to a page. */
export const linkTo = async (email: string, path: string): Promise<string> => {
  const text = (await mailsTo(email)).findLast((each) => each.includes(`${path}?token=`)) ?? "";
  const token = /[?&]token=([\w-]+)/.exec(text)?.[1];
  if (token === undefined) throw new Error(`No mail has a link to ${path}.`);
  return token;
};
