import { createPageHandler } from "../../shared/pages/server/page-handler.ts";
import { stageCatalogue } from "../../shared/platform/catalogue/stage-catalogue.ts";
import { awsConfigOf, readEnvironment } from "../../shared/platform/config/environment.ts";
import { createStatusLog } from "../../shared/platform/status/status-log.ts";
import { openLightTable } from "../../shared/platform/storage/light-table.ts";
import { retentionTable } from "../../shared/wiring/retention.ts";
import { storedKinds } from "../../shared/wiring/stored-kinds.ts";
import { builtAssets } from "./assets/built-assets.ts";
import { siteFunction } from "./contract.ts";
import { notices } from "./notices/built-notices.ts";
import { noticesOf } from "./notices/notice.ts";
import { evaluations } from "./quality/built-evaluations.ts";
import { sitePages } from "./site-pages.ts";

const environment = readEnvironment(siteFunction.environment, process.env);
const { STAGE_NAME: stage, PUBLIC_BASE_URL: baseUrl } = environment;

export const handler = createPageHandler(
  sitePages({
    baseUrl,
    assets: builtAssets,
    vendors: environment.LEGACY_VENDORS,
    notices: noticesOf(stage, notices),
    evaluation: evaluations[stage],
    calibration: stageCatalogue.calibration,
    retention: retentionTable(storedKinds, environment),
    region: environment.AWS_REGION,
    contactEmail: environment.CONTACT_EMAIL,
    statusLog: createStatusLog(openLightTable(environment.TABLE_NAME, awsConfigOf(environment))),
    statusPageUrl: environment.STATUS_PAGE_URL,
  }),
  {
    site: {
      baseUrl,
      origins: { storage: [], stream: [] },
      assets: builtAssets,
      languages: environment.CONSOLE_LANGUAGES,
    },
  },
  { metricsNamespace: environment.METRICS_NAMESPACE },
);
