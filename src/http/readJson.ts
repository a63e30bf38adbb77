import { badRequest, fault } from '#contract/fault.ts'
import { exceededBound } from '#kit/json.ts'

const maxDepth = 32
/** More than any operation needs. One level above the maximum, so that `findFlaw` reports that case. */
const bounds = { levels: maxDepth + 1, values: 20_000 }
/** Each member of an open object is checked separately. */
const maxMembers = 2_000
const tooDeep = `is nested deeper than ${maxDepth} levels`
const tooWide = `contains an object with more than ${maxMembers} members`
const tooLong = `contains more than ${bounds.values} values`
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The first issue that no operation accepts; undefined if there is none. Stops at the maximum depth, so that deep nesting
 * costs no more than its bytes. Lone surrogates are refused, because UTF-8 cannot represent them.
 */
function findFlaw(value: unknown, levels = maxDepth): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : 'contains an unpaired surrogate'
  if (typeof value !== 'object' || value === null) return undefined
  if (levels === 0) return tooDeep
  const entries = Object.entries(value)
  if (entries.length > maxMembers && !Array.isArray(value)) return tooWide
  for (const [name, each] of entries) {
    const issue = findFlaw(name) ?? findFlaw(each, levels - 1)
    if (issue) return issue
  }
  return undefined
}

const notJson = () => fault('jsonBroken', { attributes: { issues: [{ path: '', message: 'is not JSON in UTF-8' }] } })

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw notJson()
  }
}

/**
 * Parses a body. Throws jsonBroken, and badRequest for more than 32 levels, 20,000 values or 2,000 members of
 * an object, and for lone surrogates.
 */
export function readJson(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes)
  const bound = exceededBound(text, bounds)
  if (bound) throw badRequest({ path: '', message: bound === 'levels' ? tooDeep : tooLong })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw notJson()
  }
  const issue = findFlaw(value)
  if (issue) throw badRequest({ path: '', message: issue })
  return value
}
