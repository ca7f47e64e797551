import { ArnFormat, Stack } from "aws-cdk-lib";
import { ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { CfnSubscriptionFilter, FilterPattern } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { hasRequestsOfAccounts } from "../../functions/request-log/contract.ts";
import type { LogEvent } from "../../shared/platform/telemetry/log-events.ts";
import type { ServiceFunction } from "./service-function.ts";

/** The last line of a request, if it names an account. */
const lastLines = FilterPattern.all(
  FilterPattern.stringValue("$.message", "=", "request.answered" satisfies LogEvent),
  FilterPattern.numberValue("$.account_id", ">", 0),
);

export interface RequestLogFeedProps {
  readonly functions: readonly ServiceFunction[];
  readonly destination: ServiceFunction;
  /** The beginning of the names of the log groups. */
  readonly logGroups: string;
}

/**
 * Sends the last log lines of accounts' requests to a function: CloudWatch does it, free of charge, so no request waits. There is one
 * subscription for each function that accounts call, and one permission for all, because the resources of a stack are limited.
 */
export class RequestLogFeed extends Construct {
  constructor(scope: Construct, id: string, { functions, destination, logGroups }: RequestLogFeedProps) {
    super(scope, id);
    const stack = Stack.of(this);
    destination.alias.addPermission("Permission", {
      principal: new ServicePrincipal("logs.amazonaws.com"),
      sourceArn: stack.formatArn({
        service: "logs",
        resource: "log-group",
        resourceName: `${logGroups}-*:*`,
        arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      }),
      sourceAccount: stack.account,
      scope: this,
    });
    for (const { definition, lambda, node } of functions) {
      if (!hasRequestsOfAccounts(definition)) continue;
      // Not `SubscriptionFilter`, which adds a permission for each.
      const subscription = new CfnSubscriptionFilter(this, node.id, {
        logGroupName: lambda.logGroup.logGroupName,
        destinationArn: destination.alias.functionArn,
        filterPattern: lastLines.logPatternString,
      });
      // CloudWatch invokes the function when it is subscribed.
      subscription.node.addDependency(this.node.findChild("Permission"));
    }
  }
}
