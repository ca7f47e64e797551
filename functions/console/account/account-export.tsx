import type { AccountExport } from "../../../shared/accounts/export/request-export.ts";
import { proofField } from "../../../shared/pages/proof/proof-field.tsx";
import { sentTo } from "../../../shared/pages/server/sent-form.ts";
import { fill } from "../../../shared/pages/texts/languages.ts";
import { momentOf } from "../../../shared/pages/view/dates.ts";
import { Form } from "../../../shared/pages/view/forms.tsx";
import { type AccountView, accountPath } from "./account-view.ts";

const kilobyte = 1_024;

/** Shows the state of the last export. */
const LastExport = ({ last, visit }: { readonly last: AccountExport; readonly visit: AccountView }) => {
  const { texts, language, url } = visit;
  const words = texts.account;
  if (last.url === null) {
    return (
      <p>
        {last.status === "failed" ? words.exportFailed : words.exportPreparing}{" "}
        <a href={`${url(accountPath)}?section=export`}>{words.exportReload}</a>
      </p>
    );
  }
  const kilobytes = Math.ceil((last.size ?? 0) / kilobyte);
  const download = fill(words.exportDownload, { kilobytes });
  const { isThis, form } = sentTo("export-link", visit);
  return (
    <>
      <p>
        {fill(words.exportUntil, {
          requested: momentOf(last.requested_at, language),
          end: momentOf(last.expires_at, language),
        })}
      </p>
      {visit.exportUrl === undefined ? (
        <details open={isThis} class="more">
          <summary>{download}</summary>
          <Form to={accountPath} submit={words.exportLink} {...form}>
            {proofField(visit, "export-link")}
          </Form>
        </details>
      ) : (
        <p>
          <a class="button" href={visit.exportUrl}>
            {download}
          </a>
        </p>
      )}
    </>
  );
};

/** The export of an account: a form that requests it, and the link to the last one. */
export const Export = (visit: AccountView) => {
  const { texts, lastExport } = visit;
  const words = texts.account;
  const { isThis, form } = sentTo("export-account", visit);
  return (
    <>
      <p>{words.exportText}</p>
      {lastExport && <LastExport last={lastExport} visit={visit} />}
      <details open={isThis} class="more">
        <summary>{words.exportOpen}</summary>
        <Form to={accountPath} submit={words.exportButton} look="secondary" {...form}>
          {proofField(visit, "export-account")}
        </Form>
      </details>
    </>
  );
};
