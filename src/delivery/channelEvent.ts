import { eventLimits } from '#event/eventLimits.ts'
import { identityOf } from '#provider/engine/identity.ts'
import type { RawPerson } from '#provider/form/person.ts'
import { rulesOf } from '#rule/compileRules.ts'
import type { SnapshotScript } from '#script/snapshot.ts'
import type { AttemptResult } from './attemptResult.ts'
import type { OutboundEvent } from './outboundEvents.ts'

/** The event as the rules of a channel change it, or the result of a delivery that they end. */
export function applyChannelRules(outgoing: OutboundEvent, script: SnapshotScript): OutboundEvent | AttemptResult {
  const rules = rulesOf(script)
  if (!rules) return outgoing
  const { event, person, identity, kind } = outgoing
  if (kind === undefined && rules.nameOf(event.eventName) === null) return { status: 'skipped', reason: 'filtered' }
  const mapped = rules.map(event, person, eventLimits)
  if (mapped.refusedBy !== undefined) return { status: 'dead', reason: 'payloadRefused' }
  const isSame = mapped.person === person
  return {
    ...outgoing,
    event: mapped.event,
    person: mapped.person as RawPerson,
    identity: isSame ? identity : identityOf(mapped.person as RawPerson),
  }
}
