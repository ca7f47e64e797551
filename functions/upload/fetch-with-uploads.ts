/** A request takes 4.4 MB, with the other fields of its form. */
const maxRequestBytes = 4_000_000;

/**
 * A `fetch` for clients of the OpenAI API, so that their users give them recordings of up to 100 MB: a large file is uploaded
 * through a link, and the request names it by its `file_id`. It needs no package; copy it into your program. A key needs the
 * scope `upload` besides `transcribe`.
 *
 *     new OpenAI({ baseURL: `${api}/v1`, apiKey, fetch: fetchWithUploads })
 *
 * What the API or the storage refuses is given to the client as the answer, which makes an error of its own of it.
 */
export const fetchWithUploads = async (
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<Response> => {
  const { body: form, headers, signal = null } = init;
  const file = form instanceof FormData ? form.get("file") : null;
  if (!(form instanceof FormData && file instanceof File) || file.size <= maxRequestBytes) {
    return fetch(input, init);
  }
  const contentType = file.type || "application/octet-stream";
  const address = input instanceof Request ? input.url : input;

  const requested = await fetch(new URL("../../tasks/generate-upload-url", address), {
    method: "POST",
    headers: {
      Authorization: new Headers(headers).get("Authorization") ?? "",
      "Content-Type": "application/json",
    },
    body: JSON.stringify({ file_name: file.name, content_type: contentType, size: file.size }),
    signal,
  });
  if (!requested.ok) return requested;
  const link: { upload_url: string; file_id: string } = JSON.parse(await requested.text());

  const headersOfUpload = { "Content-Type": contentType };
  const stored = await fetch(link.upload_url, {
    method: "PUT",
    headers: headersOfUpload,
    body: file,
    signal,
  });
  if (!stored.ok) return stored;

  // The client's own form, so that a second try of the same request does not upload the file again.
  form.delete("file");
  form.set("file_id", link.file_id);
  return fetch(input, init);
};
