/** Where clients learn how they are authorized (RFC 9728). */
export const protectedResourcePath = "/.well-known/oauth-protected-resource";

/**
 * `WWW-Authenticate` of responses with 401.
 *
 * @param publicBaseUrl where callers reach the service; where it is not known, the address of the metadata is left out.
 */
export const bearerChallenge = (publicBaseUrl?: string): string =>
  publicBaseUrl === undefined
    ? "Bearer"
    : `Bearer resource_metadata="${publicBaseUrl}${protectedResourcePath}"`;
