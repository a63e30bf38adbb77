import { jsonOf } from '#contract/jsonOf.ts'

const mostDepth = 4
/** A shorter id matches only as a whole JSON value: a price or a count may be equal to it. */
const leastLoose = 5
const partOfId = /[\p{L}\p{N}_-]/u

/** Whether the text contains the id, not as part of a longer one. */
function hasId(text: string, id: string): boolean {
  const isPartAt = (at: number) => partOfId.test(text.charAt(at))
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1))
    if (!isPartAt(at - 1) && !isPartAt(at + id.length)) return true
  return false
}

const base64 = /^[A-Za-z0-9+/_-]{24,}={0,2}$/

/** The strings in a value; a base64 string is also decoded. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsIn)
  if (typeof value !== 'string') return [String(value)]
  if (!base64.test(value)) return [value]
  try {
    return [value, atob(value.replaceAll('-', '+').replaceAll('_', '/'))]
  } catch {
    return [value]
  }
}

type Names = (value: unknown) => boolean

/** How a part may name the event, most certain first. */
const waysOf = (id: string): Names[] => {
  const exact: Names = (value) => JSON.stringify(value)?.includes(JSON.stringify(id)) ?? false
  const forms = [...new Set([id, encodeURIComponent(id)])]
  const loose: Names = (value) => textsIn(value).some((text) => forms.some((form) => hasId(text, form)))
  return id.length < leastLoose ? [exact] : [exact, loose]
}

type Found = { list: unknown[]; own: unknown[] }

/** The first list in which some values, but not all, name the event. */
function findIn(value: unknown, names: Names, depth = 0): Found | undefined {
  if (typeof value !== 'object' || value === null || depth > mostDepth) return undefined
  if (Array.isArray(value)) {
    const own = value.filter(names)
    if (own.length > 0 && own.length < value.length) return { list: value, own }
  }
  for (const each of Object.values(value)) {
    const found = findIn(each, names, depth + 1)
    if (found) return found
  }
  return undefined
}

/** The end of the last complete value in a truncated JSON text, and the brackets that are open there. */
function lastWhole(text: string): { end: number; open: string } {
  let [whole, open, isText, isEscaped] = [{ end: 0, open: '' }, '', false, false]
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!
    if (isText) {
      isText = sign !== '"' || isEscaped
      if (!isText && open.startsWith(']')) whole = { end: at + 1, open }
      isEscaped = sign === '\\' && !isEscaped
    } else if (sign === '"') isText = true
    else if (sign === '{' || sign === '[') open = (sign === '{' ? '}' : ']') + open
    else if (sign === '}' || sign === ']') {
      open = open.slice(1)
      whole = { end: at + 1, open }
    }
  }
  return whole
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value, undefined, 2))

/** A body as lists and values: JSON, truncated JSON, or lines. */
function read(body: string): { value: unknown; isLines?: true } {
  const value = jsonOf(body)
  if (value !== undefined) return { value }
  const lines = body.split('\n').filter((line) => line.trim() !== '')
  if (lines.length > 1) return { value: lines.map((line) => jsonOf(line) ?? line), isLines: true }
  const { end, open } = lastWhole(body)
  return { value: jsonOf(body.slice(0, end) + open) }
}

/**
 * The part of a body about one event; undefined if the body has only that event or does not name it. `ids`: the ids of
 * the event, most certain first. An event may have several entries.
 */
export function batchPartOf(body: string, ids: readonly string[]): string | undefined {
  const { value, isLines } = read(body)
  for (const names of ids.flatMap(waysOf)) {
    const found = findIn(value, names)
    if (!found) continue
    const { list, own } = found
    if (isLines && list === value) return own.map(textOf).join('\n')
    list.splice(0, list.length, ...own)
    return textOf(value)
  }
  return undefined
}
