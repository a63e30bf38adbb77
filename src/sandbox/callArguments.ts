import { exceededBound } from '#kit/json.ts'
import { isShallow } from './runResult.ts'
import type { SandboxLimits } from './sandboxLimits.ts'

type ArgumentLimits = Pick<SandboxLimits, 'depth' | 'callValues' | 'runValues' | 'runLength'>

/**
 * Reads the arguments of the calls of one run on the main thread. Counts brackets and commas before parsing, because a
 * text with many values takes twenty times as long as one of the same length with few. Throws an error for the code.
 */
export function openArguments({
  depth,
  callValues,
  runValues,
  runLength,
}: ArgumentLimits): (text: string) => unknown[] {
  let values = 0
  let length = 0
  return (text) => {
    length += text.length
    if (length > runLength) throw new Error('The arguments of all calls of a run must be at most 4 MiB')
    // Two levels more than an event: the list of arguments, and a list of events in it.
    const bounds = { levels: depth + 2, values: Math.min(callValues, runValues - values) }
    const exceeded = exceededBound(text, bounds)
    if (exceeded === 'levels') throw new Error(`The arguments of a call must be nested at most ${depth} levels deep`)
    if (exceeded)
      throw new Error(`The arguments must have at most ${callValues} values per call and ${runValues} values per run`)
    const given = JSON.parse(text) as unknown
    if (!Array.isArray(given) || !isShallow(given, bounds.levels))
      throw new Error('The arguments of a call must be a list')
    values += countValues(text)
    return given
  }
}

/** The values of a JSON text, counted as in `exceededBound`, or slightly more: also counts commas in strings. */
function countValues(text: string): number {
  let count = 1
  for (let at = text.indexOf(','); at >= 0; at = text.indexOf(',', at + 1)) count++
  return count
}
