/** A value inside a response; `undefined` when it is missing. */
export const member = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );

/** A text inside a response; empty when it is missing. */
export const textWithin = (value: unknown, ...path: readonly (string | number)[]): string => {
  const found = member(value, ...path);
  return typeof found === "string" ? found : "";
};

/** Parses JSON; `undefined` when it is not JSON, as from a proxy in between. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** What a request has given, where it is text: a translation, a transcript, a reply, or the code of a language. */
export const resultIn = (body: unknown): string =>
  textWithin(body, "output", "translated_text") ||
  textWithin(body, "choices", 0, "message", "content") ||
  textWithin(body, "text") ||
  textWithin(body, "language");

/** What the API writes before our own sentences, which need no name of a field. */
const prefix = "Value error, ";

const problemOf = (problem: unknown): string => {
  const message = textWithin(problem, "msg");
  if (message.startsWith(prefix)) {
    const sentence = message.slice(prefix.length);
    return sentence.charAt(0).toUpperCase() + sentence.slice(1).replace(/(?<![.!?])$/, ".");
  }
  const location = member(problem, "loc");
  return `${Array.isArray(location) ? String(location.at(-1)) : ""}: ${message}`;
};

/** The message of an error for people; for an invalid request, all its problems. */
export const sentenceOf = (body: unknown): string => {
  const detail = member(body, "detail");
  const problems = Array.isArray(detail) ? detail.map(problemOf) : [];
  return problems.length > 0 ? problems.join(" ") : textWithin(body, "error", "message");
};
