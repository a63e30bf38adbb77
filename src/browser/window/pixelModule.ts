import { maySharePersonalData } from '#browser/personalDataSharing.ts'
import type { AdapterName } from '#contract/adapterNames.ts'
import { toEventMapping } from '#contract/eventMapping.ts'
import type { IdentifiedEvent } from '../adPixelCalls.ts'
import type { BrowserModule, BrowserModuleContext } from '../modules.ts'

/** The variables of a channel that are not secret. */
type Variables = BrowserModuleContext['variables']

/**
 * The module of a vendor's pixel in addition to the server's channel. `pixelId` returns the pixel's id if the customer
 * has enabled it. `open` adds the pixel to the page at the first event that may be sent, and returns the function that
 * sends an event to it.
 */
export const pixelModule = (
  pixelId: (variables: Variables) => string | undefined,
  open: (context: BrowserModuleContext, id: string) => (event: IdentifiedEvent) => void,
): BrowserModule => ({
  start(context) {
    const id = pixelId(context.variables)
    if (!id) return undefined
    let send: ReturnType<typeof open> | undefined
    return (body) => {
      if (!maySharePersonalData(context.consent())) return
      send ??= open(context, id)
      send(body as unknown as IdentifiedEvent)
    }
  },
})

type PixelFunction = ((...call: unknown[]) => void) & { [member: string]: unknown; aglet?: PixelFunction }
type Pixel = { name: string; url: string; queue: string; handler?: string; version?: string }

/**
 * A vendor's global function. If the page has none, it is created like the vendor's base code: calls wait in the list
 * `queue` until the vendor's script is loaded, which sets `handler` or replaces the function. Returns a function that
 * calls it in either state.
 */
export function pixelFunction(context: BrowserModuleContext, { name, url, queue, handler = '', version }: Pixel) {
  const site = window as unknown as { [name: string]: PixelFunction | undefined }
  if (!site[name]) {
    const waiting: unknown[] = []
    const members: object = { [queue]: waiting, version }
    const pixel = Object.assign((...call: unknown[]) => {
      if (pixel[handler]) (pixel as Record<string, PixelFunction>)[handler]!(...call)
      else waiting.push(call)
    }, members) as PixelFunction
    site[name] = pixel
    loadPixel(context, url)
  }
  return (...call: unknown[]) => (site[name]!.aglet ?? site[name]!)(...call)
}

/** The original function under an adapter's wrapper: our calls must not count as calls of the page. */
export const withoutAdapter = <Called extends object>(called: Called): Called =>
  (called as { aglet?: Called }).aglet ?? called

/**
 * The module without the events that this adapter makes from the page's own calls of the pixel, because the pixel already has
 * them.
 */
export const exceptCallsOf = (adapter: AdapterName, module: BrowserModule): BrowserModule => ({
  start(context) {
    const send = module.start(context)
    return send && ((body) => (body as { source?: { name?: string } }).source?.name !== adapter && send(body))
  },
})

/** Parses the event mapping of a variable; undefined if it is absent or invalid. */
export function mappingIn(text: string | undefined): ReadonlyMap<string, string> | undefined {
  try {
    return toEventMapping(JSON.parse(text ?? ''))
  } catch {
    return undefined
  }
}

/** Loads a vendor's script. Ignores an error, because a blocker may prevent it. */
export const loadPixel = ({ load }: BrowserModuleContext, url: string): Promise<void> =>
  load(url).catch(() => undefined)
