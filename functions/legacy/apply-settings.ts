import { inVendorsNames, isVendorsPath } from "../../shared/config/vendors.ts";
import { AppError } from "../../shared/errors/app-error.ts";
import type { Endpoint } from "../../shared/http/endpoint.ts";
import type { Operation } from "../../shared/http/operation.ts";
import type { LegacySettings } from "./settings.ts";

/** The operations where a stage has them: under the names it has for the providers. */
export const inStage = <Declared extends Operation>(
  operations: readonly Declared[],
  { vendors }: Pick<LegacySettings, "vendors">,
): Declared[] =>
  operations.map((operation) => ({ ...operation, path: inVendorsNames(operation.path, vendors) }));

/** Answers everybody alike, whatever is in the request: nothing is left that a token or a body could be for. */
const gone = ({ id, method, path, summary, tag, response, deprecated }: Operation): Endpoint => ({
  operation: {
    id,
    method,
    path,
    summary,
    tag,
    auth: "public",
    response,
    errors: ["gone"],
    ...(deprecated ? { deprecated } : {}),
  },
  handle: async () => {
    throw new AppError("gone", {
      ...(deprecated ? { message: `This address has been given up; use ${deprecated.successor}.` } : {}),
    });
  },
});

/** An endpoint as a stage wants it: its path, its sunset, and whether it answers at all. */
export const applySettings = (endpoint: Endpoint, settings: LegacySettings): Endpoint => {
  const [operation = endpoint.operation] = inStage([endpoint.operation], settings);
  const { deprecated } = operation;
  const decided: Operation = {
    ...operation,
    ...(deprecated ? { deprecated: { ...deprecated, sunset: new Date(settings.sunset) } } : {}),
  };
  return settings.providerRoutes === "gone" && isVendorsPath(endpoint.operation.path)
    ? gone(decided)
    : { ...endpoint, operation: decided };
};
