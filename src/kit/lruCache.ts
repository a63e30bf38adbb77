import { LRUCache } from 'lru-cache'

/**
 * A cache of the `most` entries that were used last. It grows with its entries: the library reserves 25 bytes for each
 * entry of a `max` at once, 7 MB for the caches of a server that has no tags yet.
 */
export const createLruCache = <Key extends {}, Value extends {}>(most: number): LRUCache<Key, Value> =>
  new LRUCache<Key, Value>({ maxSize: most, sizeCalculation: () => 1 })
