import { appendFileSync } from "node:fs";
import { Authority, type Role } from "@language-ai/aws-stand-ins";
import { permissionSchema, without } from "./permissions.ts";

/**
 * How `npm run verify` changes the permissions of a service that a test starts. Imported for its effect by the process of the
 * service: `ACCESS_LOG` names a file for the calls, and `TAKEN_PERMISSION` is the permission that a role loses.
 */
const { ACCESS_LOG: file, TAKEN_PERMISSION: taken } = process.env;

const permission = taken ? permissionSchema.parse(JSON.parse(taken)) : undefined;
const reduced = new Map<Role, Role>();

const reducedRole = (role: Role): Role => {
  const known = reduced.get(role) ?? (permission ? without(role, permission) : role);
  reduced.set(role, known);
  return known;
};

/** What a role was denied. Only a test that takes a permission away expects any. */
export const denied: string[] = [];

const { judge } = Authority.prototype;
Authority.prototype.judge = (role, request) => {
  const decision = Reflect.apply(judge, undefined, [reducedRole(role), request]);
  if (decision !== "allowed") denied.push(`${role.name} ${request.action} ${request.resource}`);
  if (file) {
    appendFileSync(file, `${JSON.stringify({ at: Date.now(), role: role.name, request, decision })}\n`);
  }
  return decision;
};
