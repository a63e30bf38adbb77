import type { TagEvent } from '#contract/event.ts'

/** The query of the page: from `search`, else from `pageUrl`. The last one of a repeated name wins. */
export function pageQuery({ search, pageUrl }: Pick<TagEvent, 'search' | 'pageUrl'>): Record<string, string> {
  const query = search || (pageUrl && URL.parse(pageUrl)?.search) || ''
  return Object.fromEntries(new URLSearchParams(query))
}

/** A text that may be percent-encoded, such as a cookie; unchanged where it is not valid percent-encoding. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The origin of a URL: `https://shop.example`; undefined where the text is no URL or has none. */
export const originOf = (url: string | undefined): string | undefined => {
  const origin = url && URL.parse(url)?.origin
  return origin && origin !== 'null' ? origin : undefined
}
