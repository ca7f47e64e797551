import { parsed, sentenceOf } from "../../../shared/pages/client/parts/read-response.ts";
import { readSession } from "../../../shared/pages/client/parts/session.ts";
import { createTokenSource, type TokenSource } from "../../../shared/pages/client/parts/token.ts";

/** The page's own name is visible in the list of all pages, which is longer than the screen. */
const showCurrent = (): void => {
  const list = document.querySelector<HTMLElement>(".docs > .contents");
  const current = list?.querySelector<HTMLElement>("[aria-current]");
  if (list && current) list.scrollTop = current.offsetTop - list.clientHeight / 2;
};

interface Parts {
  readonly form: HTMLFormElement;
  readonly result: HTMLElement;
  /** Gets a token of the reader's account; `undefined` without one. */
  readonly freshToken: () => Promise<TokenSource | undefined>;
}

const inputsAt = (form: HTMLFormElement, location: string): HTMLInputElement[] =>
  Array.from(form.querySelectorAll<HTMLInputElement>(`[data-in="${location}"]`)).filter(
    ({ type, value, files }) => (type === "file" ? (files?.length ?? 0) > 0 : value !== ""),
  );

const addressOf = (form: HTMLFormElement): string => {
  const inPath = inputsAt(form, "path").reduce(
    (path, { name, value }) => path.replace(`{${name}}`, encodeURIComponent(value)),
    form.dataset["path"] ?? "",
  );
  const query = new URLSearchParams(
    inputsAt(form, "query").map(({ name, value }): [string, string] => [name, value]),
  ).toString();
  return query === "" ? inPath : `${inPath}?${query}`;
};

const bodyOf = (form: HTMLFormElement): BodyInit | undefined => {
  const fields = inputsAt(form, "field");
  switch (form.dataset["kind"]) {
    case "json":
      return form.querySelector<HTMLTextAreaElement>('[data-in="body"]')?.value;
    case "form":
      return new URLSearchParams(fields.map(({ name, value }): [string, string] => [name, value]));
    case "files": {
      const body = new FormData();
      for (const { name, files } of inputsAt(form, "file")) if (files?.[0]) body.set(name, files[0]);
      for (const { name, value } of fields) body.set(name, value);
      return body;
    }
    default:
      return undefined;
  }
};

const headersOf = async ({ form, freshToken }: Parts): Promise<Headers | Response> => {
  const headers = new Headers(form.dataset["kind"] === "json" ? { "Content-Type": "application/json" } : {});
  const given = inputsAt(form, "key")[0]?.value;
  const token = given ?? (await (await freshToken())?.(new AbortController().signal));
  if (token instanceof Response) return token;
  if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
  return headers;
};

const request = async (parts: Parts): Promise<Response> => {
  const { form } = parts;
  const headers = await headersOf(parts);
  if (headers instanceof Response) return headers;
  const body = bodyOf(form);
  const method = form.dataset["request"] ?? "GET";
  return fetch(addressOf(form), { method, headers, ...(body === undefined ? {} : { body }) });
};

const readable = (text: string): string => {
  const value = parsed(text);
  return value === undefined ? text : JSON.stringify(value, undefined, 2);
};

const say = ({ result }: Parts, status: string, text = ""): void => {
  result.hidden = false;
  const line = result.querySelector("[data-status]");
  if (line) line.textContent = status;
  const code = result.querySelector("code");
  if (code) code.textContent = text;
  code?.closest("section")?.toggleAttribute("hidden", text === "");
};

const listen = ({ result }: Parts, blob: Blob | undefined): void => {
  const player = result.querySelector("audio");
  if (!player) return;
  URL.revokeObjectURL(player.src);
  player.hidden = blob === undefined;
  if (blob) player.src = URL.createObjectURL(blob);
};

const show = async (parts: Parts, response: Response): Promise<void> => {
  const status = `${response.status} ${response.statusText}`;
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("audio/")) {
    listen(parts, await response.blob());
    say(parts, status);
    return;
  }
  const text = await response.text();
  const problem = response.ok ? "" : sentenceOf(parsed(text));
  say(parts, problem === "" ? status : `${status}: ${problem}`, readable(text));
};

/** Offers the reader's account for operations that keys may call, if there is one. */
const accountToken = async (form: HTMLFormElement): Promise<TokenSource | undefined> => {
  const { tokenUrl, sessionUrl } = form.dataset;
  if (tokenUrl === undefined || sessionUrl === undefined) return undefined;
  const session = await readSession(sessionUrl).catch(() => undefined);
  if (!session) return undefined;
  const hint = form.querySelector<HTMLElement>("[data-account-hint]");
  if (hint) {
    hint.textContent = (hint.dataset["accountHint"] ?? "").replace("{username}", session.username);
    hint.hidden = false;
  }
  return createTokenSource(tokenUrl, session.formToken);
};

const bindForm = (form: HTMLFormElement, result: HTMLElement): void => {
  const source = accountToken(form);
  const parts = { form, result, freshToken: () => source };
  const button = form.querySelector("button");
  const setBusy = (isBusy: boolean): void => {
    if (isBusy) button?.setAttribute("aria-busy", "true");
    else button?.removeAttribute("aria-busy");
  };
  const send = async (): Promise<void> => {
    setBusy(true);
    listen(parts, undefined);
    say(parts, "Sending the request…");
    try {
      await show(parts, await request(parts));
    } catch {
      say(parts, "The request was not sent. Check your connection, then send it again.");
    } finally {
      setBusy(false);
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!button?.hasAttribute("aria-busy")) void send();
  });
  form.hidden = false;
};

const form = document.querySelector<HTMLFormElement>("form[data-request]");
const result = document.querySelector<HTMLElement>("[data-result]");
if (form && result) bindForm(form, result);
showCurrent();
