import { type SourceWindow, scanBytes } from "../audio-source.ts";
import { asBuffer } from "../bytes.ts";
import { isIntact, longestPage, type OggPage, parseOggPage } from "./ogg-page.ts";

/** The pages of one stream, in order; damaged places are passed over. */
export async function* pagesOf(window: SourceWindow, serial: number): AsyncGenerator<OggPage[], void> {
  for (let position = 0; position < window.size; ) {
    const bytes = await window.read(position, scanBytes);
    // A page that starts before this place is whole, unless the file ends.
    const end = position + bytes.length >= window.size ? bytes.length : bytes.length - longestPage;
    const pages: OggPage[] = [];
    let offset = 0;
    while (offset < end) {
      const page = parseOggPage(bytes, offset);
      if (page?.serial === serial) pages.push(page);
      offset = page ? offset + page.bytes.length : nextPage(bytes, offset + 1);
    }
    if (pages.length > 0) yield pages;
    position += offset;
  }
}

const nextPage = (bytes: Uint8Array, offset: number): number => {
  const found = asBuffer(bytes).indexOf("OggS", offset, "latin1");
  return found < 0 ? bytes.length : found;
};

/** Checksums are long work; so many false pages are no accident. */
const mostFalsePages = 64;

/** The last intact page of a stream on which a packet ends, searched backwards from the end of the file. */
export const findLastPage = async (window: SourceWindow, serial: number): Promise<OggPage | undefined> => {
  const start = Math.max(0, window.size - scanBytes);
  const tail = asBuffer(await window.read(start, scanBytes));
  let falsePages = 0;
  let offset = tail.lastIndexOf("OggS", undefined, "latin1");
  while (offset >= 0 && falsePages < mostFalsePages) {
    const page = parseOggPage(tail, offset);
    if (page?.serial === serial && page.granule >= 0) {
      if (isIntact(page)) return page;
      falsePages += 1;
    }
    offset = offset === 0 ? -1 : tail.lastIndexOf("OggS", offset - 1, "latin1");
  }
  return undefined;
};
