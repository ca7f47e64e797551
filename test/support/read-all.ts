/** Everything that comes, in its order. */
export const readAll = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const read: Item[] = [];
  for await (const item of items) read.push(item);
  return read;
};
