import { isDeepStrictEqual } from 'node:util'
import type { AuditState } from '#store/store.ts'

/** Longer texts are cut: a change of many scripts must not store their texts twice more. */
const maxTextLength = 200

const cutTexts = (state: object): AuditState =>
  JSON.parse(JSON.stringify(state), (_, value: unknown) =>
    typeof value === 'string' && value.length > maxTextLength ? `${value.slice(0, maxTextLength)}…` : value,
  ) as AuditState

/** The members of a state that are absent or different in the other state. */
const withoutEqual = (state: object, other: object): object =>
  Object.fromEntries(
    Object.entries(state).filter(([name, value]) => !isDeepStrictEqual(value, other[name as keyof typeof other])),
  )

/** The states of an object before and after a change, as audited: for a changed object, only the differences. */
export function auditStates({ before, after }: { before?: AuditState | undefined; after?: AuditState | undefined }) {
  return {
    ...(before && { before: cutTexts(after ? withoutEqual(before, after) : before) }),
    ...(after && { after: cutTexts(before ? withoutEqual(after, before) : after) }),
  }
}
