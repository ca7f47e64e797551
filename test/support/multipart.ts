/** A multipart form as it goes over the wire. */
export interface EncodedForm {
  readonly body: Buffer;
  readonly headers: { readonly "Content-Type": string };
}

/** What a field of a form may be in a test; a list sends the field several times. */
export type FormValue = string | File | readonly (string | File)[] | undefined;

/** A file of a form, with any name and type that a client may send. */
export const formFile = (content: Buffer | string, name = "recording.wav", type = "audio/wav"): File =>
  new File([content], name, { type });

/** A form with these fields, in their order. */
export const formData = (fields: Readonly<Record<string, FormValue>>): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of [value].flat()) if (one !== undefined) form.append(name, one);
  }
  return form;
};

/** A form as the body of a request, as Node's own client writes it. */
export const encodeForm = async (fields: Readonly<Record<string, FormValue>>): Promise<EncodedForm> => {
  const response = new Response(formData(fields));
  return {
    body: Buffer.from(await response.arrayBuffer()),
    headers: { "Content-Type": response.headers.get("content-type") ?? "" },
  };
};

/** The fields of a form that was received. */
export const decodeForm = async (
  body: Buffer,
  contentType: string | undefined,
): Promise<ReadonlyMap<string, string | File>> =>
  new Map(await new Response(body, { headers: { "Content-Type": contentType ?? "" } }).formData());
