/** Returns the `Content-Disposition` of a file: its name in ASCII, and in full for clients that know RFC 6266. */
export const attachmentNamed = (name: string): string => {
  const plain = name.replaceAll(/[^\w. -]/g, "_");
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name).replaceAll("'", "%27")}`;
};
