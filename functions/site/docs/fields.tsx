import { Fragment, type VNode } from "preact";
import { Prose } from "../../../shared/pages/view/prose.tsx";
import type { FieldRow } from "./describe-fields.ts";
import type { ReferenceOperation } from "./reference.ts";

/** A name with its path, which breaks before a dot if it fits then. */
const FieldName = ({ name }: { readonly name: string }) => (
  <code>
    {name.split(/(?=\.)/).map((part, index) => (
      <Fragment key={index}>
        {index > 0 && <wbr />}
        {part}
      </Fragment>
    ))}
  </code>
);

/** Fields of a request, whose callers must know what to send, or of a response. */
export const Fields = ({
  title,
  rows,
  isSent = false,
}: {
  readonly title: string;
  readonly rows: readonly FieldRow[];
  readonly isSent?: boolean;
}): VNode | null =>
  rows.length === 0 ? null : (
    <>
      <h3>{title}</h3>
      <dl class="fields">
        {rows.map(({ name, type, isRequired, description }) => (
          <div key={name}>
            <dt>
              <FieldName name={name} />{" "}
              <span>
                <Prose text={type} />
              </span>{" "}
              {isSent && (isRequired ? <span class="required">required</span> : <span>optional</span>)}
            </dt>
            <dd>
              <Prose text={description} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );

/** The errors of an operation. */
export const Errors = ({ errors }: Pick<ReferenceOperation, "errors">): VNode => (
  <dl class="fields">
    {errors.map(({ code, status, sentence }) => (
      <div key={code}>
        <dt>
          <span class="badge bad method">{status}</span> <code>{code}</code>
        </dt>
        <dd>
          <Prose text={sentence} />
        </dd>
      </div>
    ))}
  </dl>
);
