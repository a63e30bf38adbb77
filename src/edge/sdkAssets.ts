import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { CaptureBeforeConsent } from '#contract/edgeResponses.ts'
import { etagOf } from '#kit/etag.ts'
import type { SdkBuild } from '#manifest/sdkBuilds.ts'

/** A script in one encoding. */
export type EncodedAsset = { body: Buffer; etag: string; encoding?: 'br' | 'gzip' }

/** One script in all encodings, the smallest first. `isPinned`: its URL names the version, so it never changes. */
type SdkAsset = { encoded: readonly EncodedAsset[]; version: string; isPinned: boolean }

/**
 * `version` and `module` come from the URL; `preferred` (a version) and `providers` (of deployed scripts) from the tag.
 */
type SdkRequest = {
  version?: string | undefined
  module?: string | undefined
  preferred?: string | undefined
  providers: readonly string[]
  captureBeforeConsent: CaptureBeforeConsent
}

export type SdkAssets = (request: SdkRequest) => SdkAsset | undefined

/**
 * The scripts that pages load, each compressed once. The SDK of a pinned version has no modules and fetches them
 * itself and asks the tag for its setting, so that the response depends on the version alone. An unknown version gets the tag's or the newest version,
 * which speaks to the same edge, so that a page with an old URL keeps working. Undefined for an unknown module.
 */
export function openSdkAssets(builds: readonly SdkBuild[], brand: string): SdkAssets {
  const cache = new Map<string, readonly EncodedAsset[]>()
  const encode = (text: string): readonly EncodedAsset[] => {
    const encoded = cache.get(text) ?? encodings(text.replaceAll('aglet-brand', brand))
    cache.set(text, encoded)
    return encoded
  }
  return ({ version, module, preferred, providers, captureBeforeConsent }) => {
    const pinned = builds.find((build) => build.version === version)
    const build = pinned ?? builds.find((each) => each.version === preferred) ?? builds[0]
    const mode = pinned ? 'ask' : captureBeforeConsent
    const text = build && textOf(build, { module, mode, providers: pinned ? [] : providers })
    if (!build || text === undefined) return undefined
    return { encoded: encode(text), version: build.version, isPinned: pinned !== undefined }
  }
}

type PartRequest = Pick<SdkRequest, 'module' | 'providers'> & { mode: CaptureBeforeConsent | 'ask' }

/** Where the tag asks for no gate before a consent, the core without it is enough. */
function textOf({ core, gatedCore, preview, modules }: SdkBuild, { module, mode, providers }: PartRequest) {
  if (module === 'preview') return preview?.replace('aglet-capture', mode === 'ask' ? '' : mode)
  if (module !== undefined) return modules.get(module)
  const names = [...new Set(providers)].sort()
  const ownCore = mode === 'all' ? core : gatedCore.replace('aglet-capture', mode === 'ask' ? '' : mode)
  return [ownCore, ...names.map((name) => modules.get(name) ?? '')].join('')
}

function encodings(text: string): EncodedAsset[] {
  const plain = Buffer.from(text)
  return [
    { body: brotliCompressSync(plain), encoding: 'br' as const },
    { body: gzipSync(plain, { level: 9 }), encoding: 'gzip' as const },
    { body: plain },
  ].map((asset) => ({ ...asset, etag: etagOf(asset.body) }))
}
