import type {
  ApiDocument,
  DocumentedResponse,
  NamedResponses,
} from "../../../shared/http/openapi/document.ts";
import { inVendorsNames, type Vendors } from "../../../shared/platform/config/vendors.ts";

const mapped = <From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From, name: string) => To,
): Record<string, To> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));

/** Of an error, pages show the codes, and each code's message from the catalogue. */
const onlyCodes = ({ $ref, description, content = {} }: DocumentedResponse): DocumentedResponse => ({
  ...($ref === undefined ? {} : { $ref }),
  ...(description === undefined ? {} : { description }),
  content: mapped(content, ({ examples = {} }) => ({ examples: mapped(examples, () => null) })),
});

const shownResponses = (responses: NamedResponses): NamedResponses =>
  mapped(responses, (response, status) => {
    if (Number(status) >= 400) return onlyCodes(response);
    const { headers: _, ...others } = response;
    return others;
  });

/** What pages show of the OpenAPI document: half of it. */
export const shownDocument = ({ info, tags, paths, components }: ApiDocument): ApiDocument => ({
  info: { title: info.title, description: info.description },
  tags: tags.map(({ name }) => ({ name })),
  paths: mapped(paths, (methods) =>
    mapped(methods, (operation) => ({ ...operation, responses: shownResponses(operation.responses) })),
  ),
  components: { schemas: components.schemas, responses: mapped(components.responses, onlyCodes) },
});

/** The document with a stage's names of the providers in paths. */
export const inNamesOf = (document: ApiDocument, vendors: Vendors): ApiDocument => ({
  ...document,
  paths: Object.fromEntries(
    Object.entries(document.paths).map(([path, methods]) => [inVendorsNames(path, vendors), methods]),
  ),
});
