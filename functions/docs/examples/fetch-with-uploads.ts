/** A request can have 4.4 MB, including the other fields of its form. */
const maxBytesInRequest = 4_000_000;

/**
 * A `fetch` for OpenAI clients that lets them send recordings of up to 100 MB: it uploads a large file through a link and puts
 * its `file_id` into the request. It needs no packages: copy it into your program. A key needs the scopes `upload` and
 * `transcribe`.
 *
 *     new OpenAI({ baseURL: `${api}/v1`, apiKey, fetch: fetchWithUploads })
 *
 * If the API or the storage refuses, the client gets that response and throws its own error.
 */
export const fetchWithUploads = async (
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<Response> => {
  const { body: form, headers, signal = null } = init;
  const file = form instanceof FormData ? form.get("file") : null;
  if (!(form instanceof FormData && file instanceof File) || file.size <= maxBytesInRequest) {
    return fetch(input, init);
  }
  const contentType = file.type || "application/octet-stream";
  const address = input instanceof Request ? input.url : input;

  const created = await fetch(new URL("../../tasks/generate-upload-url", address), {
    method: "POST",
    headers: {
      Authorization: new Headers(headers).get("Authorization") ?? "",
      "Content-Type": "application/json",
    },
    body: JSON.stringify({ file_name: file.name, content_type: contentType, size: file.size }),
    signal,
  });
  if (!created.ok) return created;
  const link: { upload_url: string; file_id: string } = JSON.parse(await created.text());

  const stored = await fetch(link.upload_url, {
    method: "PUT",
    headers: { "Content-Type": contentType },
    body: file,
    signal,
  });
  if (!stored.ok) return stored;

  // This changes the client's own form, so a retry does not upload the file again.
  form.delete("file");
  form.set("file_id", link.file_id);
  return fetch(input, init);
};
