import { createHash, createHmac } from "node:crypto";
import { SignatureV4 } from "@smithy/signature-v4";
import type { AwsConfig } from "../../shared/platform/outbound/aws-config.ts";

/** Hashing as the SDK's signer wants to be given it. */
class Sha256 {
  readonly #hash;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash("sha256") : createHmac("sha256", secret as Buffer);
  }
  update(data: string | Uint8Array): void {
    this.#hash.update(data);
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
}

/** The SDK's own signer, set up as its clients do. */
export const createSdkSigner = (
  service: string,
  { region, credentials }: Pick<AwsConfig, "region" | "credentials">,
): SignatureV4 =>
  new SignatureV4({
    credentials,
    region,
    service,
    sha256: Sha256,
    applyChecksum: service === "s3",
    uriEscapePath: service !== "s3",
  });
