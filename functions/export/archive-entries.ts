import type { DataOwner, ItemKind } from "../../shared/platform/storage/stored-kinds.ts";
import { retentionTable } from "../../shared/wiring/retention.ts";
import { type ExportSources, type FoundObject, itemsOf, objectsOf } from "./find-exported.ts";
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
  /** Returns the usage of an account as pieces of CSV. */
  readonly usageCsv: (owner: DataOwner) => AsyncIterable<string>;
  /** The address that returns a fresh link to an object. */
  readonly linkTo: (object: string) => string;
  /** Whether there is time for more files; the rest are links. */
  readonly hasTime: () => boolean;
  readonly signal: AbortSignal;
}

const bytesOf = (text: string): Uint8Array => Buffer.from(text, "utf8");

async function* jsonRows(rows: AsyncIterable<unknown>): AsyncIterable<Uint8Array> {
  let separator = "[\n";
  for await (const row of rows) {
    yield bytesOf(`${separator}${JSON.stringify(row)}`);
    separator = ",\n";
  }
  yield bytesOf(separator === "[\n" ? "[]\n" : "\n]\n");
}

async function* textPieces(texts: AsyncIterable<string>): AsyncIterable<Uint8Array> {
  for await (const text of texts) yield bytesOf(text);
}

async function* rowsOf(kind: ItemKind, owner: DataOwner, sources: ExportSources): AsyncIterable<unknown> {
  if (!("file" in kind.exported)) return;
  for await (const item of itemsOf(kind, owner, sources)) yield kind.exported.row?.(item);
}

async function* linkRows(
  linked: readonly FoundObject[],
  linkTo: ArchiveSources["linkTo"],
): AsyncIterable<unknown> {
  for (const { name, size = null } of linked) yield { name, size, link: linkTo(name) };
}

/** Returns the content of a file. `undefined` when it is gone: jobs that end delete their recordings meanwhile. */
const openFile = async (
  name: string,
  { store, signal }: Pick<ArchiveSources, "signal" | "store">,
): Promise<AsyncIterable<Uint8Array> | undefined> => {
  const pieces = store.stream(name, { signal })[Symbol.asyncIterator]();
  try {
    const first = await pieces.next();
    return (async function* () {
      if (first.done) return;
      yield first.value;
      yield* { [Symbol.asyncIterator]: () => pieces };
    })();
  } catch (error) {
    if (await store.describe(name)) throw error;
    return undefined;
  }
};

/** The stored files of an account, as far as the archive has room; the others are added to `linked`. */
async function* fileEntries(
  owner: DataOwner,
  sources: ArchiveSources,
  linked: FoundObject[],
): AsyncIterable<ArchiveEntry> {
  const { store, kinds, limits, hasTime } = sources;
  let [bytes, files] = [0, 0];
  for (const kind of kinds.objects) {
    for await (const found of objectsOf(kind, owner, sources)) {
      const { name } = found;
      if (files === limits.maxFiles || !hasTime()) {
        linked.push(found);
        continue;
      }
      const size = found.size ?? (await store.describe(name))?.size;
      if (size === undefined) continue;
      if (size > limits.maxFileBytes || bytes + size > limits.maxBytes) {
        linked.push({ name, size });
        continue;
      }
      const content = await openFile(name, sources);
      if (!content) continue;
      bytes += size;
      files += 1;
      yield { name, content, isCompressed: !name.endsWith(".json") };
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
    const content = row ? jsonRows(rowsOf(kind, owner, sources)) : textPieces(sources.usageCsv(owner));
    yield { name: file, content, isCompressed: false };
  }
  const linked: FoundObject[] = [];
  yield* fileEntries(owner, sources, linked);
  if (linked.length > 0) {
    yield { name: "links.json", content: jsonRows(linkRows(linked, sources.linkTo)), isCompressed: false };
  }
  const content = [bytesOf(readme(sources, linked.length > 0))];
  yield { name: "README.txt", content, isCompressed: false };
}
