import type { BoundPage } from "../../shared/pages/server/page.ts";
import { assetPages } from "./assets/asset-pages.ts";
import type { BuiltAsset } from "./assets/built-assets.ts";
import { type DocumentationDependencies, docsPages } from "./docs/docs-pages.tsx";
import { languagesPages } from "./languages/languages-pages.tsx";
import { type NoticeDependencies, noticePages } from "./notices/notice-pages.tsx";
import { type QualityDependencies, qualityPages } from "./quality/quality-pages.tsx";
import { type StatusDependencies, statusPages } from "./status/status-pages.tsx";

/** What the pages for everyone use. */
export type SiteDependencies = DocumentationDependencies &
  NoticeDependencies &
  QualityDependencies &
  StatusDependencies & { readonly assets: readonly BuiltAsset[] };

/** Every page for everyone. */
export const sitePages = (dependencies: SiteDependencies): BoundPage[] => [
  ...assetPages(dependencies),
  ...docsPages(dependencies),
  ...languagesPages(),
  ...noticePages(dependencies),
  ...qualityPages(dependencies),
  ...statusPages(dependencies),
];
