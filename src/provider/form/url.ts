import type { TagEvent } from '#contract/event.ts'

type Page = Pick<TagEvent, 'search' | 'pageUrl'>
const queries = new WeakMap<Page, Readonly<Record<string, string>>>()

/**
 * The query of the page: from `search`, otherwise from `pageUrl`. If a name is repeated, the last value wins. The query of a
 * frozen event is parsed once for all channels.
 */
export function pageQuery(event: Page): Readonly<Record<string, string>> {
  const known = queries.get(event)
  if (known) return known
  const { search, pageUrl } = event
  const text = search || (pageUrl && URL.parse(pageUrl)?.search) || ''
  const query = Object.freeze(Object.fromEntries(new URLSearchParams(text)))
  if (Object.isFrozen(event)) queries.set(event, query)
  return query
}

export { percentDecoded } from '#contract/percentDecoded.ts'

/** The origin of a URL: `https://shop.example`. Undefined if the text is not a URL or has no origin. */
export const originOf = (url: string | undefined): string | undefined => {
  const origin = url && URL.parse(url)?.origin
  return origin && origin !== 'null' ? origin : undefined
}
