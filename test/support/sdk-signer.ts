import { Hash } from "@smithy/core/serde";
import { SignatureV4 } from "@smithy/signature-v4";
import type { AwsConfig } from "../../shared/platform/outbound/aws-config.ts";

/** The SDK's own signer, set up as its clients do. */
export const createSdkSigner = (
  service: string,
  { region, credentials }: Pick<AwsConfig, "region" | "credentials">,
): SignatureV4 =>
  new SignatureV4({
    credentials,
    region,
    service,
    sha256: Hash.bind(undefined, "sha256"),
    applyChecksum: false,
  });
