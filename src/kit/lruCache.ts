import { LRUCache } from 'lru-cache'

/**
 * A cache of the `most` most recently used entries. Its memory grows with its entries: with `max`, the library reserves
 * 25 bytes for each possible entry at once, 7 MB for the caches of a server that has no tags yet.
 */
export const createLruCache = <Key extends {}, Value extends {}>(most: number): LRUCache<Key, Value> =>
  new LRUCache<Key, Value>({ maxSize: most, sizeCalculation: () => 1 })
