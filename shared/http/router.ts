import type { APIGatewayProxyEvent } from "aws-lambda";
import { AppError } from "../errors/app-error.ts";
import type { Endpoint } from "./endpoint.ts";

/** Finds the endpoint for the method and the resource that API Gateway matched. */
export type Router = (event: APIGatewayProxyEvent) => Endpoint;

/** A router over a function's endpoints. @throws AppError `not_found` when none matches. */
export const createRouter = (endpoints: readonly Endpoint[]): Router => {
  const byRoute = new Map(
    endpoints.map((candidate) => [`${candidate.operation.method} ${candidate.operation.path}`, candidate]),
  );
  return (event) => {
    const endpoint = byRoute.get(`${event.httpMethod} ${event.resource}`);
    if (!endpoint) throw new AppError("not_found");
    return endpoint;
  };
};
