import {
  type AccessRequest,
  compilePolicy,
  decide,
  type Role,
  type StatementSource,
} from "@language-ai/aws-stand-ins";
import * as z from "zod";

/** The smallest part of a role's policies: an action on a resource, and one value of its condition if that has several. */
export const permissionSchema = z.object({
  role: z.string(),
  action: z.string(),
  resource: z.string(),
  value: z.string().optional(),
});

export type Permission = z.output<typeof permissionSchema>;

/** The conditions whose values are permissions of their own. */
const listed = ["dynamodb:LeadingKeys", "s3:prefix"];

const valuesOf = ({ Condition }: StatementSource): (string | undefined)[] => {
  const values = Object.entries(Condition)
    .filter(([operator]) => operator !== "Null")
    .flatMap(([, keys]) => listed.flatMap((key) => keys[key] ?? []));
  return values.length > 0 ? values : [undefined];
};

/** All permissions of a role. */
export const permissionsOf = ({ name: role, statements }: Role): Permission[] =>
  statements
    .filter(({ source }) => source.Effect === "Allow")
    .flatMap(({ source }) =>
      source.Action.flatMap((action) =>
        source.Resource.flatMap((resource) =>
          valuesOf(source).map((value) => ({
            role,
            action,
            resource,
            ...(value === undefined ? {} : { value }),
          })),
        ),
      ),
    );

const withoutValue = (condition: StatementSource["Condition"], value: string): StatementSource["Condition"] =>
  Object.fromEntries(
    Object.entries(condition).map(([operator, keys]) => [
      operator,
      Object.fromEntries(
        Object.entries(keys).map(([key, values]) => [
          key,
          operator !== "Null" && listed.includes(key) ? values.filter((each) => each !== value) : values,
        ]),
      ),
    ]),
  );

/** A statement without the permission, as the statements that remain of it. */
const reduced = (source: StatementSource, { action, resource, value }: Permission): StatementSource[] => {
  if (!source.Action.includes(action) || !source.Resource.includes(resource)) return [source];
  const remaining = value === undefined ? undefined : withoutValue(source.Condition, value);
  return [
    { ...source, Action: source.Action.filter((each) => each !== action) },
    { ...source, Action: [action], Resource: source.Resource.filter((each) => each !== resource) },
    ...(remaining === undefined
      ? []
      : [{ ...source, Action: [action], Resource: [resource], Condition: remaining }]),
  ].filter(
    (statement) =>
      statement.Action.length > 0 &&
      statement.Resource.length > 0 &&
      (remaining === undefined || valuesOf(statement)[0] !== undefined),
  );
};

/** The role without a permission. */
export const without = (role: Role, permission: Permission): Role =>
  role.name === permission.role
    ? {
        ...role,
        statements: compilePolicy({
          Version: "2012-10-17",
          Statement: role.statements.flatMap(({ source }) => reduced(source, permission)),
        }),
      }
    : role;

/** Whether the role may make the call with the permission alone, and not without it. */
export const isNeededFor = (role: Role, permission: Permission, request: AccessRequest): boolean =>
  decide(without(role, permission).statements, request) !== "allowed";
