import { ago, clock, moment } from '#dashboard/words/format.ts'
import { now, zone } from '../data/signal.ts'

type Look = 'clock' | 'moment' | 'ago'

/** A time in the chosen zone; its title is ISO 8601 in UTC. */
export function Time({ at, look = 'moment' }: { at: number; look?: Look }) {
  const iso = new Date(at).toISOString()
  const text =
    look === 'ago' ? ago(at, now.value) : look === 'clock' ? clock(at, zone.value.value) : moment(at, zone.value.value)
  return (
    <time dateTime={iso} title={iso}>
      {text}
    </time>
  )
}
