import { bingCall } from '../../pixelCalls.ts'
import { loadPixel, mappingIn, pixelModule } from '../pixelModule.ts'

/** The UET tag: until its script is there, a list of what was pushed. */
type Site = {
  uetq?: { push(...call: unknown[]): void }
  UET?: new (options: object) => { push(...call: unknown[]): void }
}

/** Microsoft's UET tag beside the server's channel, where BING_BROWSER_PIXEL is 1. Events have the server's id. */
export default pixelModule(
  ({ BING_BROWSER_PIXEL, BING_TAG_ID }) => (BING_BROWSER_PIXEL === '1' ? BING_TAG_ID : undefined),
  (on, id) => {
    const site = window as Site
    const isNew = site.uetq === undefined
    site.uetq ??= []
    if (isNew)
      loadPixel(on, 'https://bat.bing.com/bat.js').then(() => {
        if (site.UET && Array.isArray(site.uetq)) site.uetq = new site.UET({ ti: id, q: site.uetq })
      })
    const { advertising, all } = on.consent()?.consentCategories ?? {}
    const isGranted = advertising ?? all
    if (isGranted !== undefined) site.uetq.push('consent', 'default', { ad_storage: isGranted ? 'granted' : 'denied' })
    const names = mappingIn(on.variables.BING_MAPPED_EVENTS)
    return (event) => {
      const call = bingCall(event, on.purchaseValueMode, names)
      if (call) site.uetq!.push(...call)
    }
  },
)
