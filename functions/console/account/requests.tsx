import type * as z from "zod";
import { type LoggedRequest, requestLogDays } from "../../../shared/accounts/requests/request-log.ts";
import type { TaskPaths } from "../../../shared/accounts/usage/find-usage.ts";
import type { Visit } from "../../../shared/pages/server/visit.ts";
import { fill } from "../../../shared/pages/texts/languages.ts";
import { Badge, DataTable } from "../../../shared/pages/view/components.tsx";
import { momentOf, numbersIn } from "../../../shared/pages/view/dates.ts";
import { Field } from "../../../shared/pages/view/forms.tsx";
import { useFrame } from "../../../shared/pages/view/frame.ts";
import type { usagePage } from "./pages.ts";

/** How many requests a page lists. */
export const listedRequests = 20;

/** What the list of requests shows. */
export type RequestsView = Visit<z.output<NonNullable<typeof usagePage.query>>, "signed-in"> & {
  readonly requests: readonly LoggedRequest[];
  readonly taskPaths: TaskPaths;
  readonly keyNames: ReadonlyMap<string, string>;
};

const path = "/console/usage";

const kindOf = (status: number): "good" | "warning" | "bad" => {
  if (status >= 500) return "bad";
  return status >= 400 ? "warning" : "good";
};

const Status = ({ request: { status, code } }: { readonly request: LoggedRequest }) => (
  <>
    <Badge kind={kindOf(status)}>{status}</Badge> {code && <code>{code}</code>}
  </>
);

/** What a request has used, in words. */
const useUsed = () => {
  const { texts, language } = useFrame();
  const words = texts.requests;
  const number = numbersIn(language, 1);
  return ({ used = {} }: LoggedRequest): string => {
    const { characters = 0, promptTokens = 0, completionTokens = 0, audioMilliseconds = 0 } = used;
    const amounts = [
      [words.characters, characters],
      [words.tokens, promptTokens + completionTokens],
      [words.audio, audioMilliseconds / 1_000],
    ] as const;
    return amounts
      .flatMap(([unit, amount]) => (amount > 0 ? [fill(unit, { count: number.format(amount) })] : []))
      .join(", ");
  };
};

const List = ({ texts, language, requests, taskPaths, keyNames }: RequestsView) => {
  const words = texts.requests;
  const number = numbersIn(language);
  const usedOf = useUsed();
  const keyOf = ({ key }: LoggedRequest): string =>
    key === undefined ? texts.tokens.token : (keyNames.get(key) ?? fill(texts.usage.revokedKey, { id: key }));
  return (
    <DataTable
      isStacked
      isCaptionShown={false}
      caption={words.title}
      columns={[
        { label: texts.usage.operation },
        { label: words.time },
        { label: words.status },
        { label: words.milliseconds, isNumber: true },
        { label: words.used },
        { label: texts.tokens.key },
        { label: words.id },
      ]}
      rows={requests.map((request) => {
        const { method, path: address } = taskPaths[request.operation] ?? {
          method: "",
          path: request.operation,
        };
        return [
          `${method} ${address}`.trim(),
          momentOf(request.at, language, "medium"),
          <Status key="status" request={request} />,
          number.format(request.milliseconds),
          usedOf(request),
          keyOf(request),
          <code key="id" class="notranslate id">
            {request.id}
          </code>,
        ];
      })}
    />
  );
};

const Search = ({ texts: { requests: words }, url, query }: RequestsView) => (
  <form method="get" action={`${url(path)}#requests`} class="range">
    <Field name="request" label={words.id} value={query.request} />
    <button type="submit" class="button secondary">
      {words.search}
    </button>
  </form>
);

/** The requests of the last days, newest first, or those with an id. */
export const Requests = (visit: RequestsView) => {
  const { texts, url, query, requests } = visit;
  const words = texts.requests;
  const last = requests.at(-1);
  const isSearch = query.request !== undefined;
  const isPart = isSearch || query.before !== undefined;
  return (
    <section class="listing">
      <h2 id="requests">{words.title}</h2>
      <p class="soft">{fill(words.text, { count: requestLogDays })}</p>
      <Search {...visit} />
      {requests.length > 0 ? (
        <List {...visit} />
      ) : (
        <p role="status">{isSearch ? fill(words.notFound, { count: requestLogDays }) : words.none}</p>
      )}
      {isPart && (
        <p>
          <a href={`${url(path)}#requests`}>{words.all}</a>
        </p>
      )}
      {!isSearch && last && requests.length === listedRequests && (
        <p>
          <a href={`${url(path)}?${new URLSearchParams({ before: `${last.at},${last.id}` })}#requests`}>
            {words.older}
          </a>
        </p>
      )}
    </section>
  );
};
