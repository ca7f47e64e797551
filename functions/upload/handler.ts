import { createTokensRepository } from "../../shared/accounts/tokens-repository.ts";
import { authorize } from "../../shared/auth/authorize.ts";
import { createSigningKeySource } from "../../shared/auth/signing-keys.ts";
import { createTokens } from "../../shared/auth/tokens.ts";
import { readEnvironment } from "../../shared/config/environment.ts";
import { readSecret } from "../../shared/config/secrets.ts";
import { createBufferedHandler } from "../../shared/http/create-handler.ts";
import { createLimitCounters } from "../../shared/limits/limit-counters.ts";
import { createLimiter } from "../../shared/limits/limiter.ts";
import { openBucket } from "../../shared/storage/s3-bucket.ts";
import { createS3ObjectStore } from "../../shared/storage/s3-object-store.ts";
import { openTable } from "../../shared/storage/table.ts";
import { createUploadsRepository } from "../../shared/uploads/uploads-repository.ts";
import { uploadFunction } from "./contract.ts";
import { uploadEndpoints } from "./endpoints.ts";

const environment = readEnvironment(uploadFunction.environment, process.env);
const table = openTable(environment.TABLE_NAME);
const tokens = createTokens(
  createSigningKeySource((version) => readSecret(environment.TOKEN_SECRET_ID, version)),
);
const issuedTokens = createTokensRepository(table);

const limiter = createLimiter(createLimitCounters(table), {
  addressLimits: { anonymous: environment.LIMIT_ANONYMOUS_PER_MINUTE },
});

export const handler = createBufferedHandler(
  uploadEndpoints({
    store: createS3ObjectStore(openBucket(environment.BUCKET_NAME, process.env["AWS_ENDPOINT_URL_S3"])),
    uploads: createUploadsRepository(table),
    authorize: (authorization) => authorize(authorization, { tokens, issuedTokens }),
  }),
  { limiter },
);
