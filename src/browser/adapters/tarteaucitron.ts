import type { Adapter } from './adapter.ts'
import { followBanner } from './banner.ts'

/** The service types of tarteaucitron. It loads other services itself (videos, maps, social media). */
const categories: Record<string, string> = { ads: 'advertising', analytic: 'analytics', support: 'functional' }

/** tarteaucitron: the state of each service in the page, once all of them are answered. */
const tarteaucitron: Adapter = {
  start(host) {
    let isWatched = false
    followBanner(host, 'tarteaucitron', [], ({ tarteaucitron: api, setInterval }, check) => {
      const jobs: string[] = api?.job ?? []
      if (!jobs[0]) return undefined
      if (!isWatched) setInterval(check, 300)
      isWatched = true
      const choices: Record<string, boolean> = {}
      for (const job of jobs) {
        const [state, type] = [api.state[job], categories[api.services[job]?.type]]
        if (typeof state !== 'boolean') return {}
        if (type) choices[type] = state && choices[type] !== false
      }
      return { choices }
    })
  },
}

export default tarteaucitron
