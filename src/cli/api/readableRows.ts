import type { Deployment, DeploymentChanges } from '#contract/deployment.ts'
import type { EventRow } from '#contract/journey.ts'
import type { Script } from '#contract/script.ts'

type Row = Readonly<Record<string, unknown>>
const iso = (ms: number) => new Date(ms).toISOString()

const describeStopped = ({ reason, since, nextAt }: NonNullable<Script['stopped']>) =>
  `${reason} since ${iso(since)}, next try ${iso(nextAt)}`

/** `settings: gpc; changed Warehouse: geoRegions; added Klaviyo`. */
const describeChanges = ({ settings, scripts }: DeploymentChanges) =>
  [
    ...(settings.length > 0 ? [`settings: ${settings.join(', ')}`] : []),
    ...scripts.map(
      ({ change, name, fields }) => `${change} ${name}${change === 'changed' ? `: ${fields.join(', ')}` : ''}`,
    ),
  ].join('; ')

/** `1 delivered, 2 skipped`. */
const describeCounts = (counts: NonNullable<EventRow['counts']>) =>
  Object.entries(counts)
    .map(([status, count]) => `${count} ${status}`)
    .join(', ')

/** A row of a response, with nested members as readable text. */
function toReadableRow(row: Row): Row {
  const { stopped, counts, changes } = row as Pick<Script, 'stopped'> &
    Pick<EventRow, 'counts'> &
    Partial<Pick<Deployment, 'changes'>>
  return {
    ...row,
    ...(stopped && { stopped: describeStopped(stopped) }),
    ...(counts && { counts: describeCounts(counts) }),
    ...(changes && { changes: describeChanges(changes) }),
  }
}

/** A response for a table, with readable rows. */
export function toReadable(answer: Row): Record<string, unknown> {
  const lists = ['scripts', 'events', 'deployments'].flatMap((name) => {
    const rows = answer[name]
    return Array.isArray(rows) ? [[name, rows.map((row) => toReadableRow(row as Row))] as const] : []
  })
  return { ...toReadableRow(answer), ...Object.fromEntries(lists) }
}
