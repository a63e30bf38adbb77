import { brotliCompressSync, gzipSync } from 'node:zlib'
import { type AdapterName, adapterNames } from '#contract/adapterNames.ts'
import type { CaptureBeforeConsent } from '#contract/edgeResponses.ts'
import { etagOf } from '#kit/etag.ts'
import { createLruCache } from '#kit/lruCache.ts'
import type { SdkBuild } from '#manifest/sdkBuilds.ts'

/** A script in one encoding. */
export type EncodedAsset = { body: Buffer; etag: string; encoding?: 'br' | 'gzip' }

/** One script in all encodings, the smallest first. `isPinned`: its URL names the version, so it never changes. */
type SdkAsset = { encoded: readonly EncodedAsset[]; version: string; isPinned: boolean }

/** The adapters of a page, with the settings of the tag. */
export type SdkAdapters = {
  names: readonly AdapterName[]
  primary?: AdapterName | 'none' | undefined
  passEventId?: boolean | undefined
  /** The URL names the adapters instead of the tag. */
  isByUrl?: boolean
  /** The URL also names adapters that do not exist. */
  hasUnknown?: boolean
}

/**
 * `version` and `module` are from the URL, `preferred` (a version) and `providers` (of deployed scripts) from the tag,
 * `adapters` from either.
 */
type SdkRequest = {
  version?: string | undefined
  module?: string | undefined
  preferred?: string | undefined
  providers: readonly string[]
  captureBeforeConsent: CaptureBeforeConsent
  adapters: SdkAdapters
}

export type SdkAssets = (request: SdkRequest) => SdkAsset | undefined

/**
 * Enough scripts (each in all encodings) for the tags of a server. Bounded, because URLs can name a thousand sets of
 * adapters.
 */
const maxCached = 500

/**
 * The scripts that pages load, each compressed once. The SDK of a pinned version contains no modules and no settings of the
 * tag: it fetches them itself, so that the response depends on the version alone. An unknown version gets the tag's or the
 * newest version, which uses the same edge, so that a page with an old URL keeps working. Undefined for an unknown module.
 */
export function openSdkAssets(builds: readonly SdkBuild[], brand: string): SdkAssets {
  const cache = createLruCache<string, readonly EncodedAsset[]>(maxCached)
  const encode = (text: string, isByUrl: boolean): readonly EncodedAsset[] => {
    const encoded = cache.get(text) ?? encodings(text.replaceAll('aglet-brand', brand), isByUrl)
    cache.set(text, encoded)
    return encoded
  }
  return ({ version, module, preferred, providers, captureBeforeConsent, adapters }) => {
    const pinned = builds.find((build) => build.version === version)
    const build = pinned ?? builds.find((each) => each.version === preferred) ?? builds[0]
    const mode = pinned ? 'ask' : captureBeforeConsent
    const isByUrl = adapters.isByUrl === true && module === undefined
    const own = pinned
      ? { ...adapters, names: isByUrl ? adapters.names : [], primary: undefined, passEventId: undefined }
      : adapters
    const text = build && textOf(build, { module, mode, providers: pinned ? [] : providers, adapters: own })
    if (!build || text === undefined) return undefined
    return { encoded: encode(text, isByUrl), version: build.version, isPinned: pinned !== undefined }
  }
}

type PartRequest = Pick<SdkRequest, 'module' | 'providers' | 'adapters'> & { mode: CaptureBeforeConsent | 'ask' }

/** If the tag captures everything before a consent, the core without the gate is enough. */
function textOf(build: SdkBuild, { module, mode, providers, adapters }: PartRequest) {
  const { core, gatedCore, preview, modules } = build
  if (module === 'preview') return preview?.replace('aglet-capture', mode === 'ask' ? '' : mode)
  if (module !== undefined) return modules.get(module)
  const names = [...new Set(providers)].sort()
  const ownCore = mode === 'all' ? core : gatedCore.replace('aglet-capture', mode === 'ask' ? '' : mode)
  return [ownCore, ...names.map((name) => modules.get(name) ?? ''), adapterText(build, adapters)].join('')
}

const unknownAdapter = `console.warn("aglet: the URL of the SDK names an unknown adapter. The adapters are ${adapterNames.join(', ')}.");`

/** The primary adapter starts first, so that the others find it. */
function adapterText({ adapterBase, adapters }: SdkBuild, { names, primary, passEventId, hasUnknown }: SdkAdapters) {
  const known = names
    .filter((name) => adapters.has(name))
    .sort((one, other) => Number(other === primary) - Number(one === primary))
  const base = adapterBase
    .replace('aglet-primary', primary ?? 'none')
    .replace('aglet-pass-event-id', `${passEventId ?? true}`)
  const texts = known.length > 0 ? [base, ...known.map((name) => adapters.get(name)!)] : []
  return [...texts, hasUnknown ? unknownAdapter : ''].join('')
}

/** Brotli takes 40 ms for such a text, so only the sets of adapters in tags get it. */
function encodings(text: string, isByUrl: boolean): EncodedAsset[] {
  const plain = Buffer.from(text)
  return [
    ...(isByUrl ? [] : [{ body: brotliCompressSync(plain), encoding: 'br' as const }]),
    { body: gzipSync(plain, { level: 9 }), encoding: 'gzip' as const },
    { body: plain },
  ].map((asset) => ({ ...asset, etag: etagOf(asset.body) }))
}
