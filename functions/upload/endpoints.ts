import type { FindBearer } from "../../shared/auth/verify-bearer.ts";
import { type Endpoint, endpoint } from "../../shared/http/endpoint.ts";
import { uploadOperation } from "./contract.ts";
import { generateUploadUrl, type UploadDependencies } from "./generate-upload-url.ts";

/** The operation of uploads, bound to its use case. */
export const uploadEndpoints = ({
  findBearer,
  ...dependencies
}: UploadDependencies & { readonly findBearer: FindBearer }): Endpoint[] => [
  // Whose token a request to the public route carries; one that is not valid counts as none.
  endpoint(uploadOperation, async ({ body, request: { headers } }) => {
    const authorization = headers["authorization"];
    const owner = authorization === undefined ? undefined : await findBearer(authorization);
    return generateUploadUrl(body, owner, dependencies);
  }),
];
