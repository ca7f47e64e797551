/** A row of a file, with its line from 1. */
export interface Row {
  readonly line: number;
  /** Why the line cannot be read, or its fields. */
  readonly fields: object | string;
}

const numberedLines = (text: string): (readonly [number, string])[] =>
  text
    .split("\n")
    .map((content, index) => [index + 1, content.replace(/\r$/, "")] as const)
    .filter(([, content]) => content.trim() !== "");

/** The rows of tab-separated values, whose first line names the columns. There are no quotes: a mark is a mark. */
export const readTsv = (text: string): Row[] => {
  const [[, header] = [1, ""], ...lines] = numberedLines(text);
  const columns = header.split("\t").map((column) => column.trim());
  return lines.map(([line, content]) => {
    const cells = content.split("\t");
    const fields =
      cells.length === columns.length
        ? Object.fromEntries(columns.map((column, index) => [column, cells[index]]))
        : `it has ${cells.length} fields, and the first line has ${columns.length}`;
    return { line, fields };
  });
};

const parseLine = (content: string): object | string => {
  try {
    const value: unknown = JSON.parse(content);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? value
      : "it is not a JSON object";
  } catch {
    return "it is not JSON";
  }
};

/** The rows of JSON lines. */
export const readJsonLines = (text: string): Row[] =>
  numberedLines(text).map(([line, content]) => ({ line, fields: parseLine(content) }));
