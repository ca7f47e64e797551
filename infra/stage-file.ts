import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ElementNode, type MemberNode, parse, type ValueNode } from "@humanwhocodes/momoa";
import type * as z from "zod";

/** Where the files of a stage are. */
export interface StageFolder {
  readonly path: string;
  /** How messages name the folder. */
  readonly name: string;
}

/** The members of an object and the items of a list; a single value has none. */
const partsOf = (value: ValueNode): readonly (MemberNode | ElementNode)[] =>
  value.type === "Object" ? value.members : value.type === "Array" ? value.elements : [];

const nameOf = ({ name }: MemberNode): string => (name.type === "String" ? name.value : name.name);

/** The line of a value, from 1, and of a member that of its name; that of the closest value around it if the path leads to none. */
const lineOf = (value: ValueNode, [first, ...rest]: readonly PropertyKey[], line = 1): number => {
  const part = partsOf(value).find((each, index) =>
    each.type === "Member" ? nameOf(each) === String(first) : index === first,
  );
  return part === undefined ? line : lineOf(part.value, rest, part.loc.start.line);
};

/** Members that one object has twice, of which `JSON.parse` keeps only the last. */
const repeatedIn = (value: ValueNode): MemberNode[] =>
  partsOf(value).flatMap((part, index, parts) => {
    const isRepeated =
      part.type === "Member" &&
      parts.slice(0, index).some((other) => other.type === "Member" && nameOf(other) === nameOf(part));
    return [...(isRepeated ? [part] : []), ...repeatedIn(part.value)];
  });

/** The last member in a path: what a message is about. */
const subjectOf = (path: readonly PropertyKey[]): string => {
  const name = path.findLast((part) => typeof part === "string");
  return name === undefined ? "the file" : name;
};

/** One sentence a problem, each with its line. */
const problemsIn = (body: ValueNode, { issues }: z.ZodError): string[] =>
  issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => `${lineOf(body, [...issue.path, key])}: there is no member "${key}".`);
    }
    const { path, message } = issue;
    return [`${lineOf(body, path)}: ${subjectOf(path)} ${message}.`];
  });

const parseFile = (shown: string, source: string): ValueNode => {
  try {
    return parse(source).body;
  } catch (error) {
    const line = error instanceof Error && "line" in error ? error.line : 1;
    throw new Error(`${shown}:${line}: the file is not JSON.`, { cause: error });
  }
};

/** Reads a JSON file of a stage if it exists. @throws Error with the file and the line of each mistake. */
export const readStageFile = <Content>(
  folder: StageFolder,
  file: string,
  schema: z.ZodType<Content>,
): Content | undefined => {
  const path = join(folder.path, file);
  if (!existsSync(path)) return undefined;
  const source = readFileSync(path, "utf8");
  const shown = `${folder.name}/${file}`;
  const body = parseFile(shown, source);
  const refuse = (problems: readonly string[]) =>
    new Error(problems.map((problem) => `${shown}:${problem}`).join("\n"));
  const repeated = repeatedIn(body);
  if (repeated.length > 0) {
    throw refuse(repeated.map((part) => `${part.loc.start.line}: the member "${nameOf(part)}" is repeated.`));
  }
  const result = schema.safeParse(JSON.parse(source));
  if (result.success) return result.data;
  throw refuse(problemsIn(body, result.error));
};
