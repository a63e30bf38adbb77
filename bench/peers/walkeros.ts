import { listen, load } from './listen.ts'

/**
 * walkerOS: its collector accepts the event and its API destination posts it, once for each channel. It answers when `push`
 * resolves, which is after the vendors have answered: nothing is stored before that.
 */
const [, , , vendor = '', channels = '1'] = process.argv

type Collector = { push(event: object): Promise<{ ok: boolean }> }
type Flow = (config: object) => Promise<{ collector: Collector }>

const { startFlow } = await load<{ startFlow: Flow }>('@walkeros/collector')
const { default: code } = await load<{ default: object }>('@walkeros/server-destination-api')
const destinations = Object.fromEntries(
  Array.from({ length: Number(channels) }, (_, n) => [
    `vendor${n}`,
    { code, config: { settings: { url: `${vendor}/fast/${n}` } } },
  ]),
)
const { collector } = await startFlow({ consent: { functional: true }, destinations })

listen(async ({ eventName, eventId, timestamp, ...event }) => {
  // Its event names are an entity and an action.
  const { ok } = await collector.push({ name: `${eventName.toLowerCase()} done`, id: eventId, timestamp, data: event })
  if (!ok) throw new Error('walkerOS refused the event')
})
