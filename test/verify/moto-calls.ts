/** Calls to moto, which checks no signature but reads from it which service is called, and where. */

const region = "us-east-1";

const headers = (service: string) => ({
  Authorization: `AWS4-HMAC-SHA256 Credential=local/20260101/${region}/${service}/aws4_request, SignedHeaders=host, Signature=0`,
});

const textOf = async (response: Response, operation: string): Promise<string> => {
  const text = await response.text();
  if (!response.ok) throw new Error(`${operation}: ${response.status} ${text.slice(0, 400)}`);
  return text;
};

/** An operation of a service that speaks XML. @returns the raw response. @throws Error when it is refused. */
export const callQuery = async (
  endpoint: string,
  service: string,
  Action: string,
  parameters: Readonly<Record<string, string>>,
): Promise<string> =>
  textOf(
    await fetch(endpoint, {
      method: "POST",
      headers: headers(service),
      body: new URLSearchParams({ Action, ...parameters }),
    }),
    Action,
  );

/** An operation of a service that speaks JSON. @throws Error when it is refused. */
export const callJson = async (
  endpoint: string,
  service: string,
  target: string,
  input: object,
): Promise<unknown> =>
  JSON.parse(
    await textOf(
      await fetch(endpoint, {
        method: "POST",
        headers: {
          ...headers(service),
          "Content-Type": "application/x-amz-json-1.1",
          "X-Amz-Target": target,
        },
        body: JSON.stringify(input),
      }),
      target,
    ),
  );

/** Stores an object, or without a key makes a bucket. */
export const putObject = async (
  endpoint: string,
  bucket: string,
  key = "",
  body: Uint8Array<ArrayBuffer> | string = "",
): Promise<void> => {
  await textOf(
    await fetch(`${endpoint}/${bucket}/${key}`, { method: "PUT", headers: headers("s3"), body }),
    `PUT ${bucket}/${key}`,
  );
};

/** An operation of a service whose resources are addresses. @throws Error when it is refused. */
export const callAddress = async (
  endpoint: string,
  service: string,
  method: "GET" | "POST" | "PUT",
  path: string,
  input?: unknown,
): Promise<unknown> =>
  JSON.parse(
    await textOf(
      await fetch(`${endpoint}${path}`, {
        method,
        headers: { ...headers(service), "Content-Type": "application/json" },
        ...(input === undefined ? {} : { body: JSON.stringify(input) }),
      }),
      `${method} ${path.slice(0, 80)}`,
    ),
  );
