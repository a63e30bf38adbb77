import { type DeliveryStatus, statuses } from '#contract/deliveryStatus.ts'
import type { EventRow } from '#contract/journey.ts'
import { eventWords } from '#dashboard/words/en/events.ts'
import { statusWords } from '#dashboard/words/en/status.ts'
import { count } from '#dashboard/words/format.ts'
import { Id } from '../../parts/code.tsx'
import type { Column } from '../../parts/list.tsx'
import { Status, toneOf } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'

const words = eventWords.columns
export const eventColumns: readonly Column[] = [
  { name: 'event', label: words.event },
  { name: 'result', label: words.result },
  { name: 'id', label: words.id },
  { name: 'visitor', label: words.visitor },
  { name: 'time', label: words.time, isNumber: true },
]

/** The delivery statuses, those that need attention first. */
const order: readonly DeliveryStatus[] = ['dead', 'refused', 'pending', 'held', 'delivered', 'simulated', 'skipped']

function Counts({ of }: { of: Partial<Record<DeliveryStatus, number>> | undefined }) {
  return (
    <span class="counts">
      {order
        .filter((status) => of?.[status])
        .map((status) => (
          <Status key={status} of={status} text={`${count(of![status]!)} ${statusWords.status(status)}`} />
        ))}
    </span>
  )
}

/** The cells of an event, shared with the live list. */
export const eventCells = (row: EventRow) => [
  row.eventName,
  <Counts key="counts" of={row.counts} />,
  <Id key="id" of={row.eventId} />,
  <Id key="visitor" of={row.userId} />,
  <Time key="time" at={row.receivedAt} />,
]

/** A row has the tone of its worst delivery. */
export const eventTone = ({ counts }: EventRow) =>
  statuses.some((status) => counts?.[status] && toneOf(status) === 'bad') ? 'bad' : undefined
