import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unknownConsent } from '#provider/form/consentSignals.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { isSubscription, withSubscription } from './subscription.ts'

const context = (eventName: string, more: object = {}) =>
  ({ kind: 'tag', event: { eventName }, consent: unknownConsent, ...more }) as unknown as RequestContext

test('only Subscribe adds to a list', () => {
  assert.equal(isSubscription(context('Subscribe')), true)
  assert.equal(isSubscription(context('subscribe')), false)
  assert.equal(isSubscription(context('Purchase')), false)
  assert.equal(isSubscription(context('Subscribe', { kind: 'user' })), false)
})

test('who refused advertising is added to no list', () => {
  const consent = { ...unknownConsent, advertising: 'denied' }
  assert.equal(isSubscription(context('Subscribe', { consent })), false)
})

test('the subscription is sent before the event, and not again where it was delivered', () => {
  const [event, add] = [{ url: 'https://a.example/event' }, { url: 'https://a.example/list' }]
  const subscribe = context('Subscribe')
  assert.deepEqual(
    withSubscription(subscribe, undefined, () => add, event),
    [event],
  )
  assert.deepEqual(
    withSubscription(subscribe, '2', () => undefined, event),
    [event],
  )
  assert.deepEqual(
    withSubscription(context('Lead'), '2', () => add, event),
    [event],
  )
  const steps = withSubscription(subscribe, '2', () => add, event)
  assert.ok('next' in steps)
  assert.deepEqual(
    [steps.next([]), steps.next([undefined]), steps.next([undefined, undefined])],
    [add, event, undefined],
  )
})
