import { statuses } from '#contract/deliveryStatus.ts'
import type { DeliveryFilter } from '#store/deliveryQueries.ts'
import type { SqlReader } from './sqlReader.ts'

const nextScript = 'SELECT min(script) AS script FROM delivery WHERE tag = ? AND script > ?'
const selectFirstReason =
  'SELECT reason FROM delivery WHERE tag = ? AND script = ? AND status = ? ORDER BY reason LIMIT 1'
const nextReason =
  'SELECT min(reason) AS reason FROM delivery WHERE tag = ? AND script = ? AND status = ? AND reason > ?'

/** A loose index scan: seeks from one script of the tag to the next. */
function scriptNumbers(read: SqlReader, tag: number): number[] {
  const scripts: number[] = []
  for (let script = read.one(nextScript, tag, 0)?.script; script != null; ) {
    scripts.push(Number(script))
    script = read.one(nextScript, tag, Number(script))?.script
  }
  return scripts
}

function findReasons(read: SqlReader, tag: number, script: number, status: string): (string | null)[] {
  const reasons: (string | null)[] = []
  for (let row = read.one(selectFirstReason, tag, script, status); row; ) {
    const reason = row.reason === null ? null : String(row.reason)
    reasons.push(reason)
    const next = read.one(nextReason, tag, script, status, reason ?? '')
    row = next && next.reason !== null ? next : undefined
  }
  return reasons
}

/** The combinations of script, status and reason of a tag's deliveries that match the filter. */
export function scanStatuses(
  read: SqlReader,
  tag: number,
  { scriptId, statuses: wantedStatuses = statuses, reasons }: DeliveryFilter,
): [script: number, status: string, reason: string | null][] {
  const findScriptNumber = () => Number(read.one('SELECT no FROM ref WHERE id = ?', scriptId!)?.no ?? 0)
  const scripts = scriptId === undefined ? scriptNumbers(read, tag) : [findScriptNumber()]
  return scripts.flatMap((script) =>
    wantedStatuses.flatMap((status) =>
      findReasons(read, tag, script, status)
        .filter((reason) => reasons?.some((each) => each === reason) ?? true)
        .map((reason): [number, string, string | null] => [script, status, reason]),
    ),
  )
}
