import { type ItemKind, onlyAttributes } from "../../platform/storage/stored-kinds.ts";
import { accountKeyPrefixes } from "../access/keys.ts";
import { inAccount } from "../access/stored-kinds.ts";
import { maxSessionSeconds, sessionItemPrefix } from "./keys.ts";

/** S1 of the README in `shared/pages/sessions`. */
export const sessionKinds: readonly ItemKind[] = [
  {
    id: "S1",
    what: "A session of the console: when and how it started, when it was last used, and the name of the browser",
    about: "account",
    keys: [accountKeyPrefixes.profile, sessionItemPrefix],
    lasts: { seconds: maxSessionSeconds },
    erased: inAccount,
    exported: {
      file: "sessions.json",
      row: onlyAttributes(
        "created_at",
        "seen_at",
        "expires_at",
        "user_agent",
        "started_with",
        "showed_factor",
      ),
    },
  },
];
