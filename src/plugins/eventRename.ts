import { plugin, Type } from '#plugin/plugin.ts'

const EventName = Type.String({ minLength: 1, maxLength: 200 })

export default plugin({
  label: 'Rename events',
  description:
    'Renames events before any channel receives them, so that a shop with its own names sends standard events.',
  stage: 'live',
  settings: Type.Object(
    {
      names: Type.Record(EventName, EventName, {
        title: 'Names',
        description: 'the new name for each name that your shop sends',
      }),
    },
    { additionalProperties: false },
  ),
  run(event, { names }) {
    const eventName = Object.hasOwn(names, event.eventName) ? names[event.eventName] : undefined
    return { event: eventName === undefined ? event : { ...event, eventName } }
  },
  examples: [
    {
      title: 'an event with a name of its own becomes a standard event',
      settings: { names: { AddToBasket: 'AddToCart' } },
      event: { eventName: 'AddToBasket', data: { value: 5 } },
      result: { event: { eventName: 'AddToCart', data: { value: 5 } } },
    },
    {
      title: 'every other event stays as it is',
      settings: { names: { AddToBasket: 'AddToCart' } },
      event: { eventName: 'addtobasket' },
      result: { event: { eventName: 'addtobasket' } },
    },
    {
      title: 'a name is no word of the language',
      settings: { names: {} },
      event: { eventName: 'constructor' },
      result: { event: { eventName: 'constructor' } },
    },
  ],
})
