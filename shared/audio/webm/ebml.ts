import { byteAt } from "../reading/bytes.ts";

/** The head of an element of EBML, the binary markup under WebM and Matroska (RFC 8794). */
interface EbmlElement {
  readonly id: number;
  /** Offset of the content in the bytes that were parsed. */
  readonly start: number;
  /** Offset of the content's end, perhaps beyond those bytes; undefined when a streaming writer left it open. */
  readonly end: number | undefined;
}

/** An id of up to 4 bytes and a size of up to 8. */
export const maxElementHeadBytes = 12;

/** The head of the element at this offset, or undefined when there is none or the bytes end within it. */
export const parseElement = (bytes: Uint8Array, offset: number): EbmlElement | undefined => {
  const idLength = Math.clz32(byteAt(bytes, offset) << 24) + 1;
  if (idLength > 4) return undefined;
  let id = 0;
  for (let index = 0; index < idLength; index += 1) id = id * 256 + byteAt(bytes, offset + index);

  const size = parseVariableInteger(bytes, offset + idLength);
  if (!size) return undefined;
  return { id, start: size.end, end: size.value === undefined ? undefined : size.end + size.value };
};

interface VariableInteger {
  /** Undefined for the reserved value of all ones, which means "unknown". */
  readonly value: number | undefined;
  readonly end: number;
}

/** A number whose first byte encodes its length. */
export const parseVariableInteger = (bytes: Uint8Array, offset: number): VariableInteger | undefined => {
  const first = byteAt(bytes, offset);
  const length = Math.clz32(first << 24) + 1;
  if (length > 8 || offset + length > bytes.length) return undefined;
  let value = first & (0xff >> length);
  for (let index = 1; index < length; index += 1) value = value * 256 + byteAt(bytes, offset + index);
  // Above 2^53 all ones cannot be distinguished from their neighbours, and no file is that large.
  const isUnknown = value >= 2 ** (7 * length) - 1 || value > Number.MAX_SAFE_INTEGER;
  return { value: isUnknown ? undefined : value, end: offset + length };
};

/** The children of an element in memory; one that does not fit ends the list. */
export function* childElements(
  content: Uint8Array,
): Generator<{ readonly id: number; readonly content: Uint8Array }> {
  for (let offset = 0; offset < content.length; ) {
    const element = parseElement(content, offset);
    if (element?.end === undefined || element.end > content.length) return;
    yield { id: element.id, content: content.subarray(element.start, element.end) };
    offset = element.end;
  }
}

/** An unsigned integer of up to eight bytes. */
export const unsignedValue = (content: Uint8Array): number =>
  content.subarray(0, 8).reduce((value, byte) => value * 256 + byte, 0);

/** A float of four or eight bytes, or zero. */
export const floatValue = (content: Uint8Array): number => {
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  if (content.length === 4) return view.getFloat32(0);
  return content.length === 8 ? view.getFloat64(0) : 0;
};

export const writeElement = (id: number, content: Uint8Array): Uint8Array => {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(content.length, 4);
  size.writeUInt8(1, 0);
  return Buffer.concat([idBytes(id), size, content]);
};

/** The head of an element whose end is marked by the next one of its level. */
export const writeOpenElement = (id: number): Uint8Array =>
  Buffer.concat([idBytes(id), Uint8Array.of(1, 255, 255, 255, 255, 255, 255, 255)]);

const idBytes = (id: number): Uint8Array => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(id);
  return bytes.subarray(bytes.findIndex((byte) => byte !== 0));
};
