import {
  accountRequestEnvironment,
  limitsEnvironment,
  tokenEnvironment,
  translationBackendEnvironment,
} from "../../shared/platform/config/environment.ts";

export const translateEnvironment = {
  ...accountRequestEnvironment,
  ...limitsEnvironment,
  ...translationBackendEnvironment,
  ...tokenEnvironment,
};
