import {
  accountRequestEnvironment,
  tokenEnvironment,
  transcriptionBackendEnvironment,
  transcriptionFeaturesEnvironment,
  translationBackendEnvironment,
} from "../../shared/platform/config/environment.ts";

export const transcriptionEnvironment = {
  ...accountRequestEnvironment,
  ...tokenEnvironment,
  ...transcriptionBackendEnvironment,
  ...transcriptionFeaturesEnvironment,
  ...translationBackendEnvironment,
};
