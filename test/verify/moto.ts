import { CreateEmailIdentityCommand, SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import { createTransport } from "nodemailer";
import * as z from "zod";
import { openMailQueue } from "../../shared/accounts/mail/mail-queue.ts";
import { readAwsConfig } from "../../shared/platform/config/environment.ts";
import { createSecretReader } from "../../shared/platform/config/secrets.ts";
import { openAwsJsonService } from "../../shared/platform/outbound/aws-json.ts";
import { openLightTable } from "../../shared/platform/storage/light-table.ts";
import { createS3Links } from "../../shared/platform/storage/s3-links.ts";
import { notCreated } from "./adapt-template.ts";
import { tablePaths, tableTests } from "./dynamodb-local.ts";
import { type DeployedStack, deployStage, motoGaps } from "./moto-stacks.ts";
import { compareFindings, type Part, type Verdict } from "./run-parts.ts";
import { templateSources, withTemplates } from "./templates.ts";
import { runTestsElsewhere } from "./tests-elsewhere.ts";
import { type OtherServer, pinnedVersion, pythonTool, runToEnd, startServer } from "./tools.ts";

const bucketPaths = ["shared/platform/storage", "functions/speech"];

const startMoto = async (): Promise<OtherServer> =>
  startServer(await pythonTool("python"), (port) => ["test/verify/moto-server.py", String(port)]);

const mustBe = (what: string, found: unknown, wanted: unknown): void => {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) {
    throw new Error(`${what}: ${JSON.stringify(found)} in place of ${JSON.stringify(wanted)}.`);
  }
};

const received = z.object({ Messages: z.array(z.object({ Body: z.string() })) });

/** The service's own code on what a stage's stacks have made. */
const useDeployed = async (endpoint: string, { outputs }: DeployedStack): Promise<void> => {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const aws = readAwsConfig({
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  });
  const output = (name: string) => outputs.get(name) ?? `no output ${name}`;

  const table = openLightTable(output("TableName"), aws);
  const key = { PK: "VERIFY#1", SK: "ITEM" };
  await table.put({ ...key, words: ["Nkulamusizza"] });
  mustBe("An item of the table", (await table.read({ Key: key }))?.["words"], ["Nkulamusizza"]);

  const readSecret = createSecretReader(openAwsJsonService("SecretsManager", aws));
  mustBe("The signing key's length", (await readSecret(output("TokenSigningKeyArn")))?.length, 64);
  mustBe("Its version before", await readSecret(output("TokenSigningKeyArn"), "AWSPREVIOUS"), undefined);
  mustBe("The models' keys", await readSecret(output("InferenceKeysArn")), "{}");

  const queueUrl = output("MailQueueUrl");
  const requests = [1, 2].map((userId) => ({ kind: "verify-email" as const, userId }));
  for (const request of requests) await openMailQueue(queueUrl, aws).send(request);
  const response = await openAwsJsonService("SQS", aws).call("ReceiveMessage", {
    QueueUrl: queueUrl,
    MaxNumberOfMessages: 10,
  });
  const bodies = received.parse(response).Messages.map(({ Body }): unknown => JSON.parse(Body));
  mustBe("What waits in the mail queue", bodies, requests);

  const store = createS3Links(output("AudioBucketName"), aws);
  const upload = await store.signUpload("uploads/verify.wav", { contentType: "audio/wav", size: 4 });
  const headers = { "Content-Type": "audio/wav" };
  const stored = await fetch(upload.url, { method: "PUT", headers, body: "RIFF" });
  mustBe("The status of an upload", stored.status, 200);
  const download = await store.signDownload("uploads/verify.wav", {
    contentType: "audio/wav",
    fileName: "verify.wav",
  });
  mustBe("The bytes behind its link", await (await fetch(download.url)).text(), "RIFF");

  const sesClient = new SESv2Client({ endpoint, region: aws.region, credentials });
  try {
    await sesClient.send(new CreateEmailIdentityCommand({ EmailIdentity: "no-reply@example.com" }));
    const transport = createTransport({ SES: { sesClient, SendEmailCommand } });
    const mail = {
      from: "no-reply@example.com",
      to: "nakato@example.com",
      subject: "Ŋŋaali",
      text: "Webale",
    };
    const { messageId } = await transport.sendMail(mail);
    if (!messageId) throw new Error("A mail that was sent has no id.");
  } finally {
    sesClient.destroy();
  }
};

/** A second CloudFormation makes the stacks, and the service's own code uses what it has made. */
export const motoStacksPart: Part = {
  name: "moto: the stacks through CloudFormation",
  paths: [...templateSources, "test/verify/moto-stacks.ts", "test/verify/adapt-template.ts"],
  run: async () => {
    const types = await runToEnd(await pythonTool("python"), ["test/verify/moto-types.py"]);
    const makes = z.array(z.string()).parse(JSON.parse(types.output));
    const server = await startMoto();
    try {
      return await withTemplates(async (stages) => {
        const gaps = compareFindings(motoGaps(stages, makes), notCreated, "");
        if (gaps.kind !== "passed") return gaps;
        const said: string[] = [];
        // prod alone has the names of prod with every option.
        for (const stage of stages.filter((_, index) => index !== 1)) {
          const stacks = await deployStage(server.endpoint, stage);
          const [data] = stacks;
          if (data) await useDeployed(server.endpoint, data);
          said.push(`${stage.stage} with ${stacks.reduce((sum, { created }) => sum + created, 0)} resources`);
        }
        return { kind: "passed", said: `${await pinnedVersion("moto")} makes ${said.join(" and ")}` };
      });
    } finally {
      await server.stop();
    }
  },
};

const noSignatures = "moto checks no signature, so it takes what a link was not signed for";
const noMissing = "moto returns 403 for an object that a signed link names and that does not exist";

/** Our tests that moto fails, with the reason why moto is wrong. */
const explainedTable = {
  "a link to reset-password has worked when only the response of the table was lost":
    "moto does not know a transaction again by its ClientRequestToken, as DynamoDB and DynamoDB Local do",
};
const explainedBucket = {
  "an upload link accepts a file of its own content type, for 30 minutes": noSignatures,
  "an upload link for a length takes this length and no other, and not a body that does not say its length":
    noSignatures,
  "a download link returns the object under a name, and 404 when there is none": noMissing,
  "speech as a stream with a link is stored under the link by the time it has come to its end": noMissing,
  "speech as a stream with a link leaves nothing when the server breaks off after 1 MiB, and the link returns 404":
    noMissing,
  "speech as a stream with a link leaves nothing when the server breaks off after 12 MiB, and the link returns 404":
    noMissing,
  "speech as a stream with a link leaves nothing when the caller goes away after 1 MiB": noMissing,
  "speech as a stream with a link leaves nothing when the caller goes away after 12 MiB": noMissing,
  "speech that is encoded while it leaves breaks off when the server does, and nothing stays stored: mp3":
    noMissing,
  "speech that is encoded while it leaves breaks off when the server does, and nothing stays stored: opus":
    noMissing,
};

const explainedService = {
  "POST /tasks/generate-upload-url returns a link that accepts exactly the requested size": noSignatures,
  "POST /tasks/generate-upload-url returns a link that accepts no other content type, and no other file":
    noSignatures,
  "DELETE /auth/me deletes the account for good: no token, no password and no link opens anything": noMissing,
};

const onMoto = async (use: (server: OtherServer, said: string) => Promise<Verdict>): Promise<Verdict> => {
  const server = await startMoto();
  try {
    return await use(server, await pinnedVersion("moto"));
  } finally {
    await server.stop();
  }
};

/** A second DynamoDB under the tests of the table. */
export const motoTablePart: Part = {
  name: "moto: the tests of the table",
  paths: tablePaths,
  run: () =>
    onMoto((server, said) =>
      runTestsElsewhere({
        project: "integration",
        files: tableTests,
        variables: { VERIFY_ENDPOINT_DYNAMODB: server.endpoint },
        explained: explainedTable,
        said,
      }),
    ),
};

/** A second S3 under the tests of the bucket. */
export const motoBucketPart: Part = {
  name: "moto: the tests of the bucket",
  paths: bucketPaths,
  run: () =>
    onMoto((server, said) =>
      runTestsElsewhere({
        project: "integration",
        files: ["object-store", "speech"],
        variables: { VERIFY_ENDPOINT_S3: server.endpoint },
        explained: explainedBucket,
        said,
      }),
    ),
};

/** The whole local service on a second DynamoDB and a second S3. */
export const motoServicePart: Part = {
  name: "moto: the service's accounts, limits and uploads",
  paths: [...tablePaths, ...bucketPaths, "functions/auth", "functions/upload"],
  run: () =>
    onMoto((server, said) =>
      runTestsElsewhere({
        project: "conformance",
        files: ["accounts", "account-deletion", "limits", "uploads"],
        variables: { VERIFY_ENDPOINT_DYNAMODB: server.endpoint, VERIFY_ENDPOINT_S3: server.endpoint },
        explained: explainedService,
        said,
      }),
    ),
};
