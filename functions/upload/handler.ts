import { createTokenAuthorization } from "../../shared/auth/authorize.ts";
import { readEnvironment } from "../../shared/config/environment.ts";
import { createBufferedHandler } from "../../shared/http/pipeline.ts";
import { createLimitCounters } from "../../shared/limits/limit-counters.ts";
import { createLimiter } from "../../shared/limits/limiter.ts";
import { openItemTable } from "../../shared/storage/item-table.ts";
import { openBucket } from "../../shared/storage/s3-bucket.ts";
import { createS3ObjectStore } from "../../shared/storage/s3-object-store.ts";
import { openTable } from "../../shared/storage/table.ts";
import { createUploadsRepository } from "../../shared/uploads/uploads-repository.ts";
import { uploadFunction } from "./contract.ts";
import { uploadEndpoints } from "./endpoints.ts";

const environment = readEnvironment(uploadFunction.environment, process.env);
const table = openTable(environment.TABLE_NAME);
const requestTable = openItemTable(environment.TABLE_NAME);

const limiter = createLimiter(createLimitCounters(requestTable), {
  addressLimits: { anonymous: environment.LIMIT_ANONYMOUS_PER_MINUTE },
});

export const handler = createBufferedHandler(
  uploadEndpoints({
    store: createS3ObjectStore(openBucket(environment.BUCKET_NAME, process.env["AWS_ENDPOINT_URL_S3"])),
    uploads: createUploadsRepository(table),
    authorize: createTokenAuthorization(requestTable, environment.TOKEN_SECRET_ID),
  }),
  { limiter },
);
