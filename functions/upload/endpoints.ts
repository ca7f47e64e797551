import type { Authorize } from "../../shared/http/authenticate.ts";
import { type Endpoint, endpoint } from "../../shared/http/endpoint.ts";
import { uploadOperation } from "./contract.ts";
import { generateUploadUrl, type UploadDependencies } from "./generate-upload-url.ts";

/** Whose token a request to the public route carries; one that is not valid counts as none. */
const ownerOf = async (authorize: Authorize, authorization: string | undefined) => {
  if (authorization === undefined) return undefined;
  const decision = await authorize(authorization);
  return decision.kind === "allowed" ? decision.caller.userId : undefined;
};

/** The operation of uploads, bound to its use case. */
export const uploadEndpoints = ({
  authorize,
  ...dependencies
}: UploadDependencies & { readonly authorize: Authorize }): Endpoint[] => [
  endpoint(uploadOperation, async ({ body, request }) =>
    generateUploadUrl(body, await ownerOf(authorize, request.headers["authorization"]), dependencies),
  ),
];
