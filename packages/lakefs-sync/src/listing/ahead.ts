/**
 * Asks for the next item before the one at hand is used, so that the server makes one page while this side reads
 * another. Who stops early leaves one item that was asked for in vain.
 */
export async function* ahead<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  let coming = iterator.next();
  for (;;) {
    const item = await coming;
    if (item.done === true) return;
    coming = iterator.next();
    // Its failure is thrown where it is awaited; nobody may be there any more.
    coming.catch(() => undefined);
    yield item.value;
  }
}
