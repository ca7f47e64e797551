import {
  bucketEnvironment,
  chatBackendEnvironment,
  limitsEnvironment,
  speechBackendEnvironment,
  speechLifetimeEnvironment,
  speechPlatformEnvironment,
  tableEnvironment,
  tokenEnvironment,
  transcriptionBackendEnvironment,
} from "../../shared/platform/config/environment.ts";
import { optionalVariable, textVariable } from "../../shared/platform/config/variables.ts";
import { legacySettingsEnvironment } from "./settings.ts";

export const legacyEnvironment = {
  ...tableEnvironment,
  ...limitsEnvironment,
  ...tokenEnvironment,
  ...bucketEnvironment,
  ...chatBackendEnvironment,
  ...speechBackendEnvironment,
  ...speechPlatformEnvironment,
  ...speechLifetimeEnvironment,
  ...transcriptionBackendEnvironment,
  TRANSCRIPTION_ALTERNATIVE_MODEL: optionalVariable(textVariable),
  ...legacySettingsEnvironment,
};

// API Gateway waits five minutes for the first byte, and its own response would lack the headers.
export const legacyTimeoutSeconds = 290;
