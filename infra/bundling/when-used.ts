/**
 * Stands for a schema, which is made when something is first asked of it. `postponeSchemas` puts it around schemas in bundles;
 * the sources know nothing of it.
 */
export const whenUsed = <Schema extends object>(make: () => Schema): Schema => {
  let built: Schema | undefined;
  const schema = (): Schema => {
    built ??= make();
    return built;
  };
  return new Proxy<Schema>(Object.create(null), {
    get: (_stand, name) => Reflect.get(schema(), name),
    set: (_stand, name, value) => Reflect.set(schema(), name, value),
    has: (_stand, name) => Reflect.has(schema(), name),
    getPrototypeOf: () => Reflect.getPrototypeOf(schema()),
  });
};
