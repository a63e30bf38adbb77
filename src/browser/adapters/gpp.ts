import type { Adapter } from './adapter.ts'
import { type BannerAnswer, followBanner } from './banner.ts'

type GppEvent = { eventName?: string; data?: unknown; pingData?: Ping }
type Ping = { gppString?: string; applicableSections?: number[]; signalStatus?: string }

/** A banner of the Global Privacy Platform: `__gpp`. Its string alone is not an answer. */
const gpp: Adapter = {
  start(host) {
    let isSubscribed = false
    let answer: BannerAnswer | undefined
    followBanner(host, 'gpp', [], ({ __gpp }, check) => {
      if (__gpp && !isSubscribed) {
        isSubscribed = true
        __gpp('addEventListener', ({ pingData }: GppEvent) => {
          if (pingData?.signalStatus !== 'ready') return
          const { gppString, applicableSections } = pingData
          answer = { choices: null, texts: { gpp: gppString, gppSections: applicableSections } }
          check()
        })
      }
      return answer
    })
  },
}

export default gpp
