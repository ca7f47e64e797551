import { CfnOutput, Duration } from "aws-cdk-lib";
import {
  BasePathMapping,
  DomainName,
  EndpointType,
  type RestApi,
  SecurityPolicy,
} from "aws-cdk-lib/aws-apigateway";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import {
  AllowedMethods,
  CachePolicy,
  Distribution,
  HttpVersion,
  OriginRequestPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from "aws-cdk-lib/aws-cloudfront";
import { FunctionUrlOrigin } from "aws-cdk-lib/aws-cloudfront-origins";
import type { FunctionUrl } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
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

/**
 * The API under a name of one's own, at the root or below a base path. The outputs say what the name's record in DNS has to
 * point to; the zone may be anywhere.
 */
export class ApiDomain extends Construct {
  constructor(
    scope: Construct,
    id: string,
    {
      restApi,
      domain,
      basePath,
    }: { readonly restApi: RestApi; readonly domain: OwnDomain; readonly basePath: string },
  ) {
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
      description: `What ${domain.name} points to: a CNAME, or an alias in the hosted zone of the next output.`,
    });
    new CfnOutput(this, "TargetHostedZone", {
      value: domainName.domainNameAliasHostedZoneId,
      description: `The hosted zone of what ${domain.name} points to, for an alias.`,
    });
  }
}

/** Below the longest silence of the chat function, which sends a comment every 15 seconds. */
const originSilence = Duration.seconds(60);

/**
 * The chat function's own address under a name of one's own: CloudFront in front of it, which caches nothing and passes bytes
 * on as they come.
 *
 * Without origin access control: that signs each request in the `Authorization` header, which is where callers' tokens are, and
 * asks of them a hash of each body that no OpenAI client sends. The function checks tokens and limits itself, so that who goes
 * around the name gains nothing but to miss the firewall.
 */
export class StreamDomain extends Construct {
  constructor(
    scope: Construct,
    id: string,
    {
      functionUrl,
      domain,
      webAclArn,
    }: {
      readonly functionUrl: FunctionUrl;
      readonly domain: OwnDomain;
      readonly webAclArn: string | undefined;
    },
  ) {
    super(scope, id);
    const distribution = new Distribution(this, "Distribution", {
      comment: "Streams of the chat function",
      domainNames: [domain.name],
      certificate: Certificate.fromCertificateArn(this, "Certificate", domain.certificateArn),
      minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
      httpVersion: HttpVersion.HTTP2_AND_3,
      ...(webAclArn === undefined ? {} : { webAclId: webAclArn }),
      defaultBehavior: {
        origin: new FunctionUrlOrigin(functionUrl, { readTimeout: originSilence }),
        allowedMethods: AllowedMethods.ALLOW_ALL,
        cachePolicy: CachePolicy.CACHING_DISABLED,
        originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
        viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
        // What is packed cannot be passed on before enough of it has come.
        compress: false,
      },
    });
    acknowledge(distribution, "AwsSolutions-CFR1", "The service is for everybody, wherever they are.");
    acknowledge(
      distribution,
      "AwsSolutions-CFR2",
      "A stage names the firewall's rules for it, which CloudFront wants in us-east-1.",
    );
    acknowledge(
      distribution,
      "AwsSolutions-CFR3",
      "The function writes a line for each request, with its account.",
    );
    new CfnOutput(this, "Target", {
      value: distribution.distributionDomainName,
      description: `What ${domain.name} points to (CNAME, or an alias of CloudFront).`,
    });
  }
}
