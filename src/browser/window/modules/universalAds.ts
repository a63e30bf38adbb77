import type { TagEvent } from '#contract/event.ts'
import { conversionOf } from '../../conversion.ts'
import type { Module } from '../../modules.ts'
import { shares } from '../../shares.ts'

/** The vendor's pixel, as its script puts it into the page. */
type PubSuite = { startWithConfig(config: object): void; sendConversion(type: string, fields: object): void }

const pixelUrl = 'https://connect.universalads.com/uap.js'

/** Universal Ads has its channel in the page alone: its pixel is loaded, and each event that it knows is handed to it. */
const universalAds: Module = {
  start({ variables, purchaseValueMode, load, userId, consent }) {
    const { UNIVERSAL_ADS_PIXEL_ID: product_id, UNIVERSAL_ADS_ACCESS_TOKEN: access_token } = variables
    let pixel: Promise<PubSuite> | undefined
    const open = () =>
      load(pixelUrl).then(() => {
        const { pubSuite } = window as unknown as { pubSuite: PubSuite }
        const collected = { install_id_enabled: true, pers_tr: true, collect_page_info: true, collect_ga: true }
        pubSuite.startWithConfig({ general: { ...collected, product_id, access_token } })
        return pubSuite
      })
    return (body) => {
      if (!shares(consent())) return
      const event = body as unknown as TagEvent
      pixel ??= open()
      const told = pixel.then((to) => {
        const conversion = conversionOf(event, purchaseValueMode, userId())
        if (conversion) to.sendConversion(...conversion)
      })
      // a blocker has kept the pixel away; or data that is none, which is the edge's to refuse
      told.catch(() => undefined)
    }
  },
}

export default universalAds
