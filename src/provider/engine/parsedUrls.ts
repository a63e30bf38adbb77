import { LRUCache } from 'lru-cache'

/** Most channels call one address: it is parsed once. The addresses with an event's values are longer, or differ. */
const longest = 1_024
const maxParsed = 1_000

const parse = cachedUrls((text) => new URL(text))

/** The host and port of an address; empty where the text is none. */
export function hostOf(url: string): string {
  try {
    return parse(url).host
  } catch {
    return ''
  }
}

/** The URL of a text by `parse`, which may throw. The last ones are remembered: nobody may change them. */
export function cachedUrls(parse: (text: string) => URL): (text: string) => URL {
  const known = new LRUCache<string, URL>({ max: maxParsed })
  return (text) => {
    const found = known.get(text)
    if (found) return found
    const url = parse(text)
    if (text.length <= longest) known.set(text, url)
    return url
  }
}
