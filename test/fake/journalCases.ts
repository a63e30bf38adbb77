import type { deliveryRows } from '#contract/delivery.ts'
import type { FaultName } from '#contract/fault.ts'
import { newId } from '#kit/id.ts'
import { type Asked, ask, type Control, type Customer, makeEvent, type Told } from './control.ts'

type Id = keyof typeof deliveryRows | 'listEvents' | 'readEvent'
type Cases = {
  /** What each operation is asked so that it is done. */
  good: Record<Id, () => Asked>
  /** One case for each fault that a row names as its own. */
  own: Record<Id, Partial<Record<FaultName, () => Promise<Told>>>>
  /** What is answered of another team's. */
  theirs: Record<Id, FaultName>
}

/** The cases of the operations that read the journal. A stream that is answered does not end: its 200 is tested by itself. */
export async function journalCases(control: Control, customer: Customer): Promise<Cases> {
  const { tagId } = customer
  const eventId = await makeEvent(control, customer, 'an event/é')
  const call = (id: Id, asked: Asked) => ask(control, id, customer, asked)
  const own = (id: Id) => ({ tagUnknown: () => call(id, { values: { tagId: newId('tag', 0), eventId } }) })
  /** Ten are watching, and an eleventh comes. */
  async function eleventh(): Promise<Told> {
    const ended = new AbortController()
    const url = `/v1/tag/${tagId}/live`
    const headers = { authorization: `Bearer ${customer.token}`, 'team-id': customer.teamId }
    const watch = () => control.app.inject({ url, headers, payloadAsStream: true, signal: ended.signal })
    await Promise.all(Array.from({ length: 10 }, watch))
    return call('watchDeliveries', { values: { tagId } }).finally(() => ended.abort())
  }
  return {
    good: {
      listEvents: () => ({ values: { tagId } }),
      readEvent: () => ({ values: { tagId, eventId } }),
      listDeliveries: () => ({ values: { tagId } }),
      readStats: () => ({ values: { tagId } }),
      watchDeliveries: () => ({ values: { tagId } }),
    },
    own: {
      listEvents: own('listEvents'),
      readEvent: {
        ...own('readEvent'),
        eventUnknown: () => call('readEvent', { values: { tagId, eventId: 'nope' } }),
      },
      listDeliveries: own('listDeliveries'),
      readStats: own('readStats'),
      watchDeliveries: { ...own('watchDeliveries'), tooManyWatching: eleventh },
    },
    theirs: {
      listEvents: 'tagUnknown',
      readEvent: 'tagUnknown',
      listDeliveries: 'tagUnknown',
      readStats: 'tagUnknown',
      watchDeliveries: 'tagUnknown',
    },
  }
}
