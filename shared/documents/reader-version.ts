/**
 * The version of the readers of documents. It rises with every change of which passages a document has: plans of jobs and stored
 * replies number them. Those of the first version do not say it.
 */
export const readerVersion = 5;
