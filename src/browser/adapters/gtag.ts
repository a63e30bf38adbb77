import type { Adapter } from './adapter.ts'
import { gaFields } from './gaFields.ts'
import { readDataLayer } from './readDataLayer.ts'

type Params = Record<string, unknown>

/** The signals of Google's consent mode for each of our categories. */
const categories = {
  advertising: 'ad_storage',
  analytics: 'analytics_storage',
  share_pii: 'ad_user_data',
  ad_personalization: 'ad_personalization',
  functional: 'functionality_storage',
}

/**
 * gtag.js: the commands in the data layer. A consent `update` is the visitor's answer; a `default` is not, and only fills
 * gaps in a later answer.
 */
const gtag: Adapter = {
  ...gaFields,
  start(host) {
    const shared: Params = {}
    const consent: Record<string, boolean> = {}
    let isPageSeen = false

    const send = (name: string, params: Params) => {
      const { page_location, page_title, user_id, ...data } = { ...shared, ...params }
      const page = { pageUrl: page_location, pageTitle: page_title }
      host.person({ user_id })
      host.event(host.gaEventName(name), data, data.event_id, JSON.parse(JSON.stringify(page)))
    }
    const commands: Record<string, (first: unknown, second: unknown) => void> = {
      event(name, params) {
        const { send_to } = Object(params)
        // Google Ads conversions repeat another event
        if (typeof name === 'string' && !/^(AW|DC)-/.test(send_to)) send(name, Object(params))
      },
      config(id, params) {
        const { send_page_view, ...rest } = Object(params)
        host.person({ user_id: rest.user_id })
        if (isPageSeen || send_page_view === false || !/^GT?-/.test(`${id}`)) return
        isPageSeen = true
        send('page_view', rest)
      },
      set(first, second) {
        if (first === 'user_data') host.person(second)
        else Object.assign(shared, typeof first === 'string' ? { [first]: second } : first)
      },
      consent(kind, given) {
        const states: Params = Object(given)
        // several defaults are for several regions: the strictest applies
        for (const [category, signal] of Object.entries(categories))
          if (states[signal] && (kind === 'update' || consent[category] !== false))
            consent[category] = states[signal] === 'granted'
        if (kind === 'update' && Object.keys(consent)[0]) {
          const { advertising, share_pii } = consent
          host.sdk('consent', undefined, { ...consent, ...(advertising && { advertising: share_pii !== false }) })
        }
      },
    }
    readDataLayer(host, (entry, isCommand) => {
      if (!isCommand) return
      const call = host.copy(entry) as Params | undefined
      const name = `${call?.[0]}`
      if (call && Object.hasOwn(commands, name)) commands[name]!(call[1], call[2])
    })
  },
}

export default gtag
