import { badRequest, fault } from '#contract/fault.ts'
import { beyond } from '#kit/json.ts'

const deepest = 32
/** Far more than any operation takes. One level more than is allowed: what is at that level says where it stands. */
const bounds = { levels: deepest + 1, values: 50_000 }
const tooDeep = `is nested deeper than ${deepest} levels`
const tooLong = `holds more than ${bounds.values} values`
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * What no operation takes, wherever it stands; undefined where there is none. Stops at the limit, so that a bomb of
 * brackets costs no more than its bytes. Half a character (a lone surrogate) cannot be kept as it came.
 */
function flawIn(value: unknown, levels = deepest): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : 'holds half a character (a lone surrogate)'
  if (typeof value !== 'object' || value === null) return undefined
  if (levels === 0) return tooDeep
  for (const [name, each] of Object.entries(value)) {
    const flaw = flawIn(name) ?? flawIn(each, levels - 1)
    if (flaw) return flaw
  }
  return undefined
}

const notJson = () => fault('jsonBroken', { attributes: { issues: [{ path: '', message: 'is not JSON in UTF-8' }] } })

function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw notJson()
  }
}

/** The JSON of a body. Throws jsonBroken, and badRequest for more than 32 levels or 50,000 values, and for what is no text. */
export function readJson(bytes: Uint8Array): unknown {
  const text = textOf(bytes)
  const bound = beyond(text, bounds)
  if (bound) throw badRequest({ path: '', message: bound === 'levels' ? tooDeep : tooLong })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw notJson()
  }
  const flaw = flawIn(value)
  if (flaw) throw badRequest({ path: '', message: flaw })
  return value
}
