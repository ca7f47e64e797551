import { CfnOutput, Stack } from "aws-cdk-lib";
import { EventBus } from "aws-cdk-lib/aws-events";
import {
  ConfigurationSet,
  ConfigurationSetTlsPolicy,
  DkimIdentity,
  EasyDkimSigningKeyLength,
  EmailIdentity,
  EmailSendingEvent,
  EventDestination,
  type IConfigurationSetRef,
  Identity,
  SuppressionReasons,
} from "aws-cdk-lib/aws-ses";
import { Construct } from "constructs";
import { addressOf, type StageSettings } from "../stage-settings.ts";
import { removalPolicy } from "./lifetime.ts";

export type MailSendingProps = Pick<StageSettings, "MAIL_FROM" | "MAIL_IDENTITY" | "REMOVAL">;

/** How SES sends the stage's mails and reports those that come back. */
export class MailSending extends Construct {
  readonly configurationSetName: string;

  constructor(scope: Construct, id: string, settings: MailSendingProps) {
    super(scope, id);
    const configurationSet = new ConfigurationSet(this, "Configuration", {
      // A mail carries a link that opens an account.
      tlsPolicy: ConfigurationSetTlsPolicy.REQUIRE,
      reputationMetrics: true,
      suppressionReasons: SuppressionReasons.BOUNCES_AND_COMPLAINTS,
    });
    configurationSet.addEventDestination("Feedback", {
      // Events of SES go to the account's default bus only.
      destination: EventDestination.eventBus(EventBus.fromEventBusName(this, "Bus", "default")),
      events: [EmailSendingEvent.BOUNCE, EmailSendingEvent.COMPLAINT],
    });
    this.configurationSetName = configurationSet.configurationSetName;
    if (settings.MAIL_IDENTITY === "create") {
      // CDK's class and interface differ under `exactOptionalPropertyTypes`, which CDK itself is not compiled with.
      this.createIdentity(settings, configurationSet as IConfigurationSetRef);
    }
  }

  /** Matches the events of this stage's mails; other stages of the account have other configuration sets. */
  get feedbackPattern() {
    return {
      source: ["aws.ses"],
      detailType: ["Email Bounced", "Email Complaint Received"],
      detail: { mail: { tags: { "ses:configuration-set": [this.configurationSetName] } } },
    };
  }

  private createIdentity(settings: MailSendingProps, configurationSet: IConfigurationSetRef): void {
    const address = addressOf(settings.MAIL_FROM);
    const domain = address.slice(address.indexOf("@") + 1);
    const bounces = `bounces.${domain}`;
    const identity = new EmailIdentity(this, "Identity", {
      identity: Identity.domain(domain),
      configurationSet,
      dkimIdentity: DkimIdentity.easyDkim(EasyDkimSigningKeyLength.RSA_2048_BIT),
      mailFromDomain: bounces,
    });
    identity.applyRemovalPolicy(removalPolicy(settings));
    const { region } = Stack.of(this);
    const records = [
      ...identity.dkimRecords.map(({ name, value }) => `${name} CNAME ${value}`),
      `${bounces} MX 10 feedback-smtp.${region}.amazonses.com`,
      `${bounces} TXT "v=spf1 include:amazonses.com ~all"`,
      `_dmarc.${domain} TXT "v=DMARC1; p=quarantine"`,
    ];
    records.forEach((value, index) => {
      new CfnOutput(Stack.of(this), `MailRecord${index + 1}`, {
        value,
        description: "A record for the DNS of the sender's domain.",
      });
    });
  }
}
