import type { AdapterName } from '#contract/adapterNames.ts'
import type { Adapter, AdapterOptions, AddAdapter } from './adapter.ts'
import dataLayer from './dataLayer.ts'
import fbq from './fbq.ts'
import gtag from './gtag.ts'
import { installAdapters } from './installAdapters.ts'
import pintrk from './pintrk.ts'
import rdt from './rdt.ts'
import segment from './segment.ts'
import snaptr from './snaptr.ts'
import ttq from './ttq.ts'
import uetq from './uetq.ts'
import zaraz from './zaraz.ts'

const adapters: Record<AdapterName, Adapter> = {
  ...{ dataLayer, gtag, fbq, ttq, pintrk, snaptr, rdt, uetq, zaraz, segment },
}

type SentEvent = {
  name: string
  data: Record<string, unknown>
  eventId: string
  source: string
  [other: string]: unknown
}

/** The globals of a page, and what its adapters tell the SDK. */
export function openAdapters({ primary = '', passEventId = '', options = {} as AdapterOptions } = {}) {
  const calls: unknown[][] = []
  const warnings: string[] = []
  const at = { now: Date.UTC(2026, 10, 20), ids: 0 }
  // biome-ignore lint/suspicious/noExplicitAny: the globals of pages have no types
  const site: Record<string, any> = {
    agletAdapters: options,
    aglet: async (...call: unknown[]) => void calls.push(call),
  }
  const install = () =>
    installAdapters({
      ...{ site, primary, passEventId },
      now: () => at.now,
      randomId: () => `id-${++at.ids}`,
      warn: (sentence) => void warnings.push(sentence),
    })
  install()
  const plain = (value: unknown) => JSON.parse(JSON.stringify(value))
  return {
    ...{ site, at, calls, warnings, install },
    start(...names: AdapterName[]) {
      for (const name of names) (site.agletAddAdapter as AddAdapter)(name, adapters[name])
    },
    events: (): SentEvent[] =>
      calls
        .filter(([method]) => method === 'tag')
        .map(([, name, data, , more]) => {
          const { source, ...rest } = plain(more)
          return { name, data: plain(data), source: source.name, ...rest }
        }),
    names: () => calls.filter(([method]) => method === 'tag').map(([, name]) => name),
    /** The calls of the SDK that are no events. */
    others: () => plain(calls.filter(([method]) => method !== 'tag')),
  }
}
