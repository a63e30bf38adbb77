import { createLruCache } from '#kit/lruCache.ts'

/**
 * Longer URLs are not cached. Most channels call one short URL; URLs with values of the event are longer, or all
 * different.
 */
const longest = 1_024
const maxParsed = 1_000

const parse = cachedUrls((text) => new URL(text))

/** The host and port of a URL. Empty if the text is not a URL. */
export function hostOf(url: string): string {
  try {
    return parse(url).host
  } catch {
    return ''
  }
}

/** Caches the last parsed URLs. `parse` may throw. Callers must not change the URLs. */
export function cachedUrls(parse: (text: string) => URL): (text: string) => URL {
  const known = createLruCache<string, URL>(maxParsed)
  return (text) => {
    const found = known.get(text)
    if (found) return found
    const url = parse(text)
    if (text.length <= longest) known.set(text, url)
    return url
  }
}
