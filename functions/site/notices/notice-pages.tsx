import { type BoundPage, page } from "../../../shared/pages/server/page.ts";
import { shown } from "../../../shared/pages/server/responses.ts";
import { ProseTable } from "../../../shared/pages/view/prose.tsx";
import { MarkdownPart } from "../docs/guide-page.tsx";
import type { GuidePart } from "../docs/guides/guide.ts";
import type { Notices, StageNotice } from "./notice.ts";
import { privacyPage, termsPage } from "./pages.ts";

/** A table of what is stored, and how long. */
export type RetentionPart = Extract<GuidePart, { readonly rows: unknown }>;

/** What these pages use. */
export interface NoticeDependencies {
  readonly notices: Notices;
  /** What is stored, and how long, in this stage. */
  readonly retention: RetentionPart;
  /** The public address, without a slash at the end. */
  readonly baseUrl: string;
  /** The region of AWS in which the stage stores its data. */
  readonly region: string;
  /** The address for questions; `undefined` when the operator has named none. */
  readonly contactEmail: string | undefined;
}

const noContact = "the operator has not named an address for questions here.";

/** A part with the facts of the stage. */
const filledPart = (part: GuidePart, dependencies: NoticeDependencies): GuidePart => {
  const { baseUrl, region, contactEmail } = dependencies;
  const fill = (text: string): string =>
    text
      .replaceAll("{{baseUrl}}", baseUrl)
      .replaceAll("{{region}}", region)
      .replaceAll("{{contact}}", contactEmail ? `[${contactEmail}](mailto:${contactEmail})` : noContact);
  if ("text" in part) {
    return part.text.trim() === "{{retention}}" ? dependencies.retention : { text: fill(part.text) };
  }
  return "list" in part ? { list: part.list.map(fill) } : part;
};

const NoticePage = ({ notice, ...dependencies }: NoticeDependencies & { readonly notice: StageNotice }) => (
  <article lang="en" class="doc notice-page">
    <h1>{notice.title}</h1>
    <p class="soft">Version {notice.version}</p>
    {notice.parts
      .map((part) => filledPart(part, dependencies))
      .map((part, index) =>
        "rows" in part ? (
          <ProseTable key={index} {...part} isStacked />
        ) : (
          <MarkdownPart key={index} part={part} />
        ),
      )}
  </article>
);

/** The pages about the rules of a stage: what it stores about people, and what they agree to. */
export const noticePages = (dependencies: NoticeDependencies): BoundPage[] => [
  page(privacyPage, {
    show: () => shown({ content: <NoticePage {...dependencies} notice={dependencies.notices.privacy} /> }),
  }),
  page(termsPage, {
    show: () => shown({ content: <NoticePage {...dependencies} notice={dependencies.notices.terms} /> }),
  }),
];
