import { documentOfStage } from "../../../shared/http/openapi/stage-document.ts";
import type { Vendors } from "../../../shared/platform/config/vendors.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { assetPath } from "../server/assets.ts";
import type { BuiltAsset } from "../server/built-assets.ts";
import { type BoundPage, page } from "../server/page.ts";
import { sentFile, shown } from "../server/responses.ts";
import { renderExplorer } from "./explorer.tsx";
import { readExplorerFile } from "./explorer-files.ts";
import { guides } from "./guides/built-guides.ts";
import { GuidePage, GuidesPage } from "./guides/guide-page.tsx";
import {
  documentationPage,
  explorerFilePage,
  explorerPage,
  guidePage,
  guidesPage,
  llmsPage,
  operationPage,
} from "./pages.ts";
import { describeReference, successorOf } from "./reference.ts";
import { DocumentationIndex, OperationPage } from "./reference-pages.tsx";
import { writeLlms } from "./write-llms.ts";

/** What these pages use. */
export interface DocumentationDependencies {
  /** The names of providers in paths. */
  readonly vendors: Vendors;
  /** The public address, without a slash at the end. */
  readonly baseUrl: string;
  readonly assets: readonly BuiltAsset[];
}

/** The reference, built for the first page that needs it: most visits to the console never do. */
const createReference = ({ vendors, baseUrl }: DocumentationDependencies) => {
  const read = async () => {
    const document = await documentOfStage({ vendors, publicBaseUrl: baseUrl });
    return { about: document.info, sections: describeReference(document, baseUrl) };
  };
  let reading: ReturnType<typeof read> | undefined;
  return () => {
    reading ??= read();
    return reading;
  };
};

type ReadReference = ReturnType<typeof createReference>;

const explorerPages = ({ assets }: DocumentationDependencies): BoundPage[] => [
  page(explorerPage, {
    show: ({ url }) =>
      sentFile({
        contentType: "text/html; charset=utf-8",
        body: renderExplorer({ url, scripts: assetPath(assets, "explorer").map(url) }),
      }),
  }),
  page(explorerFilePage, {
    show: async ({ path }) => {
      const file = await readExplorerFile(path["version"], path["file"] ?? "");
      if (!file) throw new AppError("not_found");
      return sentFile({ ...file, headers: { "Cache-Control": "public, max-age=31536000, immutable" } });
    },
  }),
];

const guidePages = ({ baseUrl, vendors }: DocumentationDependencies): BoundPage[] => [
  page(guidesPage, {
    show: () => shown({ title: "Guides", content: <GuidesPage guides={guides} /> }),
  }),
  page(guidePage, {
    show: ({ path }) => {
      const guide = guides.find(({ name }) => name === path["name"]);
      if (!guide) throw new AppError("not_found");
      const content = <GuidePage guide={guide} baseUrl={baseUrl} vendors={vendors} />;
      return shown({ title: guide.title, content });
    },
  }),
];

const referencePages = (readReference: ReadReference): BoundPage[] => [
  page(documentationPage, {
    show: async () => {
      const { sections } = await readReference();
      return shown({ content: <DocumentationIndex sections={sections} guides={guides} /> });
    },
  }),
  page(operationPage, {
    show: async ({ path }) => {
      const { sections } = await readReference();
      const operations = sections.flatMap((section) => section.operations);
      const found = operations.find(({ id }) => id === path["operation"]);
      if (!found) throw new AppError("not_found");
      return shown({
        title: found.summary,
        content: <OperationPage operation={found} successor={successorOf(found, operations)} />,
      });
    },
  }),
];

/** The documentation: guides, reference, API explorer, and the list for language models. */
export const docsPages = (dependencies: DocumentationDependencies): BoundPage[] => {
  const readReference = createReference(dependencies);
  return [
    ...referencePages(readReference),
    ...explorerPages(dependencies),
    ...guidePages(dependencies),
    page(llmsPage, {
      show: async () => {
        const { about, sections } = await readReference();
        return sentFile({
          contentType: "text/plain; charset=utf-8",
          body: writeLlms(about, sections, guides, dependencies.baseUrl),
        });
      },
    }),
  ];
};
