import { createHash } from "node:crypto";
import * as z from "zod";

const messageAttributeSchema = z
  .object({
    DataType: z
      .string()
      .regex(/^(String|Number|Binary)(\.[\w.-]+)?$/, "The type must be String, Number or Binary."),
    StringValue: z.string().min(1).optional(),
    BinaryValue: z.base64().min(1).optional(),
  })
  .refine(
    (attribute) => (isBinary(attribute) ? attribute.BinaryValue : attribute.StringValue) !== undefined,
    "The message attribute must contain a non-empty value of its type.",
  );

type MessageAttribute = z.output<typeof messageAttributeSchema>;

const isBinary = ({ DataType }: { readonly DataType: string }): boolean => DataType.startsWith("Binary");

/** The attributes a sender adds to a message, at most ten, by name. */
export const messageAttributesSchema = z
  .record(z.string().regex(/^[\w.-]{1,256}$/), messageAttributeSchema)
  .refine(
    (attributes) => Object.keys(attributes).length <= 10,
    "The number of message attributes exceeds the allowed maximum of 10.",
  );

export type MessageAttributes = z.output<typeof messageAttributesSchema>;

const valueBytes = (attribute: MessageAttribute): Buffer =>
  isBinary(attribute)
    ? Buffer.from(attribute.BinaryValue ?? "", "base64")
    : Buffer.from(attribute.StringValue ?? "", "utf8");

/** What the attributes add to a message's size: name, type and value all count. */
export const attributesSize = (attributes: MessageAttributes): number =>
  Object.entries(attributes).reduce(
    (size, [name, attribute]) =>
      size + Buffer.byteLength(name) + Buffer.byteLength(attribute.DataType) + valueBytes(attribute).length,
    0,
  );

const withLength = (bytes: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

/**
 * The digest by which a client can check that attributes arrived whole; undefined when there are none. The encoding is
 * described in the SQS developer guide, "Calculating the MD5 message digest for message attributes".
 */
export const attributesMd5 = (attributes: MessageAttributes): string | undefined => {
  const entries = Object.entries(attributes).sort(([left], [right]) => (left < right ? -1 : 1));
  if (entries.length === 0) return undefined;
  const hash = createHash("md5");
  for (const [name, attribute] of entries) {
    hash.update(withLength(Buffer.from(name)));
    hash.update(withLength(Buffer.from(attribute.DataType)));
    hash.update(Buffer.from([isBinary(attribute) ? 2 : 1]));
    hash.update(withLength(valueBytes(attribute)));
  }
  return hash.digest("hex");
};

/** The attributes that a receiver requested: by name, by prefix (`prefix.*`), or `All` of them. */
export const selectAttributes = (
  attributes: MessageAttributes,
  wanted: readonly string[],
): MessageAttributes => {
  const isWanted = (name: string): boolean =>
    wanted.some(
      (pattern) =>
        pattern === "All" ||
        pattern === name ||
        (pattern.endsWith(".*") && name.startsWith(pattern.slice(0, -".*".length))),
    );
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => isWanted(name)));
};
