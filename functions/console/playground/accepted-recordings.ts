/**
 * The files that are accepted as recordings, as the `accept` attribute of a file picker. Phones hide what it does not list, and know
 * some files only as films.
 */
export const acceptedRecordings =
  "audio/*,video/mp4,video/quicktime,video/3gpp,video/3gpp2,video/webm,video/x-matroska,.m4a,.mp4,.mov,.3gp,.webm,.mka,.mkv,.opus,.oga,.flac,.amr,.aif,.aiff,.au,.caf,.w64";
