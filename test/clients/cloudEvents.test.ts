import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Journey } from '#contract/journey.ts'
import { call, makeCustomer, makeSourceKey, openAglet, until } from '../fake/aglet.ts'
import { exportsOf, skipMissing } from './client.ts'

const aglet = await openAglet('cloud-events')

type Emit = (event: unknown) => Promise<unknown>
type Sdk = {
  CloudEvent: new (event: object) => unknown
  Mode: Record<'BINARY' | 'STRUCTURED', string>
  HTTP: { binary(event: unknown): { headers: Record<string, string>; body: string } }
  httpTransport(url: string): unknown
  emitterFor(transport: unknown, options: { mode: string }): Emit
}

test('cloudevents: its emitter sends a binary and a structured event, which are in the journal', async (t) => {
  const sdk = exportsOf<Sdk>('cloudevents')
  if (!sdk) return skipMissing(t, 'cloudevents')
  const customer = await makeCustomer(aglet, 'cloud events')
  await call(customer, 'PUT', `/tag/${customer.tagId}`, { sources: ['cloudEvents'] })
  const key = await makeSourceKey(aglet, customer)
  const transport = sdk.httpTransport(`${customer.tagUrl}/cloudevents?access_token=${key}`)
  for (const mode of ['BINARY', 'STRUCTURED'] as const) {
    const id = randomUUID()
    const event = new sdk.CloudEvent({
      id,
      source: '/shop',
      type: 'com.example.Purchase',
      userid: 'customer-42',
      data: { value: 59.98, currency: 'EUR', orderId: 'Ä-1001' },
    })
    await sdk.emitterFor(transport, { mode: sdk.Mode[mode] })(event)
    let journey: Journey | undefined
    await until(async () => {
      const path = `/tag/${customer.tagId}/event/${encodeURIComponent(`/shop#${id}`)}`
      const { status, body } = await call<Journey>(customer, 'GET', path)
      journey = body
      return status === 200
    })
    assert.deepEqual([mode, journey!.eventName, journey!.trusted], [mode, 'Purchase', true])
    assert.deepEqual(journey!.received?.data, { value: 59.98, currency: 'EUR', orderId: 'Ä-1001' })
  }
})
