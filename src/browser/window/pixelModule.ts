import { toEventMapping } from '#contract/eventMapping.ts'
import type { Module, ModuleOn } from '../modules.ts'
import type { IdentifiedEvent } from '../pixelCalls.ts'
import { shares } from '../shares.ts'

/** The variables of a channel that are not secret. */
type Variables = ModuleOn['variables']

/**
 * The module of a vendor's pixel beside the server's channel. `asked`: the id of the pixel where the customer switched it on.
 * `open` puts the pixel into the page and returns what tells it of an event; it is called for the first event that may be told.
 */
export const pixelModule = (
  asked: (variables: Variables) => string | undefined,
  open: (on: ModuleOn, id: string) => (event: IdentifiedEvent) => void,
): Module => ({
  start(on) {
    const id = asked(on.variables)
    if (!id) return undefined
    let tell: ReturnType<typeof open> | undefined
    return (body) => {
      if (!shares(on.consent())) return
      tell ??= open(on, id)
      tell(body as unknown as IdentifiedEvent)
    }
  },
})

type PixelFunction = ((...call: unknown[]) => void) & { [member: string]: unknown }
type Pixel = { name: string; url: string; queue: string; handler?: string; version?: string }

/**
 * A vendor's global function, made as by the vendor's base code where the page has none yet: calls wait in the list `queue` until
 * the script is there, which sets `handler` or replaces the function. Returns a way to call it, before and after.
 */
export function pixelFunction(on: ModuleOn, { name, url, queue, handler = '', version }: Pixel) {
  const site = window as unknown as { [name: string]: PixelFunction | undefined }
  if (!site[name]) {
    const waiting: unknown[] = []
    const members: object = { [queue]: waiting, version }
    const made = Object.assign((...call: unknown[]) => {
      const handle = made[handler] as PixelFunction | undefined
      if (handle) handle.apply(made, call)
      else waiting.push(call)
    }, members) as PixelFunction
    site[name] = made
    loadPixel(on, url)
  }
  return (...call: unknown[]) => site[name]!(...call)
}

/** The map that a variable holds; undefined where it holds none. */
export function mappingIn(text: string | undefined): ReadonlyMap<string, string> | undefined {
  try {
    return toEventMapping(JSON.parse(text ?? ''))
  } catch {
    return undefined
  }
}

/** Loads a vendor's script. A blocker may keep it away. */
export const loadPixel = ({ load }: ModuleOn, url: string): Promise<void> => load(url).catch(() => undefined)
