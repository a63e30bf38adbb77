import { ago, clock, moment } from '#dashboard/words/format.ts'
import { now, zone } from '../data/signal.ts'

type TimeFormat = 'clock' | 'moment' | 'ago'

/** A time in the chosen zone; its title is ISO 8601 in UTC. */
export function Time({ at, format = 'moment' }: { at: number; format?: TimeFormat }) {
  const iso = new Date(at).toISOString()
  const text =
    format === 'ago'
      ? ago(at, now.value)
      : format === 'clock'
        ? clock(at, zone.value.value)
        : moment(at, zone.value.value)
  return (
    <time dateTime={iso} title={iso}>
      {text}
    </time>
  )
}
