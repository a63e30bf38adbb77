import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProviderId } from '#contract/providerIds.ts'
import { batchPartOf } from '#dashboard/explain/batchPart.ts'
import { buildBatches, type RequestBatch } from '#provider/engine/buildBatches.ts'
import { exampleInput } from '#provider/engine/exampleRequests.ts'
import type { Provider } from '#provider/form/provider.ts'
import { examplesOf } from '#providers/examples/all.ts'
import { providers } from '#providers/index.ts'

const orders = ['event-one', 'event-two', 'event-three'].map((eventId, n) => ({ eventId, orderId: `order/${n}` }))

/** The requests for several orders: the first example that can be batched. */
function batchesOf(id: ProviderId): RequestBatch[] {
  const sent = examplesOf(id).filter(({ sends, testMode: isTest }) => !('skipped' in sends) && !isTest)
  for (const example of sent.sort((one, other) => Number(isOrder(other)) - Number(isOrder(one)))) {
    const inputs = orders.map(({ eventId, orderId }) => {
      const data = { ...(example.event.data as object), orderId }
      return exampleInput({ ...example, event: { ...example.event, eventId, data } })
    })
    const { batches } = buildBatches(id, providers[id]!, inputs)
    const several = batches.filter(({ eventIndexes }) => eventIndexes.length > 1)
    if (several.length > 0) return several
  }
  return []
}
const isOrder = ({ event }: { event: { eventName: string } }) => event.eventName === 'Purchase'

for (const [id, provider] of Object.entries(providers) as [ProviderId, Provider][]) {
  if (!provider.batch) continue
  test(`of a request to ${provider.label} with several orders the page shows that of one event alone`, () => {
    const batches = batchesOf(id)
    assert.ok(batches.length > 0, 'no example is joined')
    for (const { request, eventIndexes } of batches)
      for (const at of eventIndexes) {
        const { eventId, orderId } = orders[at]!
        const own = batchPartOf(request.body ?? '', [eventId, orderId])
        assert.ok(own, request.body)
        const others = orders.filter((_, other) => other !== at)
        assert.ok(!others.some((other) => own.includes(other.eventId) || own.includes(other.orderId)), own)
      }
  })
}
