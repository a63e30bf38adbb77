import type { AdapterName } from '#contract/adapterNames.ts'
import type { Adapter, AdapterOptions, AddAdapter } from './adapter.ts'
import borlabs from './borlabs.ts'
import complianz from './complianz.ts'
import consentmanager from './consentmanager.ts'
import cookiebot from './cookiebot.ts'
import cookieConsent from './cookieConsent.ts'
import cookieFirst from './cookieFirst.ts'
import cookieyes from './cookieyes.ts'
import dataLayer from './dataLayer.ts'
import didomi from './didomi.ts'
import fbq from './fbq.ts'
import gpp from './gpp.ts'
import gtag from './gtag.ts'
import { installAdapters } from './installAdapters.ts'
import iubenda from './iubenda.ts'
import klaro from './klaro.ts'
import onetrust from './onetrust.ts'
import pintrk from './pintrk.ts'
import rdt from './rdt.ts'
import segment from './segment.ts'
import shopifyConsent from './shopifyConsent.ts'
import snaptr from './snaptr.ts'
import tarteaucitron from './tarteaucitron.ts'
import tcf from './tcf.ts'
import termly from './termly.ts'
import ttq from './ttq.ts'
import uetq from './uetq.ts'
import usercentrics from './usercentrics.ts'
import wpConsent from './wpConsent.ts'
import zaraz from './zaraz.ts'

const adapters: Record<AdapterName, Adapter> = {
  ...{ dataLayer, gtag, fbq, ttq, pintrk, snaptr, rdt, uetq, zaraz, segment },
  ...{ tcf, gpp, cookiebot, onetrust, usercentrics, didomi, consentmanager, cookieyes, shopifyConsent },
  ...{ klaro, cookieConsent, tarteaucitron },
  ...{ complianz, wpConsent, borlabs, iubenda, termly, cookieFirst },
}

type SentEvent = {
  name: string
  data: Record<string, unknown>
  eventId: string
  source: string
  [other: string]: unknown
}

/** The globals of a page, and the SDK calls of its adapters. */
export function openAdapters({ primary = '', passEventId = '', options = {} as AdapterOptions } = {}) {
  const calls: unknown[][] = []
  const warnings: string[] = []
  const at = { now: Date.UTC(2026, 10, 20), ids: 0 }
  const listeners = new Map<string, (() => void)[]>()
  const timers: (() => void)[] = []
  // biome-ignore lint/suspicious/noExplicitAny: the globals of pages have no types
  const site: Record<string, any> = {
    addEventListener: (name: string, run: () => void) => listeners.set(name, [...(listeners.get(name) ?? []), run]),
    setTimeout: (run: () => void) => void timers.push(run),
    setInterval: (run: () => void) => listeners.set('interval', [...(listeners.get('interval') ?? []), run]),
    agletAdapters: options,
    document: { cookie: '' },
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
    /** Fires an event of the page: runs its listeners, then the timers. */
    fire(name: string) {
      for (const run of listeners.get(name) ?? []) run()
      for (const run of timers.splice(0)) run()
    },
    /** The number of pending timers. */
    waiting: () => timers.length,
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
    /** The SDK calls that are not events. */
    others: () => plain(calls.filter(([method]) => method !== 'tag')),
  }
}
