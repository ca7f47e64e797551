import type { FieldRow } from "./describe-fields.ts";
import type { ReferenceOperation } from "./reference.ts";

const callers: Readonly<Record<ReferenceOperation["token"], string>> = {
  needed: "Requires a token or a key, sent as `Authorization: Bearer …`.",
  optional: "Does not require a token. With a token, your account owns the result.",
  none: "Does not require a token.",
};

const whoMayCall = ({ token, scope }: ReferenceOperation): string => {
  if (token !== "needed") return callers[token];
  if (scope === undefined)
    return "Requires an access token, sent as `Authorization: Bearer …`. Keys cannot call this operation.";
  return scope === "any"
    ? callers.needed
    : `${callers.needed} A key with scopes needs the scope \`${scope}\`.`;
};

const asCode = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(" or ");

/** The sentences of an operation, in Markdown, for its page and for programs. */
export const textsOfOperation = (
  operation: ReferenceOperation,
): {
  readonly lead: string;
  /** The description after its first sentence. */
  readonly rest: string;
  readonly request: readonly string[];
  readonly response: string;
} => {
  const { description, token, requestTypes, status, responseDescription, responses } = operation;
  const [, lead = description, rest = ""] = /^(.+?[.!?])\s+(?=[A-Z`[])(.*)$/s.exec(description) ?? [];
  const types = responses.map(({ contentType }) => contentType);
  return {
    lead,
    rest,
    request: [
      whoMayCall(operation),
      ...(token === "needed"
        ? ["Replace `TOKEN` with an access token or a key: [how to get one](/docs/guides/keys)."]
        : []),
      ...(requestTypes.length > 0 ? [`Send the body as ${asCode(requestTypes)}.`] : []),
    ],
    response: [`\`${status}\` ${responseDescription}`, ...(types.length > 0 ? [`as ${asCode(types)}`] : [])]
      .join(", ")
      .replace(/[^.]$/, "$&."),
  };
};

const fieldsAsList = (title: string, rows: readonly FieldRow[]): string[] =>
  rows.length === 0
    ? []
    : [
        `### ${title}`,
        rows
          .map(
            ({ name, type, isRequired, description }) =>
              `- \`${name}\` (${type}${isRequired ? "" : ", optional"}): ${description}`,
          )
          .join("\n"),
      ];

const fenced = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``;

/** The page of an operation in Markdown, for programs. */
export const writeOperation = (operation: ReferenceOperation): string => {
  const { method, path, summary, description, isDeprecated, replacedBy, samples, openAi } = operation;
  const { request, response } = textsOfOperation(operation);
  return `${[
    `# ${summary}`,
    `\`${method} ${path}\``,
    ...(isDeprecated ? [`Deprecated: use \`${replacedBy ?? ""}\` instead.`] : []),
    ...(description === "" ? [] : [description]),
    "## Request",
    request.join(" "),
    ...fieldsAsList("Parameters", operation.parameters),
    ...fieldsAsList("Body", operation.requestFields),
    fenced("sh", samples.curl),
    ...(openAi ? [fenced("typescript", openAi.node), fenced("python", openAi.python)] : []),
    "## Response",
    response,
    ...operation.responses.flatMap(({ contentType, text }) =>
      text === undefined ? [] : [fenced(contentType === "application/json" ? "json" : "", text)],
    ),
    ...fieldsAsList("Fields", operation.responseFields),
    "## Errors",
    operation.errors.map(({ status, code, sentence }) => `- ${status} \`${code}\`: ${sentence}`).join("\n"),
  ].join("\n\n")}\n`;
};
