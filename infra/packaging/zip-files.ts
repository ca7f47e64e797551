import { type Zippable, zipSync } from "fflate";
import { compareText } from "../../shared/platform/compare-text.ts";

/** The oldest time that the format has. Times of files would change the bytes of an archive with each build. */
const noTime = new Date(1980, 0, 1);

/** The archive says that it was written on Unix, with files that everyone may read: Lambda needs that. */
const unix = { os: 3, attrs: 0o100644 << 16 } as const;

/**
 * Returns a ZIP file, which depends on names and contents only.
 *
 * @param files contents by name, in any order
 * @param level 0 stores files that are compressed already
 */
export const zipFiles = (files: ReadonlyMap<string, Uint8Array>, level: 0 | 9 = 9): Uint8Array => {
  const sorted: Zippable = {};
  for (const [name, content] of [...files].toSorted(([one], [other]) => compareText(one, other))) {
    sorted[name] = [content, { ...unix, level, mtime: noTime }];
  }
  return zipSync(sorted);
};
