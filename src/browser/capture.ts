import type { CaptureRule } from '#contract/edge.ts'
import type { Kept } from './page.ts'

/** provider → name → value */
export type Captured = Record<string, Record<string, string>>

/** Where a rule may look. */
export type Sources = { search: string; cookies: string; local: Kept; session: Kept }

/** What a rule finds now, each by its own name. */
export const capture = (rule: CaptureRule, from: Sources): [string, string][] =>
  pairsOf(rule, from).filter(([, value]) => value)

function pairsOf({ type, key, location }: CaptureRule, from: Sources): [string, string][] {
  if (type === 'query') return [[key, new URLSearchParams(from.search).get(key) ?? '']]
  if (location === 'local' || location === 'session') return [[key, from[location].get(key) ?? '']]
  const [before = '', after] = key.split('*')
  const isMeant = (name: string) =>
    after === undefined
      ? name === key
      : name.length > before.length + after.length && name.startsWith(before) && name.endsWith(after)
  return cookiesIn(from.cookies).filter(([name]) => isMeant(name))
}

/** The pairs of `document.cookie`. What is not percent-encoded as it should be stays as it is. */
export function cookiesIn(text: string): [string, string][] {
  return text.split(/; */).flatMap((pair): [string, string][] => {
    const at = pair.indexOf('=')
    return at > 0 ? [[pair.slice(0, at), decoded(pair.slice(at + 1))]] : []
  })
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
