import type { TagEvent } from '#contract/event.ts'

/** The query of the page: from `search`, otherwise from `pageUrl`. If a name is repeated, the last value wins. */
export function pageQuery({ search, pageUrl }: Pick<TagEvent, 'search' | 'pageUrl'>): Record<string, string> {
  const query = search || (pageUrl && URL.parse(pageUrl)?.search) || ''
  return Object.fromEntries(new URLSearchParams(query))
}

export { percentDecoded } from '#contract/percentDecoded.ts'

/** The origin of a URL: `https://shop.example`. Undefined if the text is not a URL or has no origin. */
export const originOf = (url: string | undefined): string | undefined => {
  const origin = url && URL.parse(url)?.origin
  return origin && origin !== 'null' ? origin : undefined
}
