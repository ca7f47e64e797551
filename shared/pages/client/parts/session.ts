import { parsed, textWithin } from "./read-response.ts";

const noteKey = "has-session";

/** Leaves a note that this browser has logged in: scripts cannot read the cookie. Browsers that store nothing throw. */
export const noteSession = (isLoggedIn: boolean): void => {
  try {
    if (isLoggedIn) localStorage.setItem(noteKey, "yes");
    else localStorage.removeItem(noteKey);
  } catch {}
};

const hasNote = (): boolean => {
  try {
    return localStorage.getItem(noteKey) !== null;
  } catch {
    return false;
  }
};

/** Who is logged in, for pages that are the same for everyone. */
export interface KnownSession {
  readonly username: string;
  /** For forms that the script sends. */
  readonly formToken: string;
}

/** Reads who is logged in; readers who never were cause no request. */
export const readSession = async (url: string): Promise<KnownSession | undefined> => {
  if (!hasNote()) return undefined;
  const response = await fetch(url, { headers: { Accept: "application/json" } });
  const body = parsed(await response.text());
  const username = textWithin(body, "username");
  if (response.ok) noteSession(username !== "");
  return username === "" ? undefined : { username, formToken: textWithin(body, "form_token") };
};
