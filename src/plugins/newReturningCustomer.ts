import { another, plugin, Type } from '#plugin/plugin.ts'

const bought = (eventName: string, more: object = {}) => ({
  eventName,
  eventId: 'order-2',
  data: { value: 5 },
  ...more,
})

export default plugin({
  label: 'New and returning customers',
  does: 'Adds Purchase_NC to the first purchase of a person and Purchase_RC to each one after it.',
  stage: 'live',
  settings: Type.Object({}, { additionalProperties: false }),
  /** A shop that says in `data.isNewCustomer` which it is knows better than what this tag has seen. */
  run(event, _, { history }) {
    if (event.eventName !== 'Purchase') return { event }
    const { firstPurchase = event.eventId } = history
    const said = event.data?.isNewCustomer
    const isNew = typeof said === 'boolean' ? said : firstPurchase === event.eventId
    return { event, more: [another(event, isNew ? 'Purchase_NC' : 'Purchase_RC')], history: { firstPurchase } }
  },
  examples: [
    {
      shows: 'the first purchase',
      settings: {},
      event: bought('Purchase'),
      gives: {
        event: bought('Purchase'),
        more: [bought('Purchase_NC', { eventId: 'order-2~Purchase_NC' })],
        history: { firstPurchase: 'order-2' },
      },
    },
    {
      shows: 'the first purchase, worked on a second time',
      settings: {},
      event: bought('Purchase'),
      on: { history: { firstPurchase: 'order-2' } },
      gives: {
        event: bought('Purchase'),
        more: [bought('Purchase_NC', { eventId: 'order-2~Purchase_NC' })],
        history: { firstPurchase: 'order-2' },
      },
    },
    {
      shows: 'a purchase after another one',
      settings: {},
      event: bought('Purchase'),
      on: { history: { firstPurchase: 'order-1' } },
      gives: {
        event: bought('Purchase'),
        more: [bought('Purchase_RC', { eventId: 'order-2~Purchase_RC' })],
        history: { firstPurchase: 'order-1' },
      },
    },
    {
      shows: 'a purchase of which the shop says whose it is',
      settings: {},
      event: bought('Purchase', { data: { isNewCustomer: false } }),
      gives: {
        event: bought('Purchase', { data: { isNewCustomer: false } }),
        more: [bought('Purchase_RC', { eventId: 'order-2~Purchase_RC', data: { isNewCustomer: false } })],
        history: { firstPurchase: 'order-2' },
      },
    },
    {
      shows: 'an event that is no purchase',
      settings: {},
      event: bought('AddToCart'),
      gives: { event: bought('AddToCart') },
    },
  ],
})
