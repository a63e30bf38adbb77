import type { BrowserCaptureRule } from '#contract/edgeResponses.ts'
import { percentDecoded } from '#contract/percentDecoded.ts'
import type { KeyValueStorage } from './browserPage.ts'

/** provider → name → value */
export type CapturedByProvider = Record<string, Record<string, string>>

/** The sources of a rule. */
type CaptureSources = { search: string; cookies: string; local: KeyValueStorage; session: KeyValueStorage }

/** The values that a rule finds, by name. */
export const applyCaptureRule = (rule: BrowserCaptureRule, from: CaptureSources): [string, string][] =>
  findPairs(rule, from).filter(([, value]) => value)

function findPairs({ type, key, location }: BrowserCaptureRule, from: CaptureSources): [string, string][] {
  if (type === 'query') return [[key, new URLSearchParams(from.search).get(key) ?? '']]
  const storage: KeyValueStorage | undefined = from[location as 'local'] // undefined for cookies
  if (storage) return [[key, storage.get(key) ?? '']]
  const [before = '', after] = key.split('*')
  const isMeant = (name: string) =>
    after === undefined ? name === key : name.length >= key.length && name.startsWith(before) && name.endsWith(after)
  return parseCookies(from.cookies).filter(([name]) => isMeant(name))
}

/** The pairs of `document.cookie`. A value with invalid percent-encoding stays unchanged. */
export function parseCookies(text: string): [string, string][] {
  return text.split(/; */).flatMap((pair): [string, string][] => {
    const at = pair.indexOf('=')
    return at > 0 ? [[pair.slice(0, at), percentDecoded(pair.slice(at + 1))]] : []
  })
}
