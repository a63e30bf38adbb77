import type { Adapter } from './adapter.ts'
import { followBanner } from './banner.ts'

type Service = { name: string; purposes?: string[] }

/** Klaro: the services by purpose. A purpose is accepted if all its services are. */
const klaro: Adapter = {
  start(host) {
    let watched: object | undefined
    followBanner(host, 'klaro', [], ({ klaro: api }, check) => {
      const manager = api?.getManager?.()
      if (!manager) return undefined
      if (watched !== manager) manager.watch({ update: check })
      watched = manager
      if (!manager.confirmed) return {}
      const choices: Record<string, boolean> = {}
      for (const { name, purposes = [] } of manager.config.services as Service[])
        for (const purpose of purposes)
          choices[purpose] = manager.savedConsents[name] === true && choices[purpose] !== false
      return { choices, version: manager.config.version }
    })
  },
}

export default klaro
