/** What stands at a place of an answer; `undefined` where there is nothing. */
export const member = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );

/** The text at a place of an answer; empty where there is none. */
export const textWithin = (value: unknown, ...path: readonly (string | number)[]): string => {
  const found = member(value, ...path);
  return typeof found === "string" ? found : "";
};

/** A text as JSON; `undefined` when it is none, as what a proxy on the way answers may be. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** What an error of the service says, as a sentence; of several mistakes in a request all. */
export const sentenceOf = (body: unknown): string => {
  const detail = member(body, "detail");
  const mistakes = Array.isArray(detail)
    ? detail.map((mistake: unknown) => {
        const location = member(mistake, "loc");
        const name = Array.isArray(location) ? String(location.at(-1)) : "";
        return `${name}: ${textWithin(mistake, "msg")}`;
      })
    : [];
  return mistakes.length > 0 ? mistakes.join(" ") : textWithin(body, "error", "message");
};

/** The data of server-sent events, one by one. */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  // With `stream`, a letter whose bytes come in two pieces stays whole.
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    const lines = (rest + (value ? decoder.decode(value, { stream: true }) : "")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data:")) yield line.slice(5).trim();
    if (done) return;
  }
}
