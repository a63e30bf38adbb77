import { EventData, EventItem, EventPayload, EventResult } from '#contract/event.ts'
import type { TObject } from '#contract/schema.ts'
import { standardEvents } from '#contract/standardEvents.ts'
import { type StandardKey, userFields } from '#contract/standardKeys.ts'
import { wellKnownEvents } from '#contract/wellKnownEvents.ts'

type Shape = { type?: string; anyOf?: Shape[]; items?: Shape; enum?: readonly string[]; description?: string }
type Row = readonly string[]

function typeName({ type, anyOf, items, enum: choices }: Shape): string {
  if (anyOf) return anyOf.map(typeName).join(' or ')
  if (choices) return choices.map((choice) => `\`${choice}\``).join(', ')
  if (type === 'array') return `array of ${typeName(items ?? {})}s`
  return type ?? 'object'
}

/** One row per field of a schema: name, type, whether it is required, description. */
const fieldRows = (schema: TObject): Row[] =>
  Object.entries(schema.properties as unknown as Record<string, Shape>).map(([name, shape]) => [
    `\`${name}\``,
    typeName(shape),
    schema.required?.includes(name) ? 'yes' : '',
    shape.description ?? '',
  ])

const dataDescription = 'what happened, see below'

const userFieldDescriptions: Partial<Record<StandardKey, string>> = {
  email: 'e-mail of the user; it may also stand in `data`, as the fields below',
  customerId: 'id of the customer in the shop’s own system',
}

/** The top-level fields of an event, including the user's fields. */
export const topRows = (): Row[] => [
  ...fieldRows(EventPayload as unknown as TObject)
    .filter(([name]) => name !== '`userEmail`')
    .map((row) => (row[0] === '`data`' ? [row[0], 'object', '', dataDescription] : row)),
  ...userFields.map(([key, field]) => [
    `\`${field}\``,
    'string',
    '',
    userFieldDescriptions[key] ?? `the user’s \`${key}\``,
  ]),
  ['`ip`', 'string', '', 'IP address of the visitor; only a trusted call may set it'],
]

export const dataRows = (): Row[] => fieldRows(EventData as unknown as TObject)
export const itemRows = (): Row[] => fieldRows(EventItem as unknown as TObject)
export const resultRows = (): Row[] => fieldRows(EventResult as unknown as TObject)

export const wellKnownEventRows = (): Row[] =>
  Object.entries(wellKnownEvents).map(([name, others]) => [
    `\`${name}\``,
    others.map((other) => `\`${other}\``).join(', '),
  ])

export const standardEventRows = (): Row[] =>
  Object.entries(standardEvents).map(([name, required]) => [
    `\`${name}\``,
    required.map((key) => `\`data.${key}\``).join(', ') || 'nothing',
  ])
