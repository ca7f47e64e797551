/** The storage's response: status and S3's error code, or `OK`. */
export const fetchOutcome = async (url: string, init?: RequestInit): Promise<string> => {
  const response = await fetch(url, init);
  return `${response.status} ${/<Code>(.*?)<\/Code>/.exec(await response.text())?.[1] ?? "OK"}`;
};
