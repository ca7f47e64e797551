import type { DataOwner, ItemKind } from "../../shared/platform/storage/stored-kinds.ts";
import { retentionTable } from "../../shared/wiring/retention.ts";
import { type ExportSources, itemsOf, objectsOf } from "./find-exported.ts";
import type { ArchiveEntry } from "./write-archive.ts";

/** How much audio an archive contains; the rest are links. */
export interface ArchiveLimits {
  /** Of one file. */
  readonly maxFileBytes: number;
  /** Of all files together: the format has no archives of more than 4 GB. */
  readonly maxBytes: number;
  readonly maxFiles: number;
}

export const archiveLimits: ArchiveLimits = {
  maxFileBytes: 50 * 1_024 * 1_024,
  maxBytes: 1_024 * 1_024 * 1_024,
  maxFiles: 5_000,
};

/** What the entries of an archive come from. */
export interface ArchiveSources extends ExportSources {
  readonly limits: ArchiveLimits;
  /** Returns the usage of an account as CSV. */
  readonly usageCsv: (owner: DataOwner) => Promise<string>;
  /** The address that returns a fresh link to an object. */
  readonly linkTo: (object: string) => string;
  /** Whether there is time for more files; the rest are links. */
  readonly hasTime: () => boolean;
  readonly signal: AbortSignal;
}

const bytesOf = (text: string): Uint8Array => Buffer.from(text, "utf8");
const textEntry = (name: string, text: string): ArchiveEntry => ({
  name,
  content: [bytesOf(text)],
  isCompressed: false,
});

async function* jsonRows(rows: AsyncIterable<unknown>): AsyncIterable<Uint8Array> {
  let separator = "[\n";
  for await (const row of rows) {
    yield bytesOf(`${separator}${JSON.stringify(row)}`);
    separator = ",\n";
  }
  yield bytesOf(separator === "[\n" ? "[]\n" : "\n]\n");
}

async function* rowsOf(kind: ItemKind, owner: DataOwner, sources: ExportSources): AsyncIterable<unknown> {
  if (!("file" in kind.exported)) return;
  for await (const item of itemsOf(kind, owner, sources)) yield kind.exported.row?.(item);
}

interface LinkedFile {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  readonly link: string;
}

/** The stored files of an account, as far as the archive has room; the others are added to `linked`. */
async function* fileEntries(
  owner: DataOwner,
  sources: ArchiveSources,
  linked: LinkedFile[],
): AsyncIterable<ArchiveEntry> {
  const { store, kinds, limits, hasTime, linkTo, signal } = sources;
  let [bytes, files] = [0, 0];
  for (const kind of kinds.objects) {
    for await (const name of objectsOf(kind, owner, sources)) {
      const found = hasTime() ? await store.describe(name) : { size: Number.POSITIVE_INFINITY };
      if (!found) continue;
      const { size } = found;
      const fits = size <= limits.maxFileBytes && bytes + size <= limits.maxBytes && files < limits.maxFiles;
      if (fits) {
        bytes += size;
        files += 1;
        yield { name, content: store.stream(name, { signal }), isCompressed: !name.endsWith(".json") };
      } else {
        linked.push({ name, size: Number.isFinite(size) ? size : 0, link: linkTo(name) });
      }
    }
  }
}

const readme = ({ kinds }: ExportSources, hasLinks: boolean): string => {
  const { rows } = retentionTable(kinds);
  const lines = rows.map(([what = "", , , exported = ""]) => `- ${what}: ${exported.replaceAll("`", "")}`);
  const links = hasLinks
    ? "\nFiles for which there was no room are in links.json: a request to such a link, with your access token, returns a link to the file.\n"
    : "";
  return `Everything that is stored about your account, and where it is in this archive:\n\n${lines.join("\n")}\n${links}`;
};

/**
 * The files of an account's archive: what the list of everything that is stored says about each kind.
 *
 * @param sources.kinds decides; nothing here names a kind.
 */
export async function* archiveEntries(
  owner: DataOwner,
  sources: ArchiveSources,
): AsyncIterable<ArchiveEntry> {
  for (const kind of sources.kinds.items) {
    if (!("file" in kind.exported)) continue;
    const { file, row } = kind.exported;
    yield row
      ? { name: file, content: jsonRows(rowsOf(kind, owner, sources)), isCompressed: false }
      : textEntry(file, await sources.usageCsv(owner));
  }
  const linked: LinkedFile[] = [];
  yield* fileEntries(owner, sources, linked);
  if (linked.length > 0) yield textEntry("links.json", `${JSON.stringify(linked, undefined, 1)}\n`);
  yield textEntry("README.txt", readme(sources, linked.length > 0));
}
