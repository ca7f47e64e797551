import {
  accountRequestEnvironment,
  chatBackendEnvironment,
  tokenEnvironment,
} from "../../shared/platform/config/environment.ts";
import { anyTextVariable, presetVariable } from "../../shared/platform/config/variables.ts";

/** What the function reads. */
export const chatEnvironment = {
  ...accountRequestEnvironment,
  ...tokenEnvironment,
  ...chatBackendEnvironment,
  ORIGIN_SECRET: presetVariable(anyTextVariable, ""),
};

export const chatTimeoutSeconds = 600;
