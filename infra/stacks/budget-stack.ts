import { Stack, type StackProps } from "aws-cdk-lib";
import { CfnBudget } from "aws-cdk-lib/aws-budgets";
import type { Construct } from "constructs";

export interface BudgetStackProps extends StackProps {
  readonly stageName: string;
  /** US dollars a month. */
  readonly dollars: number;
  /** The address that gets the mails. */
  readonly address: string;
}

/**
 * The budget of a stage. AWS Budgets counts an account's costs in all regions, but CloudFormation has its resources in some regions
 * only, us-east-1 among them.
 */
export class BudgetStack extends Stack {
  /** It counts the resources with the stage's tag, which must be activated once as a cost allocation tag of the account. */
  constructor(scope: Construct, id: string, { stageName, dollars, address, ...props }: BudgetStackProps) {
    super(scope, id, props);
    const notify = (notificationType: "ACTUAL" | "FORECASTED", threshold: number) => ({
      notification: {
        notificationType,
        comparisonOperator: "GREATER_THAN",
        threshold,
        thresholdType: "PERCENTAGE",
      },
      subscribers: [{ subscriptionType: "EMAIL", address }],
    });
    new CfnBudget(this, "Budget", {
      budget: {
        budgetType: "COST",
        timeUnit: "MONTHLY",
        budgetLimit: { amount: dollars, unit: "USD" },
        costFilters: { TagKeyValue: [`user:stage$${stageName}`] },
      },
      notificationsWithSubscribers: [notify("ACTUAL", 80), notify("FORECASTED", 100)],
    });
  }
}
