/** Header values by lower-case name, unfolded and otherwise as they were sent; of several the first. */
export type Headers = ReadonlyMap<string, string>;

/** Splits a message or part at its first empty line and reads its headers. `source` is latin1 text. */
export const splitHeaders = (source: string): { headers: Headers; body: string } => {
  const [separator] = /^\r?\n|\r?\n\r?\n/.exec(source) ?? [];
  const end = separator === undefined ? source.length : source.indexOf(separator);
  return {
    headers: parseHeaders(source.slice(0, end)),
    body: source.slice(end + (separator?.length ?? 0)),
  };
};

const parseHeaders = (block: string): Headers => {
  const headers = new Map<string, string>();
  // Headers beyond ASCII are UTF-8 (RFC 6532), so the bytes are read again as what they are.
  const lines = Buffer.from(block, "latin1")
    .toString("utf8")
    .replace(/\r?\n(?=[ \t])/g, "")
    .split(/\r?\n/);
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).trim().toLowerCase();
    if (colon > 0 && !headers.has(name)) headers.set(name, line.slice(colon + 1).trim());
  }
  return headers;
};

/** A structured value such as `text/plain; charset=utf-8`. */
export interface ParameterisedValue {
  /** Lower-case. */
  readonly value: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const PARAMETER = /;\s*([^\s=;]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]*))/g;

export const parseParameterisedValue = (header: string): ParameterisedValue => {
  const parameters = new Map<string, string>();
  for (const [, name = "", quoted, plain = ""] of header.matchAll(PARAMETER)) {
    parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, "$1") ?? plain);
  }
  return { value: (header.split(";")[0] ?? "").trim().toLowerCase(), parameters };
};
