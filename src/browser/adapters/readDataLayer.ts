import type { AdapterHost } from './adapter.ts'

type Layer = { push(...entries: unknown[]): unknown } & Iterable<unknown>

/** Reads every entry of the page's data layer, past and future. Skips functions, which Google runs. */
export function readDataLayer(host: AdapterHost, read: (entry: object, isCommand: boolean) => void): void {
  const readAll = (entries: Iterable<unknown>) => {
    for (const entry of entries)
      if (entry && typeof entry === 'object')
        host.safely(() => read(entry, /Arguments/.test(Object.prototype.toString.call(entry))))
    return undefined
  }
  host.watch(
    host.options.dataLayer ?? 'dataLayer',
    (value) => {
      const layer = value as Layer
      readAll(layer)
      if (Object.isFrozen(layer)) host.warn('the data layer is frozen')
      else layer.push = host.wrap(layer.push, readAll) as Layer['push']
      return layer
    },
    { absent: [] },
  )
}
