import { closestName } from './closestName.ts'
import { isRecord } from './isRecord.ts'
import type { TSchema } from './schema.ts'

type Shape = {
  type?: string
  properties?: Record<string, Shape>
  items?: Shape
  anyOf?: readonly Shape[]
}

/** The maximum number of warnings for one body, and of quoted characters of a name. */
const maxWarnings = 10
const maxName = 60

/** The fields of objects of this schema. Undefined if it accepts any field, as an event does. */
function fieldsOf({ properties }: Shape): Record<string, Shape> | undefined {
  const isFree = !properties || Object.keys(properties).length === 0 || 'eventName' in properties
  return isFree ? undefined : properties
}

function* unknownFields(shape: Shape, value: unknown): Generator<string> {
  if (shape.anyOf) {
    for (const each of shape.anyOf) yield* unknownFields(each, value)
  } else if (shape.items && Array.isArray(value)) {
    for (const each of value) yield* unknownFields(shape.items, each)
  } else if (isRecord(value)) {
    const fields = fieldsOf(shape)
    if (!fields) return
    for (const [name, member] of Object.entries(value)) {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      if (field) yield* unknownFields(field, member)
      else yield sentenceOf(name.slice(0, maxName), Object.keys(fields))
    }
  }
}

function sentenceOf(name: string, known: readonly string[]): string {
  const meant = closestName(name, known)
  return `${JSON.stringify(name)} is not a field here and was ignored${meant ? `; did you mean ${meant}?` : ''}`
}

/** A warning for each field of a valid body that is not in its schema, with the nearest name. */
export const unknownFieldWarnings = (schema: TSchema, body: unknown): string[] => [
  ...new Set(unknownFields(schema as Shape, body).take(maxWarnings)),
]
