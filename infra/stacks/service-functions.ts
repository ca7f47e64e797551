import { RemovalPolicy } from "aws-cdk-lib";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { Construct } from "constructs";
import type * as z from "zod";
import { authFunction } from "../../functions/auth/contract.ts";
import { authorizerFunction } from "../../functions/authorizer/contract.ts";
import { chatFunction } from "../../functions/chat/contract.ts";
import { docsFunction } from "../../functions/docs/contract.ts";
import { languageFunction } from "../../functions/language/contract.ts";
import { mailFunction } from "../../functions/mail/contract.ts";
import { translateFunction } from "../../functions/translate/contract.ts";
import type { FunctionDefinition } from "../../shared/config/function-definition.ts";
import { acknowledge } from "../constructs/acknowledge.ts";
import {
  mailSenderBinding,
  plainBinding,
  queueBinding,
  secretBinding,
  tableBinding,
} from "../constructs/bindings.ts";
import { type EnvironmentBindings, ServiceFunction } from "../constructs/service-function.ts";
import type { StageSettings } from "../stage-settings.ts";
import type { DataStack } from "./data-stack.ts";

export interface ServiceFunctionsProps {
  readonly stage: StageSettings;
  readonly data: DataStack;
  /** The folder that holds a bundle for each function, under the function's name. */
  readonly bundles: string;
  /** Where callers reach the service; no slash at the end. */
  readonly publicBaseUrl: string;
}

/** Every function of the service with what it may touch: the one place where both are decided. */
export class ServiceFunctions extends Construct {
  readonly all: readonly ServiceFunction[];
  readonly authorizer: ServiceFunction;

  private readonly props: ServiceFunctionsProps;

  constructor(scope: Construct, id: string, props: ServiceFunctionsProps) {
    super(scope, id);
    this.props = props;
    const { stage, data, publicBaseUrl } = props;
    const { chat, translation } = stage.inference;

    this.authorizer = this.add(authorizerFunction, {
      TABLE_NAME: tableBinding(data.table, "read"),
      TOKEN_SECRET_ID: secretBinding(data.tokenSigningKey),
    });
    const mail = this.add(mailFunction, {
      TABLE_NAME: tableBinding(data.table, "read-write"),
      MAIL_FROM: mailSenderBinding(this, stage.mailFrom),
      PUBLIC_BASE_URL: plainBinding(publicBaseUrl),
    });
    this.feedFromMailQueue(mail);

    this.all = [
      this.authorizer,
      mail,
      this.add(authFunction, {
        TABLE_NAME: tableBinding(data.table, "read-write"),
        TOKEN_SECRET_ID: secretBinding(data.tokenSigningKey),
        MAIL_QUEUE_URL: queueBinding(data.mail.queue, "send"),
        TOKEN_LIFETIME_DAYS: plainBinding(stage.tokenLifetimeDays),
      }),
      this.add(chatFunction, {
        CHAT_BASE_URL: plainBinding(chat.baseUrl),
        CHAT_MODEL_14B: plainBinding(chat.models["14b"]),
        CHAT_MODEL_9B: plainBinding(chat.models["9b"]),
        CHAT_TIMEOUT_MS: plainBinding(chat.timeoutMilliseconds),
        INFERENCE_KEYS_SECRET_ID: secretBinding(data.inferenceKeys),
      }),
      this.add(docsFunction, {}),
      this.add(languageFunction, {}),
      this.add(translateFunction, {
        TRANSLATION_BASE_URL: plainBinding(translation.baseUrl),
        TRANSLATION_MODEL: plainBinding(translation.model),
        TRANSLATION_TIMEOUT_MS: plainBinding(translation.timeoutMilliseconds),
        INFERENCE_KEYS_SECRET_ID: secretBinding(data.inferenceKeys),
      }),
    ];
  }

  private add<Environment extends z.ZodRawShape>(
    definition: FunctionDefinition<Environment>,
    environment: EnvironmentBindings<NoInfer<Environment>>,
  ): ServiceFunction<Environment> {
    const { stage, bundles } = this.props;
    return new ServiceFunction(this, pascalCase(definition.name), {
      definition,
      environment,
      bundles,
      logRetention: stage.logRetention,
      logRemoval: stage.removal === "retain" ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
  }

  private feedFromMailQueue({ lambda }: ServiceFunction): void {
    lambda.addEventSource(
      new SqsEventSource(this.props.data.mail.queue, { batchSize: 10, reportBatchItemFailures: true }),
    );
    acknowledge(
      lambda,
      "Serverless-LambdaEventSourceMappingDestination",
      "A queue is no stream: what fails for good goes to the queue's dead-letter queue.",
    );
  }
}

/** A feature's name as constructs and outputs are named. */
export const pascalCase = (kebabCase: string): string =>
  kebabCase.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
