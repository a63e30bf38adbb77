import { badRequest, fault } from '#contract/fault.ts'

const deepest = 32
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * What no operation takes, wherever it stands; undefined where there is none. Stops at the limit, so that a bomb of
 * brackets costs no more than its bytes. Half a character (a lone surrogate) cannot be kept as it came.
 */
function flawIn(value: unknown, levels = deepest): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : 'holds half a character (a lone surrogate)'
  if (typeof value !== 'object' || value === null) return undefined
  if (levels === 0) return `is nested deeper than ${deepest} levels`
  for (const [name, each] of Object.entries(value)) {
    const flaw = flawIn(name) ?? flawIn(each, levels - 1)
    if (flaw) return flaw
  }
  return undefined
}

/** The JSON of a body. Throws jsonBroken, and badRequest for what is nested deeper than 32 levels or no text. */
export function readJson(bytes: Uint8Array): unknown {
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(bytes))
  } catch {
    throw fault('jsonBroken', { attributes: { issues: [{ path: '', message: 'is not JSON in UTF-8' }] } })
  }
  const flaw = flawIn(value)
  if (flaw) throw badRequest({ path: '', message: flaw })
  return value
}
