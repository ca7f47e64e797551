/** Where in an assembly a value stands; names the culprit when it cannot be read. */
export interface Site {
  readonly stackName: string;
  readonly logicalId: string;
}

/** Something that is served depends on a construct that has no local meaning. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";

  constructor(site: Site, problem: string) {
    super(`${site.logicalId} (stack ${site.stackName}) ${problem}.`);
  }
}
