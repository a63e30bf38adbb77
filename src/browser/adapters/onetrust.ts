import type { Adapter } from './adapter.ts'
import { followBanner } from './banner.ts'

/** OneTrust: the active groups, `,C0001,C0002,`. */
const onetrust: Adapter = {
  start(host) {
    followBanner(host, 'onetrust', ['OneTrustGroupsUpdated'], ({ OneTrust, OptanonActiveGroups }) => {
      if (!OneTrust || typeof OptanonActiveGroups !== 'string') return undefined
      if (!OneTrust.IsAlertBoxClosed()) return {}
      const groups = OptanonActiveGroups.split(',')
      const choices = Object.fromEntries(['C0002', 'C0003', 'C0004'].map((group) => [group, groups.includes(group)]))
      const own = Object.keys(host.options.categories ?? {}).map((group) => [group, groups.includes(group)])
      return { choices: { ...choices, ...Object.fromEntries(own) } }
    })
  },
}

export default onetrust
