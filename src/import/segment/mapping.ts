import { note } from '../importDraft.ts'
import type { Note } from '../importResult.ts'
import { isObject, member } from '../json.ts'

/** Paths that every destination suggests: the channel fills these fields by itself. */
const usual =
  /^\$\.(?:event|messageId|timestamp|receivedAt|userId|anonymousId|type|name|traits|properties|context)(?:\.|$)/

/** True for a mapping that a channel makes by itself: a path of the message, and the first of several such paths. */
function isUsual(mapping: unknown, depth = 0): boolean {
  if (depth > 10) return false
  if (!isObject(mapping))
    return ['string', 'number', 'boolean'].includes(typeof mapping) || mapping === null || Array.isArray(mapping)
  const path = member(mapping, '@path')
  if (typeof path === 'string') return usual.test(path)
  const condition = member(mapping, '@if')
  if (isObject(condition))
    return ['exists', 'blank', 'then', 'else'].every((name) => isUsual(member(condition, name) ?? null, depth + 1))
  if (Array.isArray(member(mapping, '@arrayPath'))) return true
  const names = Object.keys(mapping)
  return names.every((name) => !name.startsWith('@')) && names.every((name) => isUsual(mapping[name], depth + 1))
}

/** A note about the fields of a subscription that are filled by a template, a case or another function. */
export function defaultMappingDifference(settings: unknown): Note | undefined {
  if (!isObject(settings)) return undefined
  const fields = Object.keys(settings).filter((name) => !isUsual(settings[name]))
  const text = `Check these fields, which it fills in a way of its own: ${fields.join(', ').slice(0, 300)}.`
  return fields.length === 0 ? undefined : note('needsDecision', text, 'DYNAMIC_VALUE')
}
