import { CfnOutput, Duration } from "aws-cdk-lib";
import {
  BasePathMapping,
  DomainName,
  EndpointType,
  SecurityPolicy,
  type SpecRestApi,
} from "aws-cdk-lib/aws-apigateway";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import {
  AllowedMethods,
  CachePolicy,
  Distribution,
  Function as EdgeFunction,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HttpVersion,
  OriginRequestPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from "aws-cdk-lib/aws-cloudfront";
import { FunctionUrlOrigin } from "aws-cdk-lib/aws-cloudfront-origins";
import type { FunctionUrl } from "aws-cdk-lib/aws-lambda";
import type { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import { originSecretHeader, viewerAddressHeader } from "../../shared/http/stream-domain.ts";
import type { StageSettings } from "../stage-settings.ts";
import { acknowledge } from "./acknowledge.ts";

/** A domain of the operator, with the certificate for it. */
export interface OwnDomain {
  readonly name: string;
  readonly certificateArn: string;
}

const ownDomain = (name: string | undefined, certificateArn: string | undefined): OwnDomain | undefined =>
  name === undefined || certificateArn === undefined ? undefined : { name, certificateArn };

/** The domain of a stage's API; `undefined` for the API's default address. */
export const apiDomainOf = (settings: StageSettings): OwnDomain | undefined =>
  ownDomain(settings.API_DOMAIN_NAME, settings.API_CERTIFICATE_ARN);

/** The domain of a stage's chat streams; `undefined` for the function's own address. */
export const streamDomainOf = (settings: StageSettings): OwnDomain | undefined =>
  ownDomain(settings.STREAM_DOMAIN_NAME, settings.STREAM_CERTIFICATE_ARN);

/** The address that callers of a stage use; `undefined` for the API's default address. */
export const publicBaseUrlOf = ({
  PUBLIC_BASE_URL,
  API_DOMAIN_NAME,
  API_BASE_PATH,
}: StageSettings): string | undefined =>
  PUBLIC_BASE_URL ?? (API_DOMAIN_NAME ? `https://${API_DOMAIN_NAME}${API_BASE_PATH}` : undefined);

export interface ApiDomainProps {
  readonly restApi: SpecRestApi;
  readonly domain: OwnDomain;
  /** Empty, or a segment that starts with a slash. */
  readonly basePath: string;
}

/** The API under the operator's domain. The outputs name the target of the domain's DNS record; the zone may be anywhere. */
export class ApiDomain extends Construct {
  constructor(scope: Construct, id: string, { restApi, domain, basePath }: ApiDomainProps) {
    super(scope, id);
    const domainName = new DomainName(this, "Name", {
      domainName: domain.name,
      certificate: Certificate.fromCertificateArn(this, "Certificate", domain.certificateArn),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    new BasePathMapping(this, "Mapping", {
      domainName,
      restApi,
      stage: restApi.deploymentStage,
      ...(basePath === "" ? {} : { basePath: basePath.slice(1) }),
    });
    new CfnOutput(this, "Target", {
      value: domainName.domainNameAliasDomainName,
      description: `The target of ${domain.name} in DNS: a CNAME, or an alias in the hosted zone of the next output.`,
    });
    new CfnOutput(this, "TargetHostedZone", {
      value: domainName.domainNameAliasHostedZoneId,
      description: `The hosted zone of the target of ${domain.name}, for an alias.`,
    });
  }
}

/**
 * The maximum without a higher quota. Streams are never silent that long: the chat function sends a comment every 15 seconds. A
 * whole response starts when the model has finished, so the stage's settings limit `CHAT_TIMEOUT_MS`.
 */
const originSilence = Duration.seconds(120);

export interface StreamDomainProps {
  readonly functionUrl: FunctionUrl;
  readonly domain: OwnDomain;
  readonly webAclArn: string | undefined;
  /** Proves to the function that a request came through the domain. */
  readonly originSecret: Secret;
}

/** What CloudFront runs for each request. A header of the same name that the caller sent is replaced. */
const addViewerAddress = `function handler(event) {
  event.request.headers["${viewerAddressHeader}"] = { value: event.viewer.ip };
  return event.request;
}`;

/**
 * The chat function's URL under the operator's domain, behind a CloudFront distribution that caches nothing and passes bytes on as
 * they come.
 *
 * There is no origin access control: it signs each request in the `Authorization` header, where callers send their tokens, and
 * requires a hash of each body, which no OpenAI client sends. A secret header proves that a request came through the domain; the
 * function refuses others. CloudFormation reads the secret for both when it deploys.
 */
export class StreamDomain extends Construct {
  /** The distribution's own address, which works before the DNS record exists. */
  readonly address: string;

  constructor(scope: Construct, id: string, props: StreamDomainProps) {
    super(scope, id);
    const { functionUrl, domain, webAclArn, originSecret } = props;
    const viewerAddress = new EdgeFunction(this, "ViewerAddress", {
      comment: "Adds the address of the caller for the chat function",
      code: FunctionCode.fromInline(addViewerAddress),
      runtime: FunctionRuntime.JS_2_0,
    });
    const distribution = new Distribution(this, "Distribution", {
      comment: "Streams of the chat function",
      domainNames: [domain.name],
      certificate: Certificate.fromCertificateArn(this, "Certificate", domain.certificateArn),
      minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
      httpVersion: HttpVersion.HTTP2_AND_3,
      ...(webAclArn === undefined ? {} : { webAclId: webAclArn }),
      defaultBehavior: {
        origin: new FunctionUrlOrigin(functionUrl, {
          readTimeout: originSilence,
          customHeaders: { [originSecretHeader]: originSecret.secretValue.unsafeUnwrap() },
        }),
        functionAssociations: [{ function: viewerAddress, eventType: FunctionEventType.VIEWER_REQUEST }],
        allowedMethods: AllowedMethods.ALLOW_ALL,
        cachePolicy: CachePolicy.CACHING_DISABLED,
        originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
        viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
        // Compression would hold bytes back until there are enough of them.
        compress: false,
      },
    });
    this.address = `https://${distribution.distributionDomainName}/`;
    acknowledgeFindings(distribution);
    new CfnOutput(this, "Target", {
      value: distribution.distributionDomainName,
      description: `The target of ${domain.name} in DNS (CNAME, or an alias of CloudFront).`,
    });
  }
}

const acknowledgeFindings = (distribution: Distribution): void => {
  acknowledge(distribution, "AwsSolutions-CFR1", "The service is for callers in all countries.");
  acknowledge(
    distribution,
    "AwsSolutions-CFR2",
    "The stage names the firewall's rules, which CloudFront requires in us-east-1.",
  );
  acknowledge(
    distribution,
    "AwsSolutions-CFR3",
    "The function logs a line for each request, with its account.",
  );
};
