import { attachmentNamed } from "../../shared/http/attachment.ts";
import { inOnePiece, Reply } from "../../shared/http/response.ts";
import type { WrittenResult } from "../../shared/recordings/jobs/result-query.ts";

/** Documents and speech are sent as files, transcripts as text. */
export const fileReply = ({ contentType, fileName, body }: WrittenResult): Reply =>
  new Reply({
    contentType,
    headers: fileName === undefined ? {} : { "Content-Disposition": attachmentNamed(fileName) },
    body: body instanceof Uint8Array ? inOnePiece(body) : body,
  });
