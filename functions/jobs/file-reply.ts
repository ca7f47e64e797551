import { attachmentNamed } from "../../shared/http/attachment.ts";
import { inOnePiece, Reply } from "../../shared/http/response.ts";
import type { WrittenResult } from "../../shared/recordings/jobs/get-result.ts";

/** Documents are sent as files, transcripts as text. */
export const fileReply = ({ contentType, fileName, body }: WrittenResult): Reply =>
  new Reply({
    contentType,
    headers: fileName === undefined ? {} : { "Content-Disposition": attachmentNamed(fileName) },
    body: typeof body === "string" ? body : inOnePiece(body),
  });
