/** What this service is called, and the version of the API that it serves, wherever it introduces itself. */
export const service = { name: "Language AI Service", apiVersion: "2.1" } as const;
