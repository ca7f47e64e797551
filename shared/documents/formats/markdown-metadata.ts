import type { DocumentSegment } from "../segments/segment.ts";
import { isUnreadableDocument } from "../segments/unreadable-document.ts";
import { jsonSyntax, readString } from "./json.ts";
import { readYaml } from "./yaml.ts";

/** What readers see of the metadata before a text. */
const readKeys = new Set(["title", "description", "summary"]);

/** Returns the words of the metadata: of YAML, or of TOML. */
export const readMetadata = (
  source: string,
  metadata: string,
  target: string | undefined,
): DocumentSegment[] => {
  if (metadata.startsWith("+++")) {
    const values = metadata.matchAll(/^(title|description|summary)\s*=\s*"((?:\\.|[^"\\\r\n])*)"/gm);
    return Array.from(values).flatMap(({ index, 0: written, 2: value = "" }) => {
      const end = index + written.length - 1;
      return readString(source, { start: end - value.length, end }, { ...jsonSyntax, target });
    });
  }
  if (metadata === "") return [];
  try {
    return readYaml(metadata.replace(/---$/, ""), {
      keys: readKeys,
      ...(target === undefined ? {} : { languages: { target } }),
    }).segments.slice();
  } catch (error) {
    // Programs tolerate metadata that is no YAML. It stays.
    if (isUnreadableDocument(error)) return [];
    throw error;
  }
};
