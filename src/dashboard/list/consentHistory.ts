import type { UserRecord } from '#contract/userRecord.ts'

type EventOfUser = UserRecord['events'][number]

/** A consent that a visitor's events carried, and the first event that carried it. */
export type ConsentChange = {
  at: number
  eventId: string
  eventName: string
  answers: Readonly<Record<string, unknown>>
}

const answersOf = ({ consent }: EventOfUser): Readonly<Record<string, unknown>> | undefined =>
  consent && { ...consent.consentCategories, ...consent.consent }

/** The order of names does not matter. */
const textOf = (answers: object) => JSON.stringify(Object.entries(answers).sort())

/** Each consent that differs from the previous one, newest first. `events` are newest first, and may be incomplete. */
export function consentHistory(events: readonly EventOfUser[]): ConsentChange[] {
  const changes: ConsentChange[] = []
  for (const event of events.toReversed()) {
    const answers = answersOf(event)
    const last = changes.at(-1)
    if (!answers || (last && textOf(last.answers) === textOf(answers))) continue
    changes.push({ at: event.receivedAt, eventId: event.eventId, eventName: event.eventName, answers })
  }
  return changes.toReversed()
}
