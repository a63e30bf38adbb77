import type { EventData } from '#contract/event.ts'
import { personFields } from './person.ts'

const personalFields = new Set(personFields)

/** An event's data without the fields that identify the person (`userEmail`, …) and without the fields in `used`. */
export const remainingData = (data: EventData = {}, ...used: readonly (keyof EventData)[]): EventData =>
  Object.fromEntries(Object.entries(data).filter(([key]) => !personalFields.has(key) && !used.includes(key)))
