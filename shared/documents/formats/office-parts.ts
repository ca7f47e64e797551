import { readXmlTokens, type XmlToken } from "../segments/xml-tokens.ts";
import { type ZippedFile, zippedText } from "./zip-archive.ts";

/** A list of a package's parts is shorter than this. */
const maxListBytes = 1_024 * 1_024;

/** Returns the attributes of all elements with a name. @throws UnreadableDocument for a list that is not well-formed. */
const elementsIn = (file: ZippedFile, wanted: string): XmlToken["attributes"][] =>
  file.bytes.length > maxListBytes
    ? []
    : readXmlTokens(zippedText(file)).flatMap(({ kind, name, attributes }) =>
        (kind === "open" || kind === "empty") && name.replace(/^.*:/, "") === wanted ? [attributes] : [],
      );

/** Returns the file that a relationship points to from the part of a folder. */
const targetOf = (folder: string, target: string): string =>
  URL.canParse(target, `file:///${folder}`)
    ? new URL(target, `file:///${folder}`).pathname.slice(1).replaceAll("%20", " ")
    : target;

const rootOf = (file: ZippedFile | undefined): string =>
  /<([\w:]+)/.exec(Buffer.from(file?.bytes.subarray(0, 4_096) ?? []).toString("utf8"))?.[1] ?? "";

/**
 * Returns a function for what a package says of a file, one a line: its name, its content type, and the types of the relationships that
 * point to it, such as `#header`. That of the main part has its root's name as well.
 */
export const createPartKinds = (files: readonly ZippedFile[]): ((name: string) => string) => {
  const kinds = new Map(files.map(({ name }) => [name, [name]]));
  const add = (name: string, kind: string): void => void kinds.get(name)?.push(kind);
  for (const file of files) {
    if (file.name === "[Content_Types].xml") {
      for (const element of elementsIn(file, "Override")) {
        add(element["PartName"]?.replace(/^\//, "") ?? "", element["ContentType"] ?? "");
      }
    }
    const [, folder] = /^(.*?)_rels\/[^/]*\.rels$/.exec(file.name) ?? [];
    if (folder === undefined) continue;
    for (const element of elementsIn(file, "Relationship")) {
      if (element["TargetMode"] === "External") continue;
      const name = targetOf(folder, element["Target"] ?? "");
      const type = /[^/]*$/.exec(element["Type"] ?? "")?.[0] ?? "";
      const isMain = type === "officeDocument";
      add(name, `#${type}${isMain ? ` ${rootOf(files.find((found) => found.name === name))}` : ""}`);
    }
  }
  return (name) => kinds.get(name)?.join("\n") ?? name;
};
