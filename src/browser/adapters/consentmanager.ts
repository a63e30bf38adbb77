import type { Adapter } from './adapter.ts'
import { followBanner } from './banner.ts'

/** consentmanager: its purposes have ids, which the page names in `agletAdapters.categories`, such as `{ c52: 'advertising' }`. */
const consentmanager: Adapter = {
  start(host) {
    let isSubscribed = false
    followBanner(host, 'consentmanager', [], ({ __cmp }, check) => {
      const data = __cmp?.('getCMPData')
      if (!data) return undefined
      if (!isSubscribed) __cmp('addEventListener', ['consent', check, false], null)
      isSubscribed = true
      return data.userChoiceExists ? { choices: data.purposeConsents ?? {} } : {}
    })
  },
}

export default consentmanager
