import type { ImportRule, RoomTable } from "../house/imports/check-rules.ts";

/** All rules of imports between the parts of this repository. Imports of types count like any other. */
export const importRules: readonly ImportRule[] = [
  {
    from: ["shared/"],
    to: ["functions/", "infra/"],
    because: "Shared code knows no feature and no infrastructure.",
  },
  {
    from: ["functions/*/"],
    to: ["functions/*/"],
    own: "functions/*/",
    except: [
      {
        from: "functions/legacy/",
        to: "functions/*/",
        because: "The deprecated routes call the features that replace them.",
      },
      {
        from: "functions/mcp/",
        to: "functions/*/",
        because: "The tools of agents are operations of other features.",
      },
    ],
    because: "Features do not import each other; code that two of them need belongs in shared/.",
  },
  {
    from: ["functions/"],
    to: ["infra/"],
    because: "A function knows nothing of its deployment.",
  },
  {
    from: ["functions/", "shared/"],
    to: ["@language-ai/"],
    because: "Deployed code imports no package that is for development only.",
  },
  {
    from: ["functions/", "shared/"],
    to: ["@aws-sdk/", "@smithy/"],
    except: [
      {
        from: "shared/platform/storage/",
        to: "@aws-sdk/",
        because: "The adapters know DynamoDB and S3; all other code uses their ports.",
      },
      {
        from: "shared/platform/storage/s3-links.ts",
        to: "@smithy/",
        because: "The SDK's presigner is given the SDK's hash, and its result is a query in the SDK's form.",
      },
      {
        from: "shared/platform/outbound/sdk-request-handler.ts",
        to: "@smithy/",
        because: "It has the interface that clients of the SDK want.",
      },
      { from: "functions/mail/", to: "@aws-sdk/", because: "It sends mails with SES." },
    ],
    because: "Functions that callers wait for start fast without the AWS SDK.",
  },
  {
    from: ["functions/", "shared/"],
    to: ["node:http", "node:http2", "node:https", "node:net", "node:tls"],
    allowsTypes: true,
    except: [
      {
        from: "shared/platform/outbound/connections.ts",
        to: "node:net",
        because: "It opens, keeps and closes all connections.",
      },
      {
        from: "shared/platform/outbound/connections.ts",
        to: "node:tls",
        because: "It opens, keeps and closes all connections.",
      },
      {
        from: "shared/platform/outbound/http-client.ts",
        to: "node:http",
        because: "It is the client for bytes and streams, over those connections.",
      },
      ...["functions/callback/post-callback.ts", "shared/recordings/callbacks/callback-url.ts"].map(
        (from) => ({ from, to: "node:net", because: "It reads addresses, and connects to none." }),
      ),
      {
        from: "shared/accounts/limits/keys.ts",
        to: "node:net",
        because: "It reads addresses, and connects to none.",
      },
    ],
    because: "Only shared/platform/outbound/connections.ts opens connections.",
  },
  {
    from: ["functions/", "shared/", "infra/"],
    to: ["test/"],
    because: "Tests know the product, and not the other way round.",
  },
  {
    from: [""],
    to: ["infra/packages/*/"],
    own: "infra/packages/*/",
    because: "A package is imported by its name, @language-ai/<name>, never by a path.",
  },
  {
    from: [""],
    to: ["@language-ai/*/"],
    because: "A package is imported through its entry, @language-ai/<name>, and nothing below it.",
  },
  {
    from: ["infra/packages/*/"],
    to: ["functions/", "shared/", "infra/", "test/"],
    own: "infra/packages/*/",
    except: [
      {
        from: "infra/packages/language-id-training/",
        to: "shared/models/language-id/",
        because: "The training trains this model.",
      },
      {
        from: "infra/packages/language-id-training/",
        to: "shared/models/source-language/",
        because: "The training trains this model, too.",
      },
      {
        from: "infra/packages/language-id-training/",
        to: "shared/models/spoken-language/",
        because: "The training trains the model of word order, and measures the judgement that uses it.",
      },
      {
        from: "infra/packages/language-id-training/",
        to: "shared/platform/catalogue/languages.ts",
        because: "The card lists the languages of translation, with those that are not measured.",
      },
      {
        from: "infra/packages/language-id-training/",
        to: "infra/command-line.ts",
        because: "Its commands read their options, and explain themselves, as all others do.",
      },
    ],
    because: "A package imports nothing by a path that leads out of it.",
  },
];

/** The rooms of `shared/`, from the bottom up, each with the rooms that it may import. */
export const rooms: RoomTable = {
  platform: [],
  audio: ["platform"],
  models: ["platform", "audio"],
  accounts: ["platform"],
  http: ["platform", "accounts"],
  pages: ["platform", "accounts", "http"],
  messaging: ["platform"],
  documents: ["platform", "models"],
  recordings: ["platform", "audio", "models", "accounts", "messaging", "documents"],
  wiring: ["platform", "audio", "models", "accounts", "http", "messaging", "documents", "recordings"],
};
