import type { IncomingHttpHeaders } from 'node:http'
import type { CallTexts } from './textConsent.ts'
import { maxTextLength } from './textDecoders.ts'

/** The headers of a call with consent texts, such as `AgletTcString`. */
export type TextHeaders = Readonly<Record<'tcf' | 'gpp' | 'gppSections', string>>

export const textHeadersOf = (brand: string): TextHeaders => ({
  tcf: `${brand}TcString`.toLowerCase(),
  gpp: `${brand}GppString`.toLowerCase(),
  gppSections: `${brand}GppSections`.toLowerCase(),
})

/** Many banners store the TC string in this cookie. */
const cookieName = 'euconsent-v2='

/** A longer text cannot be read and is not stored with the event. */
const bounded = (text: string) => (text.length > maxTextLength ? '' : text)

/** The consent texts in the headers (for servers) and the banner's cookie of a call. Undefined without one. */
export function callTextsOf(headers: IncomingHttpHeaders, names: TextHeaders): CallTexts[] | undefined {
  const { [names.tcf]: tcf, [names.gpp]: gpp, [names.gppSections]: sections, cookie } = headers
  const hasHeader = typeof tcf === 'string' || typeof gpp === 'string'
  const hasCookie = cookie?.includes(cookieName)
  if (!hasHeader && !hasCookie) return undefined
  const found: CallTexts[] = []
  if (hasHeader)
    found.push({
      ...(typeof tcf === 'string' && { tcf: bounded(tcf) }),
      ...(typeof gpp === 'string' && {
        gpp: bounded(gpp),
        ...(typeof sections === 'string' && readSections(sections)),
      }),
    })
  const own = hasCookie ? cookieText(cookie!) : undefined
  if (own !== undefined) found.push({ tcf: bounded(own) })
  return found.length > 0 ? found : undefined
}

const readSections = (text: string) => ({
  gppSections: text.split(/[,_]/, 40).flatMap((id) => (/^ *-?\d{1,3} *$/.test(id) ? Number(id) : [])),
})

/** The value of the banner's cookie. The first one counts, because browsers send the more specific path first. */
function cookieText(cookie: string): string | undefined {
  for (const part of cookie.split(';')) {
    const pair = part.trimStart()
    if (pair.startsWith(cookieName)) return pair.slice(cookieName.length).trimEnd()
  }
  return undefined
}
