import { type ZippedFile, zippedText } from "./zip-archive.ts";

/** A list of a package's parts is shorter than this. */
const maxListBytes = 1_024 * 1_024;

/** Returns the attributes of all tags with a name. */
const tagsIn = (file: ZippedFile, name: string): ReadonlyMap<string, string>[] =>
  file.bytes.length > maxListBytes
    ? []
    : Array.from(
        zippedText(file).matchAll(new RegExp(`<(?:\\w+:)?${name}\\b[^>]*>`, "g")),
        ([tag]) =>
          new Map(
            Array.from(tag.matchAll(/(\w+)\s*=\s*["']([^"']*)["']/g), ([, key = "", value = ""]) => [
              key,
              value,
            ]),
          ),
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
      for (const tag of tagsIn(file, "Override")) {
        add(tag.get("PartName")?.replace(/^\//, "") ?? "", tag.get("ContentType") ?? "");
      }
    }
    const [, folder] = /^(.*?)_rels\/[^/]*\.rels$/.exec(file.name) ?? [];
    if (folder === undefined) continue;
    for (const tag of tagsIn(file, "Relationship")) {
      if (tag.get("TargetMode") === "External") continue;
      const name = targetOf(folder, tag.get("Target") ?? "");
      const type = /[^/]*$/.exec(tag.get("Type") ?? "")?.[0] ?? "";
      const isMain = type === "officeDocument";
      add(name, `#${type}${isMain ? ` ${rootOf(files.find((found) => found.name === name))}` : ""}`);
    }
  }
  return (name) => kinds.get(name)?.join("\n") ?? name;
};
