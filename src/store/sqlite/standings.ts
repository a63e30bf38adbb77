import { statuses } from '#contract/outcome.ts'
import type { DeliveryFilter } from '#store/found.ts'
import type { Read } from './read.ts'

const nextScript = 'SELECT min(script) AS script FROM delivery WHERE tag = ? AND script > ?'
const first = 'SELECT reason FROM delivery WHERE tag = ? AND script = ? AND status = ? ORDER BY reason LIMIT 1'
const nextReason =
  'SELECT min(reason) AS reason FROM delivery WHERE tag = ? AND script = ? AND status = ? AND reason > ?'

/** Steps from one script of the tag to the next in the index, instead of reading what lies between them. */
function scriptsOf(read: Read, tag: number): number[] {
  const scripts: number[] = []
  for (let script = read.one(nextScript, tag, 0)?.script; script != null; ) {
    scripts.push(Number(script))
    script = read.one(nextScript, tag, Number(script))?.script
  }
  return scripts
}

function reasonsOf(read: Read, tag: number, script: number, status: string): (string | null)[] {
  const reasons: (string | null)[] = []
  for (let row = read.one(first, tag, script, status); row; ) {
    const reason = row.reason === null ? null : String(row.reason)
    reasons.push(reason)
    const next = read.one(nextReason, tag, script, status, reason ?? '')
    row = next && next.reason !== null ? next : undefined
  }
  return reasons
}

/** The ways in which deliveries of a tag stand, by script, as far as the filter lets them. */
export function standings(
  read: Read,
  tag: number,
  { scriptId, statuses: wanted = statuses, reasons }: DeliveryFilter,
): [script: number, status: string, reason: string | null][] {
  const ofOne = () => Number(read.one('SELECT no FROM ref WHERE id = ?', scriptId!)?.no ?? 0)
  const scripts = scriptId === undefined ? scriptsOf(read, tag) : [ofOne()]
  return scripts.flatMap((script) =>
    wanted.flatMap((status) =>
      reasonsOf(read, tag, script, status)
        .filter((reason) => reasons?.some((each) => each === reason) ?? true)
        .map((reason): [number, string, string | null] => [script, status, reason]),
    ),
  )
}
