import type { BoundPage } from "../../shared/pages/server/page.ts";
import { type AccountPagesDependencies, accountPages } from "./account/account-pages.tsx";
import { type AdminDependencies, adminPages } from "./admin/admin-pages.tsx";
import { type DocumentationDependencies, docsPages } from "./docs/docs-pages.tsx";
import { type DocumentsDependencies, documentsPages } from "./documents/documents-pages.tsx";
import { type EntryDependencies, entryPages } from "./entry/entry-pages.tsx";
import { type HomeDependencies, homePages } from "./home/home-pages.tsx";
import { type IdentityPagesDependencies, identityPages } from "./identity/identity-pages.tsx";
import { type NoticeDependencies, noticePages } from "./notices/notice-pages.tsx";
import { type PlaygroundDependencies, playgroundPages } from "./playground/playground-pages.tsx";
import { type ProofPagesDependencies, proofPages } from "./proof/proof-pages.tsx";
import { type QualityDependencies, qualityPages } from "./quality/quality-pages.tsx";
import { type RecordingsDependencies, recordingsPages } from "./recordings/recordings-pages.tsx";
import {
  type SecondFactorPagesDependencies,
  secondFactorPages,
} from "./second-factor/second-factor-pages.tsx";
import { type StatusDependencies, statusPages } from "./status/status-pages.tsx";
import { type TierDependencies, tierPages } from "./tier/tier-pages.tsx";

export type ConsoleDependencies = AccountPagesDependencies &
  AdminDependencies &
  DocumentationDependencies &
  DocumentsDependencies &
  EntryDependencies &
  HomeDependencies &
  IdentityPagesDependencies &
  NoticeDependencies &
  PlaygroundDependencies &
  ProofPagesDependencies &
  QualityDependencies &
  RecordingsDependencies &
  SecondFactorPagesDependencies &
  StatusDependencies &
  TierDependencies;

/** Every page of the console. */
export const consolePages = (dependencies: ConsoleDependencies): BoundPage[] => [
  ...homePages(dependencies),
  ...entryPages(dependencies),
  ...identityPages(dependencies),
  ...docsPages(dependencies),
  ...accountPages(dependencies),
  ...playgroundPages(dependencies),
  ...proofPages(dependencies),
  ...documentsPages(dependencies),
  ...recordingsPages(dependencies),
  ...noticePages(dependencies),
  ...qualityPages(dependencies),
  ...secondFactorPages(dependencies),
  ...adminPages(dependencies),
  ...statusPages(dependencies),
  ...tierPages(dependencies),
];
