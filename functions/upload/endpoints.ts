import type { FindBearer } from "../../shared/accounts/access/verify-bearer.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import type { Endpoint } from "../../shared/http/exchange.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import {
  beginUploadOperation,
  completeUploadOperation,
  deleteUploadOperation,
  getUploadOperation,
  signPartsOperation,
  uploadOperation,
} from "./contract.ts";
import { generateUploadUrl, type UploadDependencies } from "./generate-upload-url.ts";
import {
  beginUpload,
  completeUpload,
  deleteUpload,
  type PartsDependencies,
  showUpload,
  signParts,
} from "./upload-in-parts.ts";

/** Binds the operation of upload links to its use case. */
export const uploadEndpoints = ({
  findBearer,
  ...dependencies
}: UploadDependencies & { readonly findBearer: FindBearer }): Endpoint[] => [
  // The route is public, but a token that is sent must be valid: a client that believes it owns the file should learn that it does not.
  endpoint(uploadOperation, async ({ body, request: { headers } }) => {
    const authorization = headers["authorization"];
    const owner = authorization === undefined ? undefined : await findBearer(authorization);
    if (authorization !== undefined && owner === undefined) throw new AppError("unauthenticated");
    return generateUploadUrl(body, owner, dependencies);
  }),
];

/** Binds the operations of uploads in parts to their use cases. */
export const partedUploadEndpoints = (dependencies: PartsDependencies): Endpoint[] => [
  endpoint(beginUploadOperation, ({ body, caller }) => beginUpload(body, caller.userId, dependencies)),
  endpoint(signPartsOperation, ({ path, body, caller }) =>
    signParts(path.id, body.numbers, caller.userId, dependencies),
  ),
  endpoint(getUploadOperation, ({ path, caller }) => showUpload(path.id, caller.userId, dependencies)),
  endpoint(completeUploadOperation, ({ path, caller }) =>
    completeUpload(path.id, caller.userId, dependencies),
  ),
  endpoint(deleteUploadOperation, ({ path, caller }) => deleteUpload(path.id, caller.userId, dependencies)),
];
