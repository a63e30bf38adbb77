import { bingCall } from '../../adPixelCalls.ts'
import { loadPixel, mappingIn, pixelModule, withoutAdapter } from '../pixelModule.ts'

/** The UET tag; before its script is loaded, an array of the pushed calls. */
type Site = {
  uetq?: { push(...call: unknown[]): void }
  UET?: new (options: object) => { push(...call: unknown[]): void }
}

/** Microsoft's UET tag in addition to the server's channel, if BING_BROWSER_PIXEL is 1. Events have the server's id. */
export default pixelModule(
  ({ BING_BROWSER_PIXEL, BING_TAG_ID }) => (BING_BROWSER_PIXEL === '1' ? BING_TAG_ID : undefined),
  (context, id) => {
    const site = window as Site
    const isNew = site.uetq === undefined
    site.uetq ??= []
    if (isNew)
      loadPixel(context, 'https://bat.bing.com/bat.js').then(() => {
        if (site.UET && Array.isArray(site.uetq)) site.uetq = new site.UET({ ti: id, q: site.uetq })
      })
    const { advertising, all } = context.consent()?.consentCategories ?? {}
    const isGranted = advertising ?? all
    if (isGranted !== undefined) site.uetq.push('consent', 'default', { ad_storage: isGranted ? 'granted' : 'denied' })
    const names = mappingIn(context.variables.BING_MAPPED_EVENTS)
    return (event) => {
      const call = bingCall(event, context.purchaseValueMode, names)
      if (call) withoutAdapter(site.uetq!.push).apply(site.uetq, call as unknown[])
    }
  },
)
