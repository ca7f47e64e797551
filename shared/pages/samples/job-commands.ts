/** Commands that guides explain, and that pages of the console show. `{{baseUrl}}` stands for the address of the service. */

/** Uploads a recording, after `TOKEN=…`. */
export const recordingUpload = String.raw`API={{baseUrl}}
UPLOAD=$(curl -s $API/tasks/generate-upload-url -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \
  -d "{\"file_name\": \"recording.wav\", \"content_type\": \"audio/wav\", \"size\": $(wc -c < recording.wav | tr -d ' ')}")
UPLOAD_URL=$(echo "$UPLOAD" | sed 's/.*"upload_url":"\([^"]*\)".*/\1/')
FILE_ID=$(echo "$UPLOAD" | sed 's/.*"file_id":"\([^"]*\)".*/\1/')
curl -s -X PUT "$UPLOAD_URL" -H 'Content-Type: audio/wav' -T recording.wav`;

/** Creates a job that transcribes the upload. */
export const transcriptionJob = String.raw`JOB=$(curl -s $API/tasks/jobs -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \
  -d "{\"type\": \"transcription\", \"file_id\": \"$FILE_ID\", \"language\": \"lug\"}" \
  | sed 's/.*"id":"\([^"]*\)".*/\1/')`;

/** Translates files, after `TOKEN=…` and `API=…`. */
export const fileTranslation = String.raw`printf '1\n00:00:01,000 --> 00:00:02,500\nThank you\n' > film.srt
printf 'msgid ""\nmsgstr "Language: lg\\n"\n\nmsgid "Thank you"\nmsgstr ""\n' > app.po

translate_file() {
  UPLOAD=$(curl -s $API/tasks/generate-upload-url -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \
    -d "{\"file_name\": \"$1\", \"content_type\": \"application/octet-stream\", \"size\": $(wc -c < $1 | tr -d ' ')}")
  UPLOAD_URL=$(echo "$UPLOAD" | sed 's/.*"upload_url":"\([^"]*\)".*/\1/')
  FILE_ID=$(echo "$UPLOAD" | sed 's/.*"file_id":"\([^"]*\)".*/\1/')
  curl -s -X PUT "$UPLOAD_URL" -H 'Content-Type: application/octet-stream' -T $1
  JOB=$(curl -s $API/tasks/jobs -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \
    -d "{\"type\": \"translation\", \"file_id\": \"$FILE_ID\", \"source_language\": \"eng\", \"target_language\": \"lug\"}" \
    | sed 's/.*"id":"\([^"]*\)".*/\1/')
  STATUS=queued
  while [ "$STATUS" = queued ] || [ "$STATUS" = running ]; do
    sleep 1
    STATUS=$(curl -s $API/tasks/jobs/$JOB -H "Authorization: Bearer $TOKEN" | sed 's/.*"status":"\([^"]*\)".*/\1/')
  done
  curl -s -OJ $API/tasks/jobs/$JOB/result -H "Authorization: Bearer $TOKEN"
}

translate_file film.srt
translate_file app.po
translate_file leaflet.docx
cat film.lug.srt app.lug.po
ls leaflet.lug.docx`;
