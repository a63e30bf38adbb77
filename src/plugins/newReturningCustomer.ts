import { deriveEvent, plugin, Type } from '#plugin/plugin.ts'

const purchase = (eventName: string, more: object = {}) => ({
  eventName,
  eventId: 'order-2',
  data: { value: 5 },
  ...more,
})

export default plugin({
  label: 'New and returning customers',
  description: 'Adds Purchase_NC to the first purchase of a person and Purchase_RC to every later one.',
  stage: 'live',
  settings: Type.Object({}, { additionalProperties: false }),
  /**
   * Sets whether the customer of a purchase is new. `data.isNewCustomer` takes precedence over the history of this tag.
   */
  run(event, _, { history }) {
    if (event.eventName !== 'Purchase') return { event }
    const { firstPurchase = event.eventId } = history
    const stated = event.data?.isNewCustomer
    const isNew = typeof stated === 'boolean' ? stated : firstPurchase === event.eventId
    return { event, more: [deriveEvent(event, isNew ? 'Purchase_NC' : 'Purchase_RC')], history: { firstPurchase } }
  },
  examples: [
    {
      title: 'the first purchase',
      settings: {},
      event: purchase('Purchase'),
      result: {
        event: purchase('Purchase'),
        more: [purchase('Purchase_NC', { eventId: 'order-2~Purchase_NC' })],
        history: { firstPurchase: 'order-2' },
      },
    },
    {
      title: 'the first purchase, worked on a second time',
      settings: {},
      event: purchase('Purchase'),
      context: { history: { firstPurchase: 'order-2' } },
      result: {
        event: purchase('Purchase'),
        more: [purchase('Purchase_NC', { eventId: 'order-2~Purchase_NC' })],
        history: { firstPurchase: 'order-2' },
      },
    },
    {
      title: 'a purchase after another one',
      settings: {},
      event: purchase('Purchase'),
      context: { history: { firstPurchase: 'order-1' } },
      result: {
        event: purchase('Purchase'),
        more: [purchase('Purchase_RC', { eventId: 'order-2~Purchase_RC' })],
        history: { firstPurchase: 'order-1' },
      },
    },
    {
      title: 'a purchase of which the shop says whose it is',
      settings: {},
      event: purchase('Purchase', { data: { isNewCustomer: false } }),
      result: {
        event: purchase('Purchase', { data: { isNewCustomer: false } }),
        more: [purchase('Purchase_RC', { eventId: 'order-2~Purchase_RC', data: { isNewCustomer: false } })],
        history: { firstPurchase: 'order-2' },
      },
    },
    {
      title: 'an event that is no purchase',
      settings: {},
      event: purchase('AddToCart'),
      result: { event: purchase('AddToCart') },
    },
  ],
})
