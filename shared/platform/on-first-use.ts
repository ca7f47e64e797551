/**
 * Returns a function that creates a value when it is first called, and the same one after that: for what few requests need and a start
 * would pay for. The first use of `Intl` alone costs 15 to 25 ms of CPU, as much as half a start of an empty function.
 */
export const onFirstUse = <Value>(create: () => Value): (() => Value) => {
  let created: { readonly value: Value } | undefined;
  return () => {
    created ??= { value: create() };
    return created.value;
  };
};
