import { AppError } from "../errors/app-error.ts";

/** A failure of the object store as one of our errors; what is one already stays as it is. */
export const storageFailure = (thrown: unknown): AppError =>
  thrown instanceof AppError ? thrown : new AppError("storage_unavailable", { cause: thrown });

/** Carries out a call to the object store. @throws AppError `storage_unavailable`. */
export const callStore = async <Result>(call: () => Promise<Result>): Promise<Result> => {
  try {
    return await call();
  } catch (error) {
    throw storageFailure(error);
  }
};
