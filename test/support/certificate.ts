import { generateKeyPairSync, randomUUID, sign } from "node:crypto";

/** One value in DER: its tag, its length and its content. */
const der = (tag: number, ...parts: (Buffer | readonly number[])[]): Buffer => {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};

const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts);
const ecdsaWithSha256 = sequence(der(0x06, [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]));
const commonName = der(0x06, [0x55, 0x04, 0x03]);
const subjectAltName = der(0x06, [0x55, 0x1d, 0x11]);

const timeOf = (milliseconds: number): Buffer =>
  der(0x18, Buffer.from(`${new Date(milliseconds).toISOString().replace(/[-:T]|\..*/g, "")}Z`));

/** A key and the certificate that it has signed itself, both in PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/**
 * A certificate of a day for names or addresses (as bytes), created here so that the repository contains no private
 * key.
 */
export const makeCertificate = (names: readonly (string | readonly number[])[]): Certificate => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  // Certificates are looked for by their subjects.
  const name = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from(randomUUID())))));
  const day = 86_400_000;
  const alternatives = names.map((one) =>
    typeof one === "string" ? der(0x82, Buffer.from(one)) : der(0x87, one),
  );
  const content = sequence(
    der(0xa0, der(0x02, [2])),
    der(0x02, [1]),
    ecdsaWithSha256,
    name,
    sequence(timeOf(Date.now() - day), timeOf(Date.now() + day)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(sequence(subjectAltName, der(0x04, sequence(...alternatives))))),
  );
  const signature = der(0x03, [0], sign("sha256", content, privateKey));
  const lines =
    sequence(content, ecdsaWithSha256, signature)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n"),
  };
};
